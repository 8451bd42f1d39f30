/**
 * The wall screen: shows its parts in turn, and reads the page again when something changes and every 20 seconds.
 *
 * Without a network the last content stays and is marked with its time. After a release the page loads itself again.
 * Each reading replaces the content as a whole, so that nothing grows over hours.
 */

import { watch } from "../config/stream.js";

const EVERY = 20_000; // ms
const PATIENCE = 10_000;
const SOON = 300;
const TICK = 1_000;

const time = document.getElementById("wall-time");
const stale = document.getElementById("wall-stale");
const asOf = document.getElementById("wall-as-of");
let wall = document.getElementById("wall");
let shown = 0;
let since = Date.now();
let reading = false;
let again = false;
let soon = 0;
let watched = "";
let stop = () => {};

function show(index) {
  const screens = wall.querySelectorAll(".wall-screen");
  const dots = wall.querySelectorAll(".wall-dots i");
  shown = screens.length ? index % screens.length : 0;
  screens.forEach((screen, place) => (screen.hidden = place !== shown));
  dots.forEach((dot, place) => dot.classList.toggle("is-shown", place === shown));
}

async function read() {
  if (reading) {
    again = true;
    return;
  }
  reading = true;
  again = false;
  try {
    const answer = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    replace(new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("wall"));
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

function replace(fresh) {
  if (!fresh) throw new Error("not the wall screen");
  if (fresh.dataset.release !== wall.dataset.release) {
    location.reload();
    return;
  }
  wall.replaceWith(fresh);
  wall = fresh;
  show(shown);
  follow();
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

function tick() {
  const options = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: time.dataset.zone };
  const now = new Date().toLocaleTimeString(document.documentElement.lang, options);
  if (time.textContent !== now) time.textContent = now;
  if (Date.now() - since >= wall.dataset.seconds * 1000) {
    since = Date.now();
    show(shown + 1);
  }
}

show(0);
follow();
tick();
setInterval(tick, TICK);
setInterval(read, EVERY);
addEventListener("online", readSoon);
addEventListener("offline", readSoon);
