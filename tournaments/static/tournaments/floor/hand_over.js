/**
 * Acts of an outbox in a file, for a device that dies or stays in the cellar. Whoever takes them in is of the staff of the
 * event and sends them by a tap. A file may come from anybody: what is not one of ours is refused, with nothing of it used.
 */

import { onWire } from "../../config/outbox.js";

const VERSION = 1;
const MOST_BYTES = 4 * 1024 * 1024; // a full outbox has a tenth of it
const MOST_TEXT = 200; // characters, of a note
const BOX = /^[2-9a-z]{22}$/;
const ACTIONS = ["start", "move", "score", "result", "here", "away", "note", "undo", "struck"];
const NUMBERS = ["n", "seen", "seen_at", "at"];
const TEXTS = ["action", "fixture", "label", "reader", "by"];

const isText = (value) => typeof value === "string" && value.length <= MOST_TEXT;
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function isAct(act, place, all) {
  const { pair, fields, saw = {} } = act;
  const isPair = Array.isArray(pair) && pair.every(isText) && (pair.length === 2 || pair.length === 0);
  const isNumbered = NUMBERS.every((name) => Number.isSafeInteger(act[name]) && act[name] >= 0);
  const isNext = act.n > (all[place - 1]?.n ?? 0);
  return isPair && isNumbered && isNext && isObject(fields) && isObject(saw) && TEXTS.every((name) => isText(act[name]));
}

/** Save acts as `barpoint-2014.json`, named after the time. */
export function save({ box, event, reader, who, acts }, time) {
  const text = JSON.stringify({ v: VERSION, box, event, reader, who, now: Date.now(), acts });
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  Object.assign(document.createElement("a"), { href: url, download: `barpoint-${time}.json` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Return what a file hands over of an event: { box, who, acts }, or why not: { refused: newer | other | unkept | … }. */
export async function taken(file, event) {
  if (file.size > MOST_BYTES) return { refused: "large" };
  const data = await file.text().then(JSON.parse).catch(() => null);
  if (!isObject(data)) return { refused: "incomplete" };
  const { v, box, reader, who, acts } = data;
  if (Number.isInteger(v) && v > VERSION) return { refused: "newer" };
  const isWhole = v === VERSION && BOX.test(box) && isText(reader) && isText(who) && Array.isArray(acts) && acts.length;
  if (!isWhole || !acts.every(isObject)) return { refused: "incomplete" };
  if (data.event !== event) return { refused: "other" };
  const all = acts.map((act) => onWire({ fixture: "", pair: [], label: "", reader, by: who, ...act }));
  if (!all.every(isAct)) return { refused: "incomplete" };
  if (!all.every(({ action }) => ACTIONS.includes(action))) return { refused: "unkept" };
  return { box, who, acts: all };
}
