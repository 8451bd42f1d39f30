/**
 * The floor without a connection. What people in the room have done is kept in the outbox of this browser. Names, tables,
 * what follows from a result and who may play in a match are the server's, from the last data of the floor, which this
 * page has in its memory and on the device. Nothing is worked out here.
 */

import { fillIn } from "../../config/names.js";
import { boxesHere, getData, putData } from "../../config/kept_store.js";
import { adopt, hasLeft, openOutbox } from "../../config/outbox.js";
import { answers, stay } from "../../config/stay.js";
import { watch } from "../../config/stream.js";
import { prepareResult } from "../../matches/reporting/result.js";
import * as file from "./hand_over.js";

const PATIENCE = 4_000; // ms in which a server answers to which there is a line
const EVERY = 15_000; // ms between two readings of the floor's data
const AGAIN = 2_000; // ms between two questions for a line that is lost
const SENT_SHOWN = 5_000; // ms
const EXPLAINED = 4_000; // ms
const AFTER_EVENT = 12 * 3_600_000; // ms for which the floor's data stay on the device
const OVER = ["reported", "settled"];
const NUMBERS = ["winner", "points", "left", "right", "minutes"];

const root = document.getElementById("offline");
const words = root.dataset;
const { reader } = document.body.dataset;
const bar = root.querySelector(".offline-bar");
const sheet = document.getElementById("offline-sheet");
const list = document.getElementById("offline-list");
const note = document.getElementById("offline-note");

let floor = null; // the last data of the floor
let seenHere = null; // those that were the last as the open sheet was opened
let readAt = 0;
let waiting = 0;
let said = ""; // what the bar says for a moment
let forgetting = 0;
let asking = 0;
let wasUp = null;
let handed = null; // what a file hands over, until the reader sends it
const missed = new Set(); // matches for which the data were read at once
const others = []; // outboxes of other devices that the reader sends, and full ones of this one

const { topic, read: readAtServer, post, by } = words;
const options = { topic, reader, by, read: readAtServer, post };
const box = await openOutbox({ ...options, onRead: took });

// The floor's data.

function took(data) {
  const isNew = contentOf(floor) !== contentOf(data);
  floor = data;
  readAt = Date.now();
  if (isNew) document.dispatchEvent(new CustomEvent("floor:data"));
  const until = Math.max(Date.parse(words.ends) || 0, Date.now()) + AFTER_EVENT;
  putData(reader, words.topic, { ...data, now: data.kept.now, until }).catch(() => {});
}

const contentOf = (data) => JSON.stringify([data?.tables, data?.matches]);

async function read() {
  clearTimeout(waiting);
  waiting = 0;
  readAt = Date.now();
  await box.ask();
}

/** Read the data again, as the floor has changed: at once, and once, if it shows a match that they do not have. */
function readSoon() {
  const shown = [...document.querySelectorAll("a[data-sheet][href*='/floor/matches/']")].map(fixtureOf);
  const isNew = shown.some((fixture) => !matchOf(fixture) && !missed.has(fixture));
  if (isNew) shown.forEach((fixture) => missed.add(fixture));
  if (isNew) clearTimeout(waiting);
  if (isNew || !waiting) waiting = setTimeout(read, isNew ? 0 : Math.max(0, readAt + EVERY - Date.now()));
}

const matches = () => floor?.matches ?? [];
const fixtureOf = (link) => new URL(link.href).pathname.split("/").at(-2);
const matchOf = (fixture) => matches().find((match) => match.fixture === fixture);
const kept = () => box.unsent().filter((act) => act.action !== "undo" && !hasLeft(act, box.acts()));
const unsentOfOthers = () => others.flatMap((each) => each.unsent());
const keptOf = (fixture) => kept().filter((act) => act.fixture === fixture);
const resultOf = (fixture) => keptOf(fixture).findLast(({ action }) => action === "result");

const orList = new Intl.ListFormat(document.documentElement.lang, { type: "disjunction" });
const nameOf = ({ sides, possible }, side) => sides[side]?.name ?? orList.format(possible[side].map((row) => row.name));
const titleOf = (match) => `M${match.number} · ${nameOf(match, 0)} – ${nameOf(match, 1)}`;

function clock(at) {
  const format = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: words.timeZone };
  return new Date(at).toLocaleTimeString("en-GB", format);
}

// The line.

/** Whether the server answers. What can be kept does not wait for a line that is lost. */
async function isUp(element) {
  return !(box.line.up === false && element.matches("[data-keep]")) && askForLine();
}

async function askForLine() {
  const isAlive = await answers();
  box.heard(isAlive);
  return isAlive;
}

