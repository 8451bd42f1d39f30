// Parts of a page that refresh themselves (hx-trigger="every …", or "topics") do not disturb what somebody is doing there:
// a form in use is never replaced, what is open stays open, and the focus and the scrolling stay where they are.
//
// A part with data-topics is refreshed when one of these topics of the event stream changes: "topic=number topic=number",
// with the numbers that it shows. Without a stream it is refreshed every data-every seconds. An element with data-shown in
// the part raises these numbers: what the reader has just done there has been answered, and is not asked for again. One
// with data-due says in how many milliseconds the part changes although nothing happens, as when a deadline passes; the
// part is refreshed then.

import { isOurs } from "./ours.js";
import { watch } from "./stream.js";

const FIELDS = "input, textarea, select, [contenteditable]";
const KEPT_OPEN = "details";

const SLOW = 60_000; // ms between refreshes while the stream is open: not every change of a part has a topic
const AGAIN = 5_000; // ms after which a part is tried again that was in use
const PAUSE = 1_500; // ms between two refreshes of a part
const ACTING = 300; // ms after which a part is tried again while what the reader does is under way
const AFTER_DUE = 250; // ms after which an answer has a change that was due
const MAX_TIMER = 2 ** 31; // ms
const SPREAD = 400; // ms over which the pages of many readers spread their requests

const LEAVING = 10_000; // ms for which a page that has sent a form waits for the answer

const polls = (element) => /every |topics/.test(element?.getAttribute?.("hx-trigger") ?? "");

// Refreshing a page that has just sent a form could cut off the answer that is about to replace it.
let sentAt = -Infinity;
const isLeaving = () => Date.now() - sentAt < LEAVING;

document.addEventListener("submit", (event) => {
  if (!event.defaultPrevented) sentAt = Date.now();
});
window.addEventListener("pageshow", () => {
  sentAt = -Infinity;
});

// A form is in use while one of its fields has the focus or a value that differs from the initial one.
function isInUse(root) {
  const dialog = document.querySelector("dialog[open]");
  if (dialog && !dialog.contains(root)) return true;
  const focused = document.activeElement;
  if (root.contains(focused) && focused.matches(FIELDS)) return true;
  return [...root.querySelectorAll(FIELDS)].some(isChanged);
}

function isChanged(field) {
  if (field.type === "hidden") return false;
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field.tagName !== "SELECT") return field.value !== field.defaultValue;
  const chosen = [...field.options];
  if (!chosen.some((option) => option.defaultSelected)) return field.selectedIndex > 0;
  return chosen.some((option) => option.selected !== option.defaultSelected);
}

// Find an element in the next version of a part: by its id, or else by its tag, text and position among equal ones.
function nameOf(element) {
  if (element.id) return `#${element.id}`;
  // The text of a summary may change with the rest.
  if (element.tagName === "SUMMARY" && element.parentElement.id) return `#${element.parentElement.id} summary`;
  const label = element.querySelector("summary")?.textContent ?? element.textContent;
  const target = element.getAttribute("href") ?? element.getAttribute("name") ?? element.className;
  return `${element.tagName} ${target} ${label.trim().slice(0, 80)}`;
}

function numbered(root, selector) {
  const seen = new Map();
  return [...root.querySelectorAll(selector)].map((element) => {
    const name = nameOf(element);
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return [`${name} ${seen.get(name)}`, element];
  });
}

function find(root, selector, name) {
  return numbered(root, selector).find(([other]) => other === name)?.[1];
}

function stateOf(root) {
  const focused = root.contains(document.activeElement) ? document.activeElement : null;
  const named = focused ? numbered(root, focused.tagName).find(([, element]) => element === focused) : null;
  const details = new Map(numbered(root, KEPT_OPEN).map(([name, element]) => [name, element.open]));
  const scrolled = [...root.querySelectorAll("*")]
    .map((element, at) => [at, element.scrollLeft, element.scrollTop])
    .filter(([, left, top]) => left || top);
  return { focused: named && { tag: focused.tagName, name: named[0] }, details, scrolled };
}

function restore(root, { focused, details, scrolled }) {
  for (const [name, element] of numbered(root, KEPT_OPEN)) {
    if (details.has(name)) element.open = details.get(name);
  }
  const all = root.querySelectorAll("*");
  for (const [at, left, top] of scrolled) {
    if (all[at]) [all[at].scrollLeft, all[at].scrollTop] = [left, top];
  }
  if (focused) find(root, focused.tag, focused.name)?.focus({ preventScroll: true });
}

// A page whose address asks for a language has its parts in it, too.
const language = new URLSearchParams(location.search).get("lang");

document.addEventListener("htmx:configRequest", ({ detail }) => {
  if (!language || /[?&]lang=/.test(detail.path)) return;
  detail.path += `${detail.path.includes("?") ? "&" : "?"}${new URLSearchParams({ lang: language })}`;
});

const states = new Map();

document.addEventListener("htmx:beforeRequest", (event) => {
  if (polls(event.detail.elt) && (isLeaving() || isInUse(event.detail.elt))) event.preventDefault();
});

// What a portal or a proxy answers is not shown: there is no line.
document.addEventListener("htmx:beforeOnLoad", (event) => {
  const { elt, xhr } = event.detail;
  const isForeign = !isOurs({ status: xhr.status, headers: { has: (name) => xhr.getResponseHeader(name) } });
  if (isForeign || (polls(elt) && isLeaving())) event.preventDefault();
  if (isForeign) window.htmx.trigger(elt, "htmx:sendError");
});

