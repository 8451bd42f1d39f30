/**
 * What this browser keeps of a reader, on every page of somebody who is signed in and where `waiting.js` finds that
 * another reader was here last. Data of somebody else is deleted, as after a session that was ended elsewhere; acts stay
 * for their owner.
 * Before a reader signs out, or deletes the account, everything of theirs goes; for acts that were not sent they are
 * asked.
 */

import { forget, keep, recall } from "../matches/play/kept.js";
import { fillIn } from "./names.js";

const READER = "reader"; // empty between two readers: then pages keep no data (`putData`)
const SNAPSHOTS = "barpoint-snapshots";
const NOT_WANTED = "barpoint-not-wanted"; // as in the service worker
const TYPED = "typed";
const NOT_TYPED = ["button", "fieldset", "file", "hidden", "image", "password", "reset", "submit"];
const PATIENCE = 20_000; // ms in which all acts should have gone

const reader = document.body.dataset.reader ?? "";
const account = reader.startsWith("link") ? "" : reader;
const question = document.getElementById("sign-out-question");

/** Resolves once nothing of another reader is here. */
export const ready = recall("local", READER) === account ? Promise.resolve() : welcome();

async function welcome() {
  try {
    const { keepOnlyDataOf } = await import("./kept_store.js");
    await Promise.all([keepOnlyDataOf(reader), emptySnapshots()]);
    keep("local", READER, account);
  } catch {
    // The browser stores nothing.
  }
}

/** Delete the snapshots on paper, where there are any. */
function emptySnapshots() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(SNAPSHOTS);
    request.onupgradeneeded = () => request.transaction.abort();
    request.onerror = () => resolve();
    request.onsuccess = () => {
      const db = request.result;
      const names = [...db.objectStoreNames];
      if (!names.length) return resolve();
      const transaction = db.transaction(names, "readwrite");
      for (const name of names) transaction.objectStore(name).clear();
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
      db.close();
    };
  });
}

async function leave(form) {
  keep("local", READER, "");
  forget("session", TYPED);
  try {
    const [{ keepOnlyDataOf }, { wipe }] = await Promise.all([import("./kept_store.js"), import("./outbox.js")]);
    await Promise.all([wipe(reader), keepOnlyDataOf(""), emptySnapshots()]);
  } catch {
    // The browser stores nothing, so nothing is left.
  }
  form.submit();
}

/** Ask what becomes of acts that were not sent, before a form ends the session. */
async function asked(form) {
  const { boxesHere } = await import("./kept_store.js").catch(() => ({ boxesHere: () => [] }));
  const all = await Promise.resolve(boxesHere()).catch(() => []);
  const boxes = all.filter((box) => box.reader === reader && box.count);
  if (!boxes.length) return leave(form);
  const count = boxes.reduce((sum, box) => sum + box.count, 0);
  for (const element of question.querySelectorAll("[data-text]")) {
    element.textContent = fillIn(element.dataset.text, { count: String(count) });
  }
  question.querySelector("#sign-out-failed").hidden = true;
  question.onclick = async ({ target }) => {
    if (target.matches("[data-cancel]")) question.close();
    if (target.matches("[data-delete]")) leave(form);
    if (target.matches("[data-send]")) {
      if (await sent(boxes)) leave(form);
      else question.querySelector("#sign-out-failed").hidden = false;
    }
  };
  question.showModal();
}

/** Send the acts of these outboxes. Returns whether the server has all of them. */
async function sent(boxes) {
  const { openOutbox } = await import("./outbox.js");
  const gone = boxes.map(async (row) => {
    const box = await openOutbox(row);
    const isGone = new Promise((resolve) => {
      const look = () => box.unsent().length || resolve(true);
      box.subscribe(() => (box.stopped ? resolve(false) : look()));
      setTimeout(resolve, PATIENCE, false);
      look();
    });
    box.sendNow();
    return isGone.finally(() => box.close());
  });
  return (await Promise.all(gone)).every(Boolean);
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-ends-session]")) return;
  event.preventDefault();
  asked(event.target);
});

// What was typed into a form that could not be sent: it is there when the reader goes back, since browsers do not keep
// pages that are not to be stored. Passwords and files are not noted.

const typedIn = (form) => [...form.elements].filter(({ name, type }) => name && !NOT_TYPED.includes(type));
const isTicked = ({ type }) => type === "checkbox" || type === "radio";

function noteTyped(form) {
  const values = typedIn(form).map((field) => (isTicked(field) ? field.checked : field.value));
  const place = [...document.forms].indexOf(form);
  keep("session", TYPED, JSON.stringify({ reader, href: location.href, place, values }));
}

function showTyped() {
  const typed = JSON.parse(recall("session", TYPED) ?? "{}");
  forget("session", TYPED);
  const type = performance.getEntriesByType("navigation")[0]?.type;
  if (typed.reader !== reader || typed.href !== location.href || !["back_forward", "reload"].includes(type)) return;
  const fields = typedIn(document.forms[typed.place] ?? { elements: [] });
  if (fields.length !== typed.values.length) return;
  fields.forEach((field, place) => (field[isTicked(field) ? "checked" : "value"] = typed.values[place]));
}

if (reader) {
  showTyped();
  document.addEventListener("submit", (event) => {
    // What scripts send themselves does not leave the page.
    setTimeout(() => event.defaultPrevented || noteTyped(event.target));
  });
}

// The choice in the preferences: whether this device keeps pages for when the network is gone.

async function offerChoice(choice) {
  if (!("caches" in window && "serviceWorker" in navigator)) return;
  const box = choice.querySelector("input");
  box.checked = !(await caches.has(NOT_WANTED));
  choice.hidden = false;
  box.addEventListener("change", async () => {
    if (box.checked) await caches.delete(NOT_WANTED);
    else await caches.open(NOT_WANTED);
    const registration = await navigator.serviceWorker.getRegistration("/");
    registration?.active?.postMessage({ keepsPages: box.checked });
  });
}

const choice = document.querySelector("[data-keeps-pages]");
if (choice) offerChoice(choice);