/** While the line is lost, ask for it every other second. */
async function askAgain() {
  if (box.line.up === false && !(await askForLine())) {
    asking = setTimeout(askAgain, AGAIN);
  } else {
    asking = 0;
    readSoon();
  }
}

// What a form says.

/** The acts of a form, none if it needs the server, such as a result of the director's own match. */
function actsOf(form) {
  const all = Object.fromEntries(new FormData(form));
  const { csrfmiddlewaretoken, fixture, after, reason, entry_0, entry_1, ...fields } = all;
  const action = form.dataset.keep;
  for (const name of NUMBERS) if (name in fields) fields[name] = Number(fields[name]);
  const data = form.closest("dialog") && seenHere ? seenHere : floor;
  if (!data) return [];
  // The server's clock is rounded up, so that nothing counts as unseen that was in the data.
  const act = { action, fields, seen: data.kept.seen, seen_at: Math.ceil(data.kept.now) };
  const who = form.closest("li")?.querySelector(".name")?.textContent.trim();
  const button = form.querySelector("button:not([type=button])").textContent.trim();
  if (action === "note") return [{ ...act, fixture: "", pair: [], label: fields.text }];
  if (action === "here" || action === "away") {
    const label = [who, button].filter(Boolean).join(" · ");
    if (action === "away") return [{ ...act, fixture: "", pair: [], label }];
    const players = fields.players.split(" ");
    return players.map((player) => ({ ...act, fixture: "", pair: [], fields: { players: [player] }, label }));
  }
  const match = data.matches.find((each) => each.fixture === fixture);
  if (!match || (action === "result" && (match.needs_reason || reason !== undefined))) return [];
  const chosen = [entry_0, entry_1].map((entry, side) => entry ?? match.sides[side]?.entry);
  if (!chosen[0] || !chosen[1] || chosen[0] === chosen[1]) return [];
  const table = form.elements.table?.selectedOptions[0].text;
  const more = { move: fillIn(words.table, { table }), start: button }[action];
  return [{ ...act, fixture, pair: chosen, saw: match.saw, label: labelOf(act, match, chosen, more) }];
}

function labelOf({ action, fields }, match, pair, more = "") {
  const names = pair.map((entry, side) => match.possible[side].find((row) => row.entry === entry) ?? match.sides[side]);
  const players = `${names[0].name} ${scoreOf(action, fields, match) || "–"} ${names[1].name}`;
  return [`M${match.number}`, players, more].filter(Boolean).join(" · ");
}

/** What an act from a file would do; its own words count only where this floor cannot tell. */
function wordsOf({ action, fixture, pair, fields, label, saw }) {
  if (action === "note") return String(fields.text);
  if (action === "undo") return fillIn(words.undo, { label });
  const match = pair.length && ["result", "score"].includes(action) ? matchOf(fixture) : null;
  const canPlay = (entry, side) => [match.sides[side], ...match.possible[side]].some((row) => row?.entry === entry);
  return match && pair.every(canPlay) ? labelOf({ action, fields }, { ...match, ...saw }, pair) : label || action;
}

/** The score that an act tells, in the order of the sides; empty for other acts. */
function scoreOf(action, { winner, points, left, right }, { length }) {
  if (action === "score") return `${left}–${right}`;
  if (action !== "result") return "";
  return winner === 0 ? `${length}–${points}` : `${points}–${length}`;
}

async function keep(form) {
  const acts = form.matches("[data-keep]") ? actsOf(form) : [];
  if (!acts.length) return false;
  try {
    // A score takes the place of one that has not left.
    const isEarlier = ({ action, state }) => action === "score" && state === "kept";
    if (acts[0].action === "score") for (const { n } of keptOf(acts[0].fixture).filter(isEarlier)) await box.strike(n);
    for (const act of acts) await box.keep(act);
  } catch {
    explain(form, "unkept");
    return true;
  }
  form.closest("dialog")?.close();
  form.reset();
  render();
  return true;
}

// What is shown.

function say(name, pause = 0) {
  said = name;
  clearTimeout(forgetting);
  if (pause) forgetting = setTimeout(() => say(""), pause);
  render();
}

/** Say why something was not done: in the dialog where it was, else in the bar. */
function explain(element, name) {
  const dialog = element.closest("dialog");
  if (!dialog) return say(name, EXPLAINED);
  const text = dialog.querySelector(".field-error") ?? made("p", "field-error", "");
  text.setAttribute("role", "alert");
  text.hidden = false;
  text.textContent = root.querySelector(`[data-say=${name}]`).textContent.trim();
  (element.closest("form") ?? dialog).append(text);
}