// The answer may be older than what the reader is doing by now, and would undo it on the page.
document.addEventListener("htmx:beforeSwap", (event) => {
  const root = event.detail.requestConfig?.elt;
  if (!polls(root) || event.detail.target !== root) return;
  if (acting.size || isInUse(root)) {
    event.detail.shouldSwap = false;
    parts.get(root)?.askAgain();
  } else if (root.id) states.set(root.id, stateOf(root));
});

document.addEventListener("htmx:afterSettle", () => {
  for (const [id, state] of states) {
    const root = document.getElementById(id);
    if (root) restore(root, state);
  }
  states.clear();
});

const acting = new Set(); // requests by which the reader does something

document.addEventListener("htmx:beforeSend", ({ detail }) => {
  if (detail.requestConfig.verb !== "get") acting.add(detail.xhr);
  parts.get(detail.elt)?.noteRequest();
});
document.addEventListener("htmx:afterRequest", ({ detail }) => acting.delete(detail.xhr));

/** Return what a promise returns by which the reader does something; no part is refreshed before. */
export function whileActing(promise) {
  acting.add(promise);
  return promise.finally(() => acting.delete(promise));
}

const refreshedAt = new Map(); // by the id of a part, which outlives its element

class WatchedPart {
  #timer = 0;
  #dueTimer = 0;
  #dueSource = null; // the element that says when the part changes by itself
  #isDue = false;
  #isDropped = false; // The last answer was not shown.

  constructor(element) {
    const { topics, every, ticket } = element.dataset;
    this.element = element;
    this.shown = numbersOf(topics);
    this.newest = new Map(this.shown);
    this.every = 1000 * Number(every);
    this.pause = this.every;
    this.#wait(this.pause);
    const change = (topic, seq) => this.#changed(topic, seq);
    const state = (open) => {
      this.pause = open ? SLOW : this.every;
      if (!this.#isDue) this.#wait(this.pause);
    };
    const isWatched = this.shown.size > 0;
    this.raise();
    this.stop = isWatched ? watch(this.shown.keys(), { change, state, ticket: () => ticket }) : () => {};
  }

  leave() {
    this.stop();
    clearTimeout(this.#timer);
    clearTimeout(this.#dueTimer);
  }

  /** Take over the numbers that an answer says it shows. */
  raise() {
    this.#readDue();
    const shown = this.element.querySelector("[data-shown]")?.dataset.shown ?? "";
    for (const [topic, seq] of numbersOf(shown)) this.shown.set(topic, Math.max(seq, this.shown.get(topic) ?? 0));
    if (!this.#isDue || this.#isDropped || [...this.newest].some(([topic, seq]) => seq > this.shown.get(topic))) return;
    this.#isDue = false;
    this.#wait(this.pause);
  }

  /** Take note that a request for what the part shows is on its way. */
  noteRequest() {
    this.#isDue = this.#isDropped = false;
    for (const [topic, seq] of this.newest) this.shown.set(topic, Math.max(seq, this.shown.get(topic)));
    refreshedAt.set(this.element.id, Date.now());
    this.#wait(this.pause);
  }

  /** Refresh when the reader has finished, as the last answer was not shown. */
  askAgain() {
    this.#isDue = this.#isDropped = true;
    this.#wait(ACTING);
  }

  #readDue() {
    const source = this.element.querySelector("[data-due]");
    if (source === this.#dueSource) return;
    this.#dueSource = source;
    clearTimeout(this.#dueTimer);
    if (!source) return;
    // A longer wait than a timer can take is left to the refreshes in between.
    const elapsed = arrivedAt === null ? 0 : performance.now() - arrivedAt;
    const pause = Number(source.dataset.due) - elapsed + AFTER_DUE;
    if (pause < MAX_TIMER) this.#dueTimer = setTimeout(() => this.#wait(0), pause);
  }

  #changed(topic, seq) {
    if (seq <= Math.max(this.shown.get(topic), this.newest.get(topic))) return;
    this.newest.set(topic, seq);
    if (this.#isDue) return;
    this.#isDue = true;
    const last = refreshedAt.get(this.element.id) ?? 0;
    this.#wait(Math.max(0, last + PAUSE - Date.now()) + Math.random() * SPREAD);
  }

  #wait(pause) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#refresh(), pause);
  }

  #refresh() {
    if (acting.size) return this.#wait(ACTING);
    if (document.hidden || isLeaving() || isInUse(this.element)) return this.#wait(AGAIN);
    this.#wait(this.pause);
    window.htmx.trigger(this.element, "topics");
  }
}

/** Read "topic=number topic=number". */
function numbersOf(text) {
  return new Map([...text.matchAll(/(\S+)=(\d*)/g)].map(([, topic, number]) => [topic, Number(number)]));
}

const parts = new Map();
let arrivedAt = performance.getEntriesByType("navigation")[0]?.responseStart ?? null; // null once it is shown

function watchParts() {
  for (const [element, part] of parts) {
    if (element.isConnected) continue;
    part.leave();
    parts.delete(element);
  }
  for (const element of document.querySelectorAll("[data-topics]")) {
    if (!parts.has(element)) parts.set(element, new WatchedPart(element));
  }
}

watchParts();
arrivedAt = null;
document.addEventListener("htmx:afterSettle", watchParts);
// Settling may take a while; what an answer shows is known before its request counts as over.
document.addEventListener("htmx:oobAfterSwap", () => {
  for (const part of parts.values()) part.raise();
});
