/**
 * What this browser keeps, in IndexedDB: outboxes with their acts (`outbox.js`), and the last data of pages.
 *
 * `boxesHere()` lists the outboxes that have something to send or to tell, as options of `openOutbox` with the `count` of
 * unsent acts. `putData(reader, topic, value)` and `getData(reader, topic)` keep the last data of a page; those of another
 * account, and those after their `until` (ms), are deleted first.
 */

import { recall } from "../matches/play/kept.js";

const DATABASE = "barpoint"; // as in waiting.js
const VERSION = 2;

export const isUnsent = ({ state }) => state === "kept" || state === "tried";
export const isToSend = (act) => isUnsent(act) && act.action !== "struck";
export const isNotice = ({ state, outcome, isDismissed }) => !isDismissed && (state === "open" || outcome === "overtaken");

let opening = null;

function database() {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, VERSION);
    request.onupgradeneeded = ({ oldVersion }) => {
      const { result: db, transaction } = request;
      if (!oldVersion) {
        for (const name of ["boxes", "data", "leases"]) db.createObjectStore(name);
        db.createObjectStore("acts", { keyPath: ["box", "n"] });
      }
      const acts = transaction.objectStore("acts");
      acts.createIndex("waiting", "isWaiting");
      rewrite(acts, marked);
      rewrite(transaction.objectStore("boxes"), (row) => ({ ...addressesOf(row.topic), ...row }));
    };
    request.onerror = () => {
      opening = null;
      reject(request.error);
    };
    // Nothing is kept until a tab with an older version lets go; another request would only wait behind this one.
    request.onblocked = () => reject(new Error("blocked"));
    request.onsuccess = () => {
      const db = request.result;
      db.onclose = () => (opening = null);
      db.onversionchange = () => {
        db.close();
        opening = null;
      };
      opening = Promise.resolve(db);
      resolve(db);
    };
  });
  return opening;
}

/** Write each row of a store anew, within the transaction of an upgrade. */
function rewrite(store, change) {
  store.openCursor().onsuccess = ({ target: { result: cursor } }) => {
    cursor?.update(change(cursor.value));
    cursor?.continue();
  };
}

/** Where the acts of an outbox go that was stored before it knew. */
function addressesOf(topic) {
  const [kind, id] = topic.split(":");
  const post = `/api/v1/${kind === "match" ? "matches" : "tournaments"}/${id}/kept/`;
  return { read: kind === "match" ? post : `/api/v1/tournaments/${id}/floor/?outbox=`, post };
}

/** An act as it is stored: the index `waiting` has those that any page sends or tells of. */
const marked = (act) => ({ ...act, isWaiting: isToSend(act) || isNotice(act) ? 1 : undefined });

export const answered = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Do something with these stores in a transaction; resolves once that is on the disk. */
export async function stored(names, work, mode = "readwrite") {
  const db = await database();
  const transaction = db.transaction(names, mode, { durability: "strict" });
  const done = new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error);
  });
  try {
    const result = await work(...names.map((name) => transaction.objectStore(name)));
    await done;
    return result;
  } catch (error) {
    done.catch(() => {});
    if (error !== transaction.error) transaction.abort();
    throw error;
  }
}

export const keyOf = (reader, topic, box) => [reader, topic, box ?? ""];
export const numbersOf = (box) => IDBKeyRange.bound([box, 0], [box, Infinity]);

export async function load(boxes, acts, key) {
  const row = await answered(boxes.get(key));
  return row ? { ...row, acts: await answered(acts.getAll(numbersOf(row.box))) } : null;
}

export function save(boxes, acts, key, before, { acts: now, ...row }) {
  boxes.put(row, key);
  const known = new Map(before.acts.map((act) => [act.n, act]));
  for (const act of now) {
    if (known.get(act.n) !== act) acts.put(marked({ ...act, box: row.box }));
    known.delete(act.n);
  }
  for (const n of known.keys()) acts.delete([row.box, n]);
}

export function boxesHere() {
  const list = async (boxes, acts) => {
    const rows = [];
    for (const key of await answered(boxes.getAllKeys())) {
      const { topic, reader, by, read, post, carried, acts: all } = await load(boxes, acts, key);
      const count = all.filter(isToSend).length;
      if (count || all.some(isNotice)) rows.push({ topic, reader, by, read, post, carried, box: key[2], count });
    }
    return rows;
  };
  return stored(["boxes", "acts"], list, "readonly");
}

export function putData(reader, topic, value) {
  // Somebody has signed out; this page, in another tab, is still theirs.
  if (recall("local", "reader") === "" && !reader.startsWith("link")) return Promise.resolve();
  return stored(["data"], async (data) => {
    for (const key of await answered(data.getAllKeys())) {
      if (key[0] !== reader || (await answered(data.get(key))).until < Date.now()) data.delete(key);
    }
    data.put(value, [reader, topic]);
  });
}

/** Delete the last data of pages of everybody but one reader. */
export function keepOnlyDataOf(reader) {
  return stored(["data"], async (data) => {
    for (const key of await answered(data.getAllKeys())) if (key[0] !== reader) data.delete(key);
  });
}

/** All that is here: `data` of pages as [{ reader, topic, value }], and `boxes` with their acts. */
export function everythingHere() {
  return stored(["boxes", "acts", "data"], async (boxes, acts, data) => {
    const rows = await Promise.all([data.getAllKeys(), data.getAll(), boxes.getAll()].map(answered));
    const [keys, values, all] = rows;
    const withActs = all.map(async (row) => ({ ...row, acts: await answered(acts.getAll(numbersOf(row.box))) }));
    return {
      data: keys.map(([reader, topic], place) => ({ reader, topic, value: values[place] })),
      boxes: await Promise.all(withActs),
    };
  });
}

export const getData = (reader, topic) =>
  stored(["data"], (data) => answered(data.get([reader, topic])), "readonly");