function fill(element, values) {
  element.textContent = fillIn(element.dataset.text, values);
}

function render() {
  const unsent = [...kept(), ...unsentOfOthers()];
  const notices = box.notices();
  const open = notices.filter(({ state }) => state === "open");
  const [overtaken] = notices.filter(({ state }) => state === "sent");
  const isLost = box.line.up === false;
  const boxes = [box, ...others];
  const isSending = boxes.some((each) => each.isSending);
  const stopped = boxes.find((each) => each.stopped && each.unsent().length)?.stopped;
  const shown = {
    needs: open[0]?.outcome === "differs" && { count: open.length, ...open[0] },
    refused: open[0]?.outcome === "refused" && { count: open.length, ...open[0] },
    lost: isLost && { time: clock(box.line.since) },
    kept: unsent.length > 0 && !isSending && !stopped && { count: unsent.length },
    sending: unsent.length > 0 && isSending && { count: unsent.length },
    ...(stopped && { [stopped]: { count: unsent.length, by: words.by } }),
    overtaken,
    restored: box.restored && { count: box.restored },
    [said]: said && {},
  };
  for (const line of root.querySelectorAll("[data-say]")) {
    const values = shown[line.dataset.say];
    line.hidden = !values;
    const parts = [line, ...line.children].filter((part) => part.matches("[data-text]"));
    if (values) for (const part of parts) fill(part, values);
  }
  bar.hidden = !Object.values(shown).some(Boolean);
  root.querySelector("[data-do=list]").hidden = !unsent.length && !notices.length;
  document.documentElement.classList.toggle("has-no-line", isLost);
  renderForms(isLost);
  renderCards();
  renderMatches(isLost);
  if (list.open) renderList();
}

/** Buttons of what cannot be kept say so while there is no line. */
function renderForms(isLost) {
  for (const form of document.querySelectorAll("form:not([data-keep], [method=dialog])")) {
    for (const button of form.querySelectorAll("button:not([type=button])")) {
      button.classList.toggle("needs-server", isLost);
      if (isLost) button.dataset.needsServer = words.needsServer;
    }
  }
}

function made(name, className, text) {
  return Object.assign(document.createElement(name), { className, textContent: text });
}

function summaryOf(fixture) {
  const act = keptOf(fixture).at(-1);
  if (!act) return "";
  const { action, fields, saw } = resultOf(fixture) ?? act;
  return `${scoreOf(action, fields, { ...matchOf(fixture), ...saw })} ${words.kept}`.trim();
}

function renderCards() {
  for (const mark of document.querySelectorAll(".floor-card .offline-kept")) {
    const card = mark.closest(".floor-card");
    card.setAttribute("aria-label", card.dataset.label);
    mark.remove();
  }
  for (const { public_id: id, fixture } of floor?.tables ?? []) {
    const card = document.getElementById(`table-${id}`);
    const text = card && fixture ? summaryOf(fixture) : "";
    if (!text) continue;
    card.dataset.label = card.getAttribute("aria-label");
    card.setAttribute("aria-label", `${card.dataset.label}, ${text}`);
    card.append(made("span", "offline-kept tag tag-warning", text));
  }
}

function renderMatches(isLost) {
  const part = document.getElementById("offline-matches");
  if (!part) return;
  part.hidden = !isLost || !floor;
  if (part.hidden) return;
  const atTables = new Set(floor.tables.map(({ fixture }) => fixture));
  const canBePlayed = ({ sides, possible }) => [0, 1].every((side) => sides[side] ?? possible[side]?.length);
  const isOpen = ({ fixture, state }) => !OVER.includes(state) && !atTables.has(fixture);
  const rows = matches().filter((match) => isOpen(match) && canBePlayed(match));
  part.querySelector("ul").replaceChildren(
    ...rows.map((match) => {
      const row = document.createElement("li");
      const button = made("button", "button-plain", titleOf(match));
      button.type = "button";
      button.dataset.match = match.fixture;
      row.append(button);
      const text = summaryOf(match.fixture);
      if (text) row.append(" ", made("span", "tag tag-warning", text));
      return row;
    }),
  );
  const last = kept().at(-1);
  const undo = part.querySelector("[data-do=undo]");
  undo.hidden = !last;
  if (last) undo.textContent = fillIn(words.undo, { label: last.label });
}

function rowOf({ n, at, label, text = "", state }) {
  const row = document.getElementById("offline-act").content.cloneNode(true).firstElementChild;
  const texts = { time: clock(at), label, text };
  for (const [name, value] of Object.entries(texts)) row.querySelector(`[data-part=${name}]`).textContent = value;
  for (const part of row.querySelectorAll("[data-state]")) part.hidden = part.dataset.state !== state;
  row.dataset.n = n;
  return row;
}

