/**
 * The wall screen: shows its parts in turn, and reads the page again when something changes and every 20 seconds.
 *
 * Without a network the last content stays and is marked with its time. Each reading replaces the content as a whole, so
 * that nothing grows over hours. After a release the page takes its new styles and this script without being loaded
 * again: a navigation that fails would leave the error page of the browser on the wall.
 */

import { ask } from "../config/ours.js";
import { watch } from "../config/stream.js";

const EVERY = 20_000; // ms
const PATIENCE = 10_000;
const SOON = 300;
const TICK = 1_000;
const ASLEEP = 5 * TICK; // a tick that comes so late was kept by the machine's sleep
const PLACES = 3; // where the picture is shifted to, one a minute, so that nothing burns in
const TRIES = 3; // until a name fits: what stands beside it does not shrink with it
const MARGIN = 0.005; // for rounding
const STYLES = 'link[rel="stylesheet"]';

const time = document.getElementById("wall-time");
const stale = document.getElementById("wall-stale");
const asOf = document.getElementById("wall-as-of");
const script = scriptOf(document);
let wall = document.getElementById("wall");
let shown = 0;
let since = Date.now();
let ticked = Date.now();
let ahead = 0; // ms by which the server's clock is ahead of this machine's
let reading = false;
let again = false;
let soon = 0;
let watched = "";
let stop = () => {};
let isLocked = false;

function scriptOf(page) {
  return page.getElementById("wall-script")?.getAttribute("src");
}

function show(index) {
  const screens = wall.querySelectorAll(".wall-screen");
  const dots = wall.querySelectorAll(".wall-dots i");
  shown = screens.length ? index % screens.length : 0;
  screens.forEach((screen, place) => (screen.hidden = place !== shown));
  dots.forEach((dot, place) => dot.classList.toggle("is-shown", place === shown));
  fitNames();
}

function fitNames() {
  for (const name of wall.querySelectorAll(".wall-screen:not([hidden]) .wall-name")) fit(name);
}

/** Set a name in smaller print if it does not fit, or on two lines if it is too long for the smallest. */
function fit(name) {
  name.classList.remove("is-wrapped");
  name.style.setProperty("--fit", 1);
  for (let part = 1, tries = 0; tries < TRIES && share(name) < 1; tries += 1) {
    part *= share(name) - MARGIN;
    name.style.setProperty("--fit", part);
  }
  name.classList.toggle("is-wrapped", share(name) < 1);
}

/** The width that a name has, as a share of what it needs; `scrollWidth` would leave out fractions of a pixel. */
function share(name) {
  const text = document.createRange();
  text.selectNodeContents(name);
  const room = name.getBoundingClientRect().width - parseFloat(getComputedStyle(name).paddingInlineStart);
  return room / text.getBoundingClientRect().width;
}

async function read() {
  if (reading) {
    again = true;
    return;
  }
  reading = true;
  again = false;
  try {
    const answer = await ask(location.href, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    await replace(new DOMParser().parseFromString(await answer.text(), "text/html"));
    stale.hidden = true;
  } catch {
    asOf.textContent = wall.dataset.asOf;
    stale.hidden = false;
  } finally {
    reading = false;
    if (again) readSoon();
  }
}

function readSoon() {
  clearTimeout(soon);
  soon = setTimeout(read, SOON);
}

async function replace(page) {
  const fresh = page.getElementById("wall");
  if (!fresh) throw new Error("not the wall screen");
  await takeStyles(page);
  document.getElementById("wall-subtitle").textContent = page.getElementById("wall-subtitle").textContent;
  document.documentElement.lang = page.documentElement.lang;
  wall.replaceWith(fresh);
  wall = fresh;
  ahead = Number(wall.dataset.now) - Date.now();
  show(shown);
  if (scriptOf(page) !== script) await handOver(page);
  else follow();
}

/** Take the style sheets of a new release, once all of them are here. */
async function takeStyles(page) {
  const before = [...document.querySelectorAll(STYLES)];
  const urls = [...page.querySelectorAll(STYLES)].map((link) => link.getAttribute("href"));
  if (before.map((link) => link.getAttribute("href")).join() === urls.join()) return;
  const links = urls.map((url) => Object.assign(document.createElement("link"), { rel: "stylesheet", href: url }));
  const loaded = links.map(
    (link) => new Promise((resolve, reject) => Object.assign(link, { onload: resolve, onerror: reject })),
  );
  document.head.append(...links);
  try {
    await Promise.all(loaded);
  } catch (error) {
    for (const link of links) link.remove();
    throw error;
  }
  for (const link of before) link.remove();
}

/** Let the script of a new release go on with the page. Until it is here, this one does. */
async function handOver(page) {
  await import(new URL(scriptOf(page), location.href));
  document.getElementById("wall-script").setAttribute("src", scriptOf(page));
  stop();
  for (const timer of timers) clearInterval(timer);
  clearTimeout(soon);
  again = false;
  document.fonts.removeEventListener("loadingdone", fitNames);
  removeEventListener("online", readSoon);
  removeEventListener("offline", readSoon);
  document.removeEventListener("visibilitychange", wake);
}

/** Watch the topics of the page; they change when a division is added. */
function follow() {
  const numbers = wall.dataset.topics.split(" ").map((topic) => topic.split("="));
  const topics = numbers.map(([topic]) => topic);
  if (topics.join(" ") === watched) return;
  watched = topics.join(" ");
  stop();
  const first = new Map(numbers.map(([topic, number]) => [topic, Number(number)]));
  stop = watch(topics, {
    important: true,
    change: (topic, number) => number > (first.get(topic) ?? 0) && readSoon(),
    state: (open) => open && readSoon(),
  });
}

/** Keep the screen on, as far as the browser can; it lets go of that whenever the page is hidden. */
async function keepOn() {
  if (isLocked || document.hidden || !("wakeLock" in navigator)) return;
  isLocked = true;
  try {
    const lock = await navigator.wakeLock.request("screen");
    lock.addEventListener("release", () => (isLocked = false), { once: true });
  } catch {
    // A battery that is low, for example; tried again with the next minute.
    isLocked = false;
  }
}

function wake() {
  if (document.hidden) return;
  readSoon();
  keepOn();
}

function tick() {
  const options = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: time.dataset.zone };
  const at = Date.now();
  const now = new Date(at + ahead).toLocaleTimeString("en-GB", options);
  if (time.textContent !== now) {
    time.textContent = now;
    document.body.dataset.place = Math.floor((at + ahead) / 60_000) % PLACES;
    keepOn();
  }
  if (at - ticked > ASLEEP) wake();
  ticked = at;
  if (at - since >= wall.dataset.seconds * 1000) {
    since = at;
    show(shown + 1);
  }
}

if (document.body.hasAttribute("data-kept")) {
  // The service worker has shown what was read last.
  read();
} else {
  ahead = Number(wall.dataset.now) - Date.now();
}
show(0);
follow();
tick();
const timers = [setInterval(tick, TICK), setInterval(read, EVERY)];
// A name in another script loads a file of the typeface.
document.fonts.addEventListener("loadingdone", fitNames);
addEventListener("online", readSoon);
addEventListener("offline", readSoon);
document.addEventListener("visibilitychange", wake);
