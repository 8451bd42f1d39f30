/**
 * What a player does on the page of a match is kept on this device if there is no line, and sent as soon as there is one.
 * A form that may be kept says by `data-keep` which action it is.
 */

import { openOutbox } from "../../config/outbox.js";
import { fillIn } from "../../config/names.js";
import { answers, stay } from "../../config/stay.js";
import { watch } from "../../config/stream.js";
import { forget } from "../play/kept.js";

const LOOK = 3_000; // ms after which a page that can be seen looks again whether the line is back
const REPLACED = ["claim", "running-score"]; // actions of which the newest counts
const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

let panel = null;
let about = {};
let seen = {};
let box = null;
let unkept = null; // what this browser could not keep
let isRefused = false; // whether something was tapped that needs the server
let stopWatching = null;

/** Open the outbox of the match that the page shows; a part of the page may have been replaced. */
async function open() {
  const next = document.querySelector("[data-outbox]");
  if (next === panel) return;
  box?.close();
  stopWatching?.();
  panel = next;
  if (!panel) return;
  about = panel.dataset;
  seen = { seen: Number(about.seen), seen_at: Number(about.seenAt), saw: JSON.parse(about.saw) };
  const { topic, reader, by, url, link } = about;
  const headers = link ? { "Match-Link": link } : {};
  box = await openOutbox({ topic, reader, by, read: url, post: url, headers });
  box.subscribe(changed);
  stopWatching = watch([topic], { state: (isOpen) => isOpen && box.heard(true) });
  panel.addEventListener("click", clicked);
  show();
}

function show() {
  const { restored } = box;
  const unsent = box.unsent();
  const notices = box.notices();
  const says = {
    offline: isRefused,
    unkept,
    [box.stopped || "kept"]: unsent.length,
    open: notices.some(({ state }) => state === "open"),
    restored,
  };
  const acts = [...(unkept ? [unkept] : []), ...unsent, ...notices];
  panel.hidden = !acts.length && !isRefused && !restored;
  for (const text of panel.querySelectorAll("[data-say]")) {
    text.hidden = !says[text.dataset.say];
    const values = { by: about.by, count: String(restored || unsent.length) };
    for (const part of text.querySelectorAll("[data-text]")) part.textContent = fillIn(part.dataset.text, values);
  }
  panel.querySelector("[data-outbox-acts]").replaceChildren(...acts.map(row));
}

function row(act) {
  const item = panel.querySelector("template").content.cloneNode(true);
  const time = new Date(act.at).toLocaleTimeString("en-GB", CLOCK);
  item.querySelector("[data-outbox-label]").textContent = act.label;
  item.querySelector("[data-outbox-typed]").textContent = fillIn(about.typed, { time });
  item.querySelector("[data-outbox-text]").textContent = act.text ?? "";
  const may = { change: act.state === "kept" && act.action === "claim", strike: act.state === "kept" };
  const isKnown = box.notices().includes(act) || act === unkept;
  for (const button of item.querySelectorAll("button")) {
    const name = button.dataset.outboxDo;
    button.hidden = !(may[name] ?? isKnown);
    button.dataset.n = act.n ?? "";
  }
  return item;
}

/** What a form says, for its player and the director: who won how, or what its button says. */
function labelOf(form, { winner, points, score_0: left, score_1: right }) {
  const won = { 0: [about.length, points], 1: [points, about.length] };
  const score = won[winner] ?? [left, right];
  const says = form.dataset.keep === "claim" ? "" : form.querySelector("button").textContent.trim();
  const names = [about["name-0"], about["name-1"]];
  const result = names.join(score[0] === undefined ? " – " : ` ${score.join("–")} `);
  return [says, result].filter(Boolean).join(" · ");
}

/** Keep what a form says, and return whether it may be kept. */
async function keep(form) {
  if (!panel || !form.matches("[data-keep]")) return false;
  const { csrfmiddlewaretoken, after, ...fields } = Object.fromEntries(new FormData(form));
  const act = { action: form.dataset.keep, pair: about.pair.split(" "), fields, label: labelOf(form, fields), ...seen };
  // A report or score takes the place of one that has not left.
  const earlier = box.unsent().filter(({ action, state }) => action === act.action && state === "kept");
  try {
    if (REPLACED.includes(act.action)) for (const { n } of earlier) await box.strike(n);
    const n = await box.keep(act);
    // What the form says next is another act, even if the answer to this one gets lost.
    if (fields.key) form.elements.key.value = fields.key + n;
    unkept = null;
  } catch {
    unkept = { ...act, at: Date.now() };
  }
  isRefused = false;
  show();
  reveal();
  return true;
}

function reveal() {
  panel.focus();
  panel.scrollIntoView({ block: "start" });
}

async function clicked({ target }) {
  if (target.closest("[data-part=known]")) return box.dismiss(0);
  const { outboxDo: action, n } = target.closest("[data-outbox-do]")?.dataset ?? {};
  if (action === "change") document.querySelector("[data-keep='claim'] input:checked")?.focus();
  else if (action === "strike") await box.strike(Number(n), seen);
  else if (n) await box.dismiss(Number(n));
  else if (action) {
    unkept = null;
    show();
  }
}

function changed({ arrived }) {
  if (box.line.up) isRefused = false;
  show();
  const isTyping = document.activeElement?.matches("textarea, input:not([type='radio'])");
  // The page shows the match as it is now.
  if (arrived.length && !box.unsent().length && !isTyping) location.assign(about.here || location.pathname);
}

/** Whether an element may leave the page: a form that may be kept is kept as well if its reader is signed out. */
async function isUp(element) {
  await opened;
  if (!panel) return answers();
  if (!element.matches("[data-keep]")) {
    box.heard(await answers());
    return box.line.up;
  }
  const kept = box.line.up === false ? null : await box.ask();
  // The token of the page is an old one if somebody has signed in again.
  if (kept) element.elements.csrfmiddlewaretoken.value = kept.csrf;
  return kept !== null;
}

function refuse() {
  if (!panel) return;
  isRefused = true;
  show();
  reveal();
}

try {
  forget("local", "barpoint-reports"); // of an earlier version of this page
} catch {
  // Storage is off.
}

// Attempts to send become rare; this asks for next to nothing, and whoever waits sees their report go.
setInterval(async () => {
  const isWaiting = !document.hidden && box?.line.up === false && box.unsent().length;
  if (isWaiting && (await answers())) box.heard(true);
}, LOOK);
stay({ isUp, keep, refuse });
let opened = open();
document.addEventListener("htmx:load", () => (opened = opened.then(open)));