/** An act of somebody else, which is not to be undone here. */
function foreignRow(act) {
  const row = rowOf({ ...act, label: wordsOf(act), text: act.by });
  for (const button of row.querySelectorAll("button")) button.remove();
  return row;
}

function renderList() {
  const isListed = (act) => act.state !== "sent" && act.action !== "undo" && !hasLeft(act, box.acts());
  const acts = box.acts().filter((act) => isListed(act) || box.notices().includes(act));
  list.querySelector("ul").replaceChildren(...acts.map(rowOf), ...unsentOfOthers().map(foreignRow));
  list.querySelector("[data-do=handOver]").hidden = !acts.length;
  const part = list.querySelector("[data-handed]");
  part.hidden = !handed;
  if (!handed) return;
  const rows = handed.acts.filter(({ action }) => action !== "struck");
  part.querySelector("ul").replaceChildren(...rows.map(foreignRow));
  fill(part.querySelector("[data-text]"), { who: handed.who });
  fill(part.querySelector("[data-do=sendHanded]"), { count: rows.length });
}

// What another device hands over.

async function takeIn({ target: field }) {
  const [chosen] = field.files;
  if (!chosen) return;
  const found = await file.taken(chosen, words.event);
  field.value = "";
  const why = list.querySelector("[data-refused]");
  why.hidden = !found.refused;
  why.textContent = why.dataset[found.refused] ?? "";
  handed = found.refused ? null : found;
  renderList();
}

async function open({ box: taken, by: whose, carried }) {
  if (others.some(({ key }) => key === taken)) return;
  const other = await openOutbox({ ...options, by: whose, box: taken, carried });
  others.push(other);
  other.subscribe(hear);
  render();
}

async function sendHanded() {
  const { box: taken, who, acts } = handed;
  try {
    // What this device has kept itself is here already.
    if (taken !== box.key) await adopt({ ...options, box: taken, by: who, acts });
  } catch {
    return explain(list, "unkept");
  }
  handed = null;
  if (taken !== box.key) await open({ box: taken, by: who, carried: true });
  // An outbox may be open already, and have more acts now.
  for (const each of others) await each.changed();
  sendAll();
  list.close();
}

function sendAll() {
  for (const each of [box, ...others]) each.sendNow();
}

list.querySelector("[type=file]").addEventListener("change", takeIn);

// The sheet of a match.

function openSheet(match) {
  const part = document.getElementById("offline-match").content.cloneNode(true);
  const find = (selector) => part.querySelector(selector);
  const result = resultOf(match.fixture);
  find("[data-part=title]").textContent = titleOf(match);
  const length = find("[data-text]");
  fill(length, { length: match.length });
  const form = find("[data-result]");
  form.dataset.length = match.length;
  form.dataset.running = (match.score ?? [0, 0]).join(",");
  for (const field of part.querySelectorAll("[name=fixture]")) field.value = match.fixture;
  prepareSides(part, match);
  for (const set of part.querySelectorAll("[data-points]")) preparePoints(set, match);
  find("[data-part=then]").textContent = match.then;
  find("[data-part=kept]").hidden = !result;
  if (result) {
    find("[data-part=label]").textContent = result.label;
    find("[data-do=strike]").dataset.n = result.n;
  }
  const isKnown = Boolean(match.sides[0] && match.sides[1]);
  form.hidden = Boolean(result) || match.needs_reason;
  find("[data-part='needs-server']").hidden = Boolean(result) || !match.needs_reason;
  find("[data-keep=start]").hidden = Boolean(result) || !isKnown || match.state !== "called";
  find("[data-part=score]").hidden = Boolean(result) || !isKnown;
  const tables = floor.tables.filter(({ state, fixture }) => ["free", "kept"].includes(state) || resultOf(fixture));
  find("[data-keep=move] select").append(...tables.map(({ public_id: id, label }) => new Option(label, id)));
  find("[data-keep=move]").hidden = Boolean(result) || !isKnown || !tables.length;
  sheet.replaceChildren(part);
  prepareResult(sheet);
  seenHere = floor;
  if (!sheet.open) sheet.showModal();
}

