/**
 * Keeps the snapshot of an event on the director's device, and shows, prints or saves it when the server cannot be
 * reached. It is read again whenever a floor that is open in the page has changed, else every ten minutes. One snapshot an
 * event; those older than two days are removed. Without a line the page is not left, since only it can show the snapshot,
 * and what was typed would be lost.
 */

import { ask } from "../../config/ours.js";
import { answers, stay } from "../../config/stay.js";

const EVERY = 10 * 60_000; // ms
const PATIENCE = 20_000;
const KEPT_FOR = 2 * 24 * 3_600_000;

const part = document.getElementById("keep-snapshot");
const { url, event } = part.dataset;
const text = part.querySelector("[data-text]");
const showButton = part.querySelector("[data-show]");
const download = part.querySelector("[data-download]");
let kept = null;

const opened = new Promise((resolve, reject) => {
  const request = indexedDB.open("barpoint-snapshots", 1);
  request.onupgradeneeded = () => request.result.createObjectStore("snapshots", { keyPath: "event" });
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/** The result of a request to the store of snapshots. */
async function inStore(mode, act) {
  const store = (await opened).transaction("snapshots", mode).objectStore("snapshots");
  return new Promise((resolve, reject) => {
    const request = act(store);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function read() {
  const signal = AbortSignal.timeout(PATIENCE);
  const answer = await ask(url, { cache: "no-store", signal });
  if (!answer.ok || answer.redirected) throw new Error(`status ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const sheets = page.querySelector(".sheets-of-paper");
  if (!sheets) throw new Error("not a snapshot");
  const styles = [...page.querySelectorAll('link[rel="stylesheet"]')].map((link) => link.getAttribute("href"));
  const css = await Promise.all(styles.map((style) => withItsFiles(style, signal)));
  return { event, at: Date.now(), title: page.title, body: page.body.className, html: sheets.outerHTML, css: css.join("\n") };
}

/** The text of a style sheet, in which the files that it names are data: without a network there is nothing else. */
async function withItsFiles(style, signal) {
  const answer = await ask(style, { signal });
  const parts = (await answer.text()).split(/(?<=url\(")([^"]+)/);
  return (await Promise.all(parts.map((part, at) => (at % 2 ? asData(new URL(part, answer.url), signal) : part)))).join("");
}

async function asData(url, signal) {
  const file = await (await ask(url, { signal })).blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}

async function keep() {
  let failed = false;
  try {
    kept = await read();
    await inStore("readwrite", (store) => store.put(kept));
  } catch {
    failed = true;
  }
  say(failed);
}

/** A time as the event's clocks show it, like all times of the floor. */
function clock(at) {
  const format = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  const { lang } = document.documentElement;
  try {
    return new Date(at).toLocaleTimeString("en-GB", { ...format, timeZone: part.dataset.timeZone });
  } catch {
    // An old browser may not know the zone.
    return new Date(at).toLocaleTimeString(lang, { ...format, timeZoneName: "short" });
  }
}

function say(failed) {
  if (!kept) return;
  const time = clock(kept.at);
  text.textContent = (failed ? part.dataset.failed : part.dataset.kept).replace("{time}", time);
  showButton.hidden = false;
  download.hidden = false;
}

/** Put the sheets in the place of the page. Loading it again leads back; without a network, so do the parts it had. */
function show() {
  const main = document.getElementById("main");
  const { body } = document;
  const before = {
    style: document.adoptedStyleSheets,
    className: body.className,
    inMain: [...main.childNodes],
    inBody: [...body.childNodes],
  };
  const back = async () => {
    if (await answers()) return location.reload();
    document.adoptedStyleSheets = before.style;
    body.className = before.className;
    main.replaceChildren(...before.inMain);
    body.replaceChildren(...before.inBody);
  };
  const style = new CSSStyleSheet();
  style.replaceSync(kept.css);
  document.adoptedStyleSheets = [style];
  body.className = kept.body;
  const sheets = new DOMParser().parseFromString(kept.html, "text/html").body.firstElementChild;
  const bar = document.createElement("p");
  bar.className = "row paper-bar no-print";
  for (const [label, act] of [
    [part.dataset.print, () => print()],
    [part.dataset.back, back],
  ]) {
    const button = document.createElement("button");
    button.className = "button";
    button.textContent = label;
    button.addEventListener("click", act);
    bar.append(button);
  }
  main.replaceChildren(bar, sheets);
  body.replaceChildren(main);
}

/** A page that needs nothing but itself. */
function asFile() {
  const parts = ['<!doctype html><meta charset="utf-8"><title>', kept.title, "</title><style>", kept.css, "</style>"];
  const file = new Blob([...parts, `<body class="${kept.body}">`, kept.html], { type: "text/html" });
  URL.revokeObjectURL(download.href);
  download.href = URL.createObjectURL(file);
  download.download = part.dataset.file;
}

async function begin() {
  kept = (await inStore("readonly", (store) => store.get(event))) ?? null;
  for (const old of await inStore("readonly", (store) => store.getAll())) {
    if (Date.now() - old.at > KEPT_FOR) await inStore("readwrite", (store) => store.delete(old.event));
  }
  say(false);
  if (!kept || Date.now() - kept.at > EVERY) await keep();
  setInterval(keep, EVERY);
}

/** Say that nothing was sent. */
function refuse() {
  say(true);
  let notice = document.getElementById("not-sent");
  if (!notice) {
    notice = document.createElement("p");
    notice.id = "not-sent";
    notice.className = "message message-warning";
    notice.setAttribute("role", "alert");
    document.getElementById("main").prepend(notice);
  }
  notice.textContent = part.dataset.stays;
  notice.scrollIntoView({ block: "nearest" });
}

// The floor has an answer of its own to a lost line.
if (!document.getElementById("offline")) stay({ refuse });
addEventListener("online", () => document.getElementById("not-sent")?.remove());

showButton.addEventListener("click", show);
download.addEventListener("click", asFile);
addEventListener("offline", () => say(true));
addEventListener("online", keep);
document.addEventListener("floor:data", keep);
begin();
