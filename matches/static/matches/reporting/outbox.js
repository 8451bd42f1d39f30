/**
 * Reports that are typed without a connection. A report belongs to the match, the version and the idempotency key of the
 * page on which it was typed. It is kept in this browser, and sent as soon as there is a connection. Several tabs may do so
 * at once: the server stores a key once and answers all of them alike.
 */

import { keep, recall } from "../play/kept.js";

const KEPT = "barpoint-reports";
const PROBE = "/healthz";
const PATIENCE = 4_000; // ms in which a server with a connection answers
const AGAIN = 10_000; // ms between two attempts

const panel = document.querySelector("[data-outbox]");
const about = panel.dataset;
let typed = null; // the report that is shown but not kept yet
let waiting = 0;
let isSending = false;

const all = () => JSON.parse(recall("local", KEPT) ?? "[]");
const mine = () => all().find((report) => report.match === about.match && report.reader === about.reader);

/** Keep a report, in place of another that this reader has kept of the match. */
function store(report) {
  const others = all().filter(({ match, reader }) => match !== report.match || reader !== report.reader);
  keep("local", KEPT, JSON.stringify([...others, report]));
}

function remove({ key }) {
  keep("local", KEPT, JSON.stringify(all().filter((report) => report.key !== key)));
}

async function isConnected() {
  if (!navigator.onLine) return false;
  try {
    return (await fetch(PROBE, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) })).ok;
  } catch {
    return false;
  }
}

/** Show the panel with what became of a report, and only the buttons that apply. */
function show(report, state, ...buttons) {
  const points = [0, 1].map((side) => Number(report.fields[`score_${side}`]));
  const winner = points[0] > points[1] ? 0 : 1;
  panel.querySelector("[data-outbox-title]").textContent = about.wins
    .replace("{name}", about[`name-${winner}`])
    .replace("{score}", `${points[winner]}–${points[1 - winner]}`);
  for (const text of panel.querySelectorAll("[data-outbox-say]")) text.hidden = text.dataset.outboxSay !== state;
  for (const button of panel.querySelectorAll("[data-outbox-do]")) {
    button.hidden = !buttons.includes(button.dataset.outboxDo);
  }
  panel.hidden = false;
}

function showKept(report) {
  show(report, report.state ?? "kept", ...(report.state ? ["close"] : ["discard"]));
}

/** A form of a report is sent as usual if there is a connection. */
async function submitted(event) {
  event.preventDefault();
  const form = event.target;
  if (await isConnected()) return form.submit();
  const { csrfmiddlewaretoken, after, key, ...fields } = Object.fromEntries(new FormData(form));
  typed = {
    match: about.match,
    reader: about.reader,
    url: about.url,
    fields,
    after: after ?? about.after,
    key: key ?? about.key,
  };
  show(typed, "offline", "keep", "discard");
  panel.focus();
  panel.scrollIntoView({ block: "start" });
}

/** Send what this reader has kept, again and again until all of it has arrived. */
async function sendAll() {
  clearTimeout(waiting);
  if (isSending) return;
  isSending = true;
  const unsent = () => all().filter((report) => report.reader === about.reader && !report.state);
  try {
    for (const report of unsent()) await send(report);
  } finally {
    isSending = false;
  }
  if (unsent().length) waiting = setTimeout(sendAll, AGAIN);
}

async function send(report) {
  const body = new URLSearchParams({ ...report.fields, after: report.after, key: report.key, kept: "on" });
  const headers = { "X-CSRFToken": JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"] };
  let response;
  try {
    response = await fetch(report.url, { method: "POST", body, headers, signal: AbortSignal.timeout(3 * PATIENCE) });
  } catch {
    return;
  }
  const isHere = report.match === about.match;
  if (response.status >= 500 || [408, 429].includes(response.status)) return;
  if (new URL(response.url).pathname.startsWith("/sign-in/") || response.status === 403) {
    if (isHere) show(report, "signed-out", "discard");
    return;
  }
  const isKept = all().some(({ key }) => key === report.key);
  if (response.ok) remove(report);
  else if (isKept) store({ ...report, state: response.status === 409 ? "late" : "refused" });
  // The page shows the match as it is now.
  if (isHere) location.assign(about.here);
}

panel.addEventListener("click", ({ target }) => {
  const action = target.closest("[data-outbox-do]")?.dataset.outboxDo;
  if (action === "keep") {
    store(typed);
    if (mine()?.key !== typed.key) return show(typed, "unkept", "close");
    showKept(typed);
    sendAll();
  } else if (action) {
    const report = mine();
    if (report && !typed) remove(report);
    if (report && typed?.key === report.key) remove(report);
    typed = null;
    panel.hidden = true;
  }
});

document.addEventListener("submit", (event) => {
  if (event.target.matches("[data-report]")) submitted(event);
});
window.addEventListener("online", sendAll);

if (mine()) showKept(mine());
sendAll();