/** Who plays: the two that are known, or lists of those who still can. */
function prepareSides(part, match) {
  const played = part.querySelector(".offline-played");
  const chips = part.querySelectorAll("[name=winner]");
  played.hidden = Boolean(match.sides[0] && match.sides[1]);
  for (const side of [0, 1]) {
    const name = (text) => {
      chips[side].dataset.name = text;
      chips[side].nextElementSibling.textContent = text;
    };
    name(nameOf(match, side));
    part.querySelectorAll("[data-part=score] legend")[side].textContent = nameOf(match, side);
    const field = played.querySelector(`[name=entry_${side}]`);
    if (match.sides[side]) {
      field.closest("label").remove();
      continue;
    }
    field.append(...match.possible[side].map((row) => new Option(row.name, row.entry)));
    chips[side].disabled = true;
    field.addEventListener("change", () => {
      chips[side].disabled = !field.value;
      name(field.value ? field.selectedOptions[0].text : nameOf(match, side));
    });
  }
}

function preparePoints(set, { length, score }) {
  const name = set.dataset.points;
  const known = { left: score?.[0] ?? 0, right: score?.[1] ?? 0 }[name];
  for (let points = 0; points < length; points += 1) {
    const chip = document.getElementById("offline-points").content.cloneNode(true);
    const field = chip.querySelector("input");
    Object.assign(field, { name, value: points, checked: points === known });
    chip.querySelector("span").textContent = points;
    set.append(chip);
  }
}

// What the reader does.

const DO = {
  list() {
    list.showModal();
    renderList();
  },
  send: sendAll,
  async handOver() {
    const acts = await box.handOver();
    file.save({ box: box.key, event: words.event, reader, who: by, acts }, clock(Date.now()).replace(/\D/g, ""));
  },
  choose: () => list.querySelector("[type=file]").click(),
  sendHanded,
  note: () => note.showModal(),
  close: (button) => button.closest("dialog").close(),
  undo: () => undo(kept().at(-1)?.n),
  dismiss: (button) => box.dismiss(Number(button.closest("[data-n]").dataset.n)),
  strike: (button) => undo(Number(button.closest("[data-n]").dataset.n)),
};

async function undo(n) {
  await box.strike(n, { seen: floor?.kept.seen, seen_at: Math.ceil(floor?.kept.now ?? 0) });
  sheet.close();
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-do], [data-match]");
  if (target.closest("#offline [data-part=known]")) box.dismiss(0);
  if (target === sheet || target === list || target === note) target.close();
  else if (button?.dataset.match) openSheet(matchOf(button.dataset.match));
  else if (button) DO[button.dataset.do]?.(button);
});

const refuse = (element) => explain(element, "needs_server");

/** The sheet of a match is fetched; without a line it is made from the floor's data. */
function openInstead(link) {
  const match = matchOf(fixtureOf(link));
  if (match && !OVER.includes(match.state)) openSheet(match);
  else refuse(link);
}

addEventListener(
  "click",
  (event) => {
    const link = event.target.closest?.("a[data-sheet]");
    if (!link || box.line.up !== false) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    openInstead(link);
  },
  true,
);
document.addEventListener("sheet:unreachable", async (event) => {
  event.preventDefault();
  await askForLine();
  openInstead(event.target);
});
document.addEventListener("sheet:opened", () => {
  seenHere = floor;
  render();
});

stay({ isUp, keep, refuse });

// What the page hears.

function hear({ arrived }) {
  if (arrived.length && !box.unsent().length && !unsentOfOthers().length) say("sent", SENT_SHOWN);
  else render();
}

box.subscribe((change) => {
  hear(change);
  if (box.line.up && wasUp === false) for (const each of others) each.sendNow();
  wasUp = box.line.up;
  // An answer that took too long is no lost line as long as the server says that it is there.
  if (box.line.up === false && !asking) asking = setTimeout(askAgain, 0);
});

document.addEventListener("htmx:beforeSend", ({ detail }) => {
  setTimeout(() => detail.xhr.readyState < XMLHttpRequest.DONE && askForLine(), PATIENCE);
});
document.addEventListener("htmx:sendError", askForLine);
document.addEventListener("line:unreachable", askForLine);
document.addEventListener("htmx:afterSettle", () => {
  readSoon();
  render();
});
addEventListener("offline", askForLine);
addEventListener("online", askForLine);
addEventListener("beforeunload", (event) => {
  if (box.line.up === false && (box.unsent().length || unsentOfOthers().length)) event.preventDefault();
});

const topics = document.getElementById("floor")?.dataset.topics ?? "";
watch(topics.split(" ").map((pair) => pair.slice(0, pair.lastIndexOf("="))), {
  state: (open) => open || askForLine(),
});

const last = await getData(reader, words.topic).catch(() => null);
if (last?.kept && last.until > Date.now()) floor ??= last;
const isOther = (row) => row.box && row.topic === topic && row.reader === reader;
for (const row of (await boxesHere().catch(() => [])).filter(isOther)) await open(row);
render();
read();
