/**
 * Forms, links and requests of htmx ask for the line before they leave a page, and stay on it without one: the browser
 * would have nothing to show but its error page, from which there is no way back to what was typed.
 *
 *     stay({ isUp: answers, keep: async (form) => false, refuse: (element) => {} })
 *
 * `isUp` resolves within seconds; it gets the element that would leave. Without a line `keep` may keep what a form says;
 * else `refuse` explains that an element needs the server. A form with `data-here` is only kept, never sent by itself.
 */

import { ask as request } from "./ours.js";

const PATIENCE = 4_000; // ms in which a server answers to which there is a line
const ASKING = "aria-busy";

/** Whether the server answers by itself. */
export async function answers() {
  const options = { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) };
  // An answer that breaks off is none.
  const whole = request("/healthz", options).then((response) => response.text().then(() => response.ok));
  return whole.catch(() => false);
}

export function stay({ isUp = answers, keep = async () => false, refuse }) {
  const passed = new WeakSet();

  async function ask(element) {
    element.setAttribute(ASKING, "true");
    // A form ignores to be sent again until its first event is over.
    await new Promise((resolve) => setTimeout(resolve));
    try {
      return await isUp(element);
    } finally {
      element.removeAttribute(ASKING);
    }
  }

  addEventListener(
    "submit",
    async (event) => {
      const { target: form, submitter } = event;
      const isOnlyKept = form.hasAttribute("data-here");
      if ((form.getAttribute("method") === "dialog" && !isOnlyKept) || passed.has(form)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (form.hasAttribute(ASKING)) return;
      if (!isOnlyKept && (await ask(form))) {
        if (!form.isConnected) {
          // The part of the page that it stood in was replaced meanwhile; what was tapped is sent as it was read.
          form.hidden = true;
          document.body.append(form);
        }
        passed.add(form);
        form.requestSubmit(submitter);
        passed.delete(form);
      } else if (!(await keep(form))) refuse(submitter ?? form);
    },
    true,
  );

  addEventListener(
    "click",
    async (event) => {
      const link = event.target.closest?.("a[href]");
      if (!link || passed.has(link) || !leaves(link, event)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (!(await ask(link))) return refuse(link);
      passed.add(link);
      link.click();
      passed.delete(link);
    },
    true,
  );

  document.addEventListener("htmx:confirm", async (event) => {
    const { elt, triggeringEvent, issueRequest } = event.detail;
    // A form that is passed on has asked.
    if (!["click", "submit"].includes(triggeringEvent?.type) || passed.has(elt)) return;
    event.preventDefault();
    if (await ask(elt)) issueRequest(true);
    else refuse(elt);
  });
}

/** Whether a click on a link leads to another page of the site in this tab. A sheet is fetched into this page. */
function leaves(link, { button, ctrlKey, metaKey, shiftKey, altKey }) {
  if (button || ctrlKey || metaKey || shiftKey || altKey || link.target || link.hasAttribute("download")) return false;
  if (link.hasAttribute("data-sheet") && document.getElementById("sheet")) return false;
  return link.origin === location.origin && !link.getAttribute("href").startsWith("#");
}
