/**
 * The page in place of any other while the server cannot be reached: what this device knows of its address, what it keeps
 * that was not sent, and links to what else is here. Nothing is computed: all texts are those of the server.
 */

import { everythingHere, isToSend } from "./kept_store.js";
import { fillIn } from "./names.js";
import { ask } from "./ours.js";

const EVERY = 10_000;
const OVER = ["settled", "reported"];

const part = (name) => document.querySelector(`[data-${name}]`);
const texts = part("texts").dataset;

const clock = (at) => new Date(at).toLocaleTimeString("en-GB", { timeStyle: "short" });

function element(name, text, properties = {}) {
  return Object.assign(document.createElement(name), { textContent: text, ...properties });
}

/** Show a part of the page with these items in its list. */
function show(name, items) {
  const section = part(name);
  section.querySelector("ul").replaceChildren(...items);
  section.hidden = items.length === 0;
}

function itemOf(text, small = "") {
  const item = element("li", "");
  item.append(element("span", text, { className: "name" }));
  if (small) item.append(" ", element("span", small, { className: "muted small" }));
  return item;
}

function linkTo(href, text) {
  const item = element("li", "");
  item.append(element("a", text, { href }));
  return item;
}

/** The matches of a floor that are not over, those at tables first. */
function floorItems({ matches = [] }) {
  const open = matches.filter(({ state, players }) => !OVER.includes(state) && players.every(Boolean));
  open.sort((one, other) => !one.table - !other.table);
  return open.map(({ table, players, score }) => {
    const at = table ? fillIn(texts.table, { table }) : "";
    return itemOf(players.join(" – "), [at, score ? score.join("–") : ""].filter(Boolean).join(" · "));
  });
}

async function lastWall() {
  if (!("caches" in window)) return "";
  const name = (await caches.keys()).find((each) => each.endsWith("-wall"));
  const [request] = name ? await (await caches.open(name)).keys() : [];
  return request ? new URL(request.url).pathname : "";
}

async function fill() {
  const { data, boxes } = await everythingHere();
  const pages = data.filter(({ topic }) => topic.startsWith("page:"));
  const pathOf = ({ topic }) => topic.slice("page:".length);
  const here = pages.find((row) => pathOf(row) === location.pathname);
  if (here) {
    const { title, topic, lines, at } = here.value;
    document.title = part("title").textContent = title;
    const floor = data.find((row) => row.topic === topic)?.value;
    const items = floor?.matches && !(floor.until < Date.now()) ? floorItems(floor) : lines.map((line) => itemOf(line));
    part("as-of").textContent = fillIn(part("as-of").dataset.text, { time: clock(floor?.now ?? at) });
    show("known", items);
    part("known").hidden = false;
  }
  const readers = new Set(data.map(({ reader }) => reader));
  const acts = boxes.filter(({ reader }) => readers.has(reader)).flatMap(({ acts: kept }) => kept.filter(isToSend));
  part("count").textContent = fillIn(part("count").dataset.text, { count: String(acts.length) });
  show("unsent-acts", acts.map(({ label, at }) => itemOf(label, clock(at))));
  const wall = await lastWall();
  const links = pages.filter((row) => row !== here).map((row) => linkTo(pathOf(row), row.value.title));
  if (wall && wall !== location.pathname) links.push(linkTo(wall, texts.wall));
  show("here", links);
}

function lookForServer() {
  ask("/healthz", { cache: "no-store" }).then(({ ok }) => ok && location.reload(), () => {});
}

function lookOften() {
  setInterval(lookForServer, EVERY);
  addEventListener("online", lookForServer);
}

const [again, back, look] = ["again", "back", "look"].map(part);
const { why } = document.body.dataset;
const { referrer } = document;
back.onclick = () => history.back();
again.onclick = () => location.reload();
if (why) part(why).hidden = false;
if (why === "awaited") {
  // The worker waits for the page.
  const { serviceWorker: worker } = navigator;
  worker.onmessage = ({ data: isHere }) => {
    if (isHere) again.textContent = again.dataset.arrived;
    else lookOften();
  };
  worker.controller.postMessage({ awaited: location.href });
} else if (why) back.hidden = false;
else lookOften();
if (why === "unknown") {
  // To load this page again would send the form again.
  again.hidden = true;
  look.hidden = !referrer.startsWith(`${location.origin}/`);
  look.href = referrer;
}
// Where the browser stores nothing, the page says only that there is no connection.
fill().catch(() => {});
