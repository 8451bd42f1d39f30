/**
 * Typed lines are sent one after another, each with the newest fact that the floor showed when it was typed.
 *
 * Nothing typed disappears: a line stands below the field until its answer is there. What was not entered returns to the
 * field, or stays below it if something else was typed meanwhile. Only this page keeps it: at another time, a line about
 * a table would be about another match.
 */

import { ask } from "../../config/ours.js";
import { whileActing } from "../../config/polling.js";

const PATIENCE = 10_000; // ms
const FAILED = 500;
const MATCHES = /\bm\s?(\d+)/gi;

const list = document.getElementById("line-queue");
const form = document.querySelector(".quick");
const field = document.getElementById("line");
const queue = [];
let isSending = false;
/** What stands in the field and may have arrived. */
let unsure = null;

const matchesIn = (text) => [...text.matchAll(MATCHES)].map(([, number]) => number);
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join("-");
const shown = () => document.getElementById("floor-versions")?.dataset.fact ?? "";

class Line {
  constructor(text, { seen = shown(), key = newKey() } = {}) {
    Object.assign(this, { text, seen, key });
    this.item = document.getElementById("line-sent").content.cloneNode(true).firstElementChild;
    this.item.querySelector("code").textContent = text;
    this.item.line = this;
    list.append(this.item);
    this.show("sending");
  }

  /** Wait for its turn again: what may have arrived as the same request, else from what the floor shows now. */
  again() {
    if (this.state !== "unsent") Object.assign(this, { seen: shown(), key: newKey() });
    this.show("sending");
  }

  /** Show that it is `sending`, or why it waits for a tap: `refused`, `held` behind a refused one, or `unsent`. */
  show(state, reason = "") {
    this.state = state;
    this.item.dataset.state = state;
    this.item.querySelector("[data-part=reason]").textContent = reason;
  }

  /** Whether it may be about another match than its author thought, now that this one was refused. */
  dependsOn(refused) {
    const matches = matchesIn(this.text);
    return matches.length ? matches.some((number) => matchesIn(refused).includes(number)) : /^t/i.test(this.text);
  }

  remove() {
    queue.splice(queue.indexOf(this), 1);
    this.item.remove();
  }
}

async function sendAll() {
  if (isSending) return;
  isSending = true;
  for (let line; (line = queue.find(({ state }) => state === "sending")); ) await whileActing(send(line));
  isSending = false;
}

async function send(line) {
  const body = new FormData(form);
  body.set("line", line.text);
  body.set("seen", line.seen);
  // The same line may be meant twice; with the same key it is the same request.
  body.set("key", line.key);
  const request = { method: "POST", body, headers: { "HX-Request": "true" }, signal: AbortSignal.timeout(PATIENCE) };
  const response = await ask(form.action, request).catch(() => null);
  const answer = response?.ok && !response.redirected ? await response.text().catch(() => null) : null;
  if (answer !== null) settle(line, new DOMParser().parseFromString(answer, "text/html").getElementById("line-said"));
  else if (!response || response.ok || response.status >= FAILED) giveBack(line, line.text, "unsent");
  else leave();
}

/** Show what became of a line, or of a list of them. */
function settle(line, said) {
  const refused = [...said.querySelectorAll("[data-line]")];
  // A list that was not read at all has no outcomes.
  const text = said.querySelector(".line-outcomes") ? refused.map((item) => item.dataset.line).join("\n") : line.text;
  const [first = said] = refused;
  const reason = (first.querySelector("[data-part=sentence]") ?? first).textContent.trim();
  if (!canReturn(line)) for (const item of refused) item.remove();
  document.getElementById("line-said").replaceChildren(...said.childNodes);
  if (text) {
    giveBack(line, text, "refused", reason);
    for (const later of queue) if (later !== line && later.state === "sending" && later.dependsOn(text)) later.show("held");
  } else line.remove();
  if (document.querySelector("#line-said .line-done")) window.htmx.trigger("#floor", "topics");
}

const canReturn = (line) => !field.value && queue.length === 1 && queue[0] === line;

function giveBack(line, text, state, reason) {
  if (canReturn(line)) {
    line.remove();
    unsure = state === "unsent" ? line : null;
    field.value = text;
    field.focus();
  } else {
    line.text = text;
    line.show(state, reason);
  }
  if (state === "unsent") document.dispatchEvent(new Event("line:unreachable"));
}

/** What is no answer to a line, such as a page about signing in, is shown as a page, with all that is unsent. */
function leave() {
  field.value = [...queue.map(({ text }) => text), field.value].filter(Boolean).join("\n");
  queue.length = 0;
  form.submit();
}

// Before the form asks for the line by itself: `stay.js` lets nobody send another form meanwhile.
addEventListener(
  "submit",
  (event) => {
    if (event.target !== form) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const text = field.value.trim();
    if (!text) return;
    field.value = "";
    document.getElementById("line-preview").replaceChildren();
    queue.push(new Line(text, unsure?.text === text ? unsure : {}));
    unsure = null;
    sendAll();
  },
  true,
);

list?.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-line-do]");
  if (!button) return;
  const { line } = button.closest("li");
  if (button.dataset.lineDo === "send") {
    line.again();
    sendAll();
  } else {
    line.remove();
    unsure = line.state === "unsent" ? line : null;
    field.value = [line.text, field.value].filter(Boolean).join("\n");
    field.focus();
  }
});

addEventListener("beforeunload", (event) => {
  if (queue.length) event.preventDefault();
});
