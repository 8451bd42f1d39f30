/**
 * What this browser keeps of other pages, on any page: what its reader may send is sent, and the page says what became of
 * it and what waits for somebody else, whom it names only after a tap. What was kept by a personal link leaves from any
 * page opened by that link, which has its token. `waiting.js` loads this where something waits.
 */

import { fillIn } from "./names.js";
import { boxesHere } from "./kept_store.js";
import { ask } from "./ours.js";
import { openOutbox } from "./outbox.js";

const { reader = "", links = "{}" } = document.body.dataset;
// The pages of a match that its link opens have the token in their address; it begins with the id of the match.
const [, token = "", id] = /^\/m\/(([^./]+)[^/]*)/.exec(location.pathname) ?? [];
const tokens = { [`match:${id} ${reader}`]: token, ...JSON.parse(links) }; // by topic and reader
const part = (name) => strip.querySelector(`[data-part=${name}]`);
const isShownHere = ({ topic }) => document.querySelector(`[data-outbox][data-topic="${topic}"]`);
const tokenOf = ({ topic, reader: whose }) => tokens[`${topic} ${whose}`];
const isByLink = (row) => row.reader.startsWith("link");
const sumOf = (rows) => rows.reduce((sum, { count }) => sum + count, 0);

const rows = (await boxesHere()).filter((row) => !isShownHere(row));
const own = rows.filter((row) => (isByLink(row) ? tokenOf(row) : row.reader === reader));
const others = rows.filter((row) => row.count && !own.includes(row));
const boxes = await Promise.all(own.map(open));
const hadUnsent = sumOf(own) > 0;
const strip = rows.length ? await words() : null;
let isNamed = false; // whether the reader has asked whose the others are

/** The element that says it, which few pages need, in the reader's language; null if there is no line any more. */
async function words() {
  const response = await ask("/offline/").catch(() => null);
  if (!response) return null;
  const text = await response.text();
  const page = new DOMParser().parseFromString(text, "text/html");
  const element = document.importNode(page.getElementById("kept-here").content.firstElementChild, true);
  for (const link of element.querySelectorAll("a")) link.search = new URLSearchParams({ next: location.pathname });
  return element;
}

function open(row) {
  const headers = isByLink(row) ? { "Match-Link": tokenOf(row) } : {};
  return openOutbox({ ...row, headers });
}

function fill(element, values) {
  for (const text of [element, ...element.querySelectorAll("[data-text]")]) {
    if (text.dataset.text) text.textContent = fillIn(text.dataset.text, values);
  }
}

function show() {
  const unsent = boxes.flatMap((box) => box.unsent());
  const notices = boxes.flatMap((box) => box.notices().map((act) => [box, act]));
  const stopped = boxes.find((box) => box.stopped && box.unsent().length)?.stopped;
  const byLink = sumOf(others.filter(isByLink));
  const ofOthers = sumOf(others) - byLink;
  const restored = boxes.reduce((sum, box) => sum + box.restored, 0);
  const shown = {
    [stopped || "kept"]: unsent.length && { count: unsent.length, by: unsent[0].by },
    sent: hadUnsent && !unsent.length && !notices.length && {},
    restored: restored && { count: restored },
    link: byLink && { count: byLink },
    others: ofOthers && { count: ofOthers },
  };
  for (const line of strip.querySelectorAll("[data-say]")) {
    const values = shown[line.dataset.say];
    line.hidden = !values;
    if (values) fill(line, values);
  }
  part("whose").hidden = isNamed;
  part("notices").replaceChildren(...notices.map(rowOf));
  strip.hidden = !notices.length && !Object.values(shown).some(Boolean);
}

function rowOf([box, act]) {
  const row = strip.querySelector("template").content.firstElementChild.cloneNode(true);
  fill(row, { label: act.label, text: act.text ?? "" });
  row.querySelector("button").onclick = () => box.dismiss(act.n);
  return row;
}

function name() {
  isNamed = true;
  for (const whose of new Set(others.filter((row) => !isByLink(row)).map((row) => row.reader))) {
    const theirs = others.filter((row) => row.reader === whose);
    const link = part("sign-in").cloneNode(true);
    link.hidden = false;
    fill(link, { by: theirs[0].by, count: sumOf(theirs) });
    strip.append(link);
  }
  show();
}

if (strip) {
  part("whose").onclick = name;
  part("known").onclick = () => boxes.forEach((box) => box.dismiss(0));
  for (const box of boxes) box.subscribe(show);
  document.getElementById("main").prepend(strip);
  show();
}
