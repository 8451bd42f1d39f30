/**
 * Acts that are kept on this device until the server has them. One outbox for each browser, reader and event or match.
 *
 *     const box = await openOutbox({
 *       topic: "match:12", reader: "7", by: "Bob",    // whose acts, as `reader_id` has it, and the name they give
 *       read: "/api/v1/matches/k3v9w2xq7m/kept/",     // asked before each sending, with ?outbox=
 *       post: "/api/v1/matches/k3v9w2xq7m/kept/",
 *       headers: { "Match-Link": token },             // of both, if the page was opened by a personal link
 *       keptIn: (data) => data,                       // of an answer to `read`: { have, open, seen, now, csrf, me }
 *       onRead: (data) => {},                         // gets each answer to `read`, such as the floor's data
 *       carried: false,                               // whether the reader sends acts of somebody else, and knows it
 *       box: "",                                      // an outbox that was taken over with `adopt`
 *     });
 *     const n = await box.keep({ action, fixture, pair, fields, seen, seen_at, label });
 *         // Resolves once the act is durable: only then may a page say "kept". Rejects if the browser cannot keep it.
 *     await box.strike(n, { seen, seen_at });           // An act that may have left gets an act `undo` instead.
 *     await box.handOver()                              // what is not settled, for another device: it may have left then
 *     box.acts()        // by number: { n, action, …, state, outcome, code, text }
 *         // state: kept (only here), tried (may have left), sent (the server has it), open (a person has to decide it)
 *     box.line          // { up: true | false | null, since: ms }; null until the server was asked
 *     box.stopped       // why nothing is sent by itself: "" | signed_out | another | forbidden | gone | reused | invalid
 *     box.isSending, box.unsent(), box.key
 *     const stop = box.subscribe(({ arrived }) => {});   // after each change, in whichever tab; `arrived` are new acts
 *                                                        // that the server has
 *     await box.ask()       // the kept part of an answer to `read`, 4 s at most; null if an act has to be kept: there is
 *                           // no line, which is our own JSON and nothing else, or the session is over or another's
 *     await box.dismiss(n)  // the reader knows what became of an open act: `isDismissed`
 *     box.heard(isUp)                                   // what another request of the page found about the line
 *     await box.took(data)                              // an answer to `read` that the page has got by itself
 *     box.sendNow(); box.close();
 *     hasLeft(act, acts)   // whether an act counts for nobody any more: struck, or taken back by another act
 *
 * `await wipe(reader)` deletes all that this browser has of a reader; without one, of everybody. `unsentHere()` lists
 * the outboxes with acts that were not sent: [{ topic, reader, by, box, carried, count }]. `adopt({ box, topic, reader,
 * by, acts })` takes over the acts of another device, as `onWire` writes them. `putData(reader, topic, value)` and
 * `getData(reader, topic)` keep the last data of a page; those of another account, and those after their `until` (ms),
 * are deleted first.
 *
 * Everything that is decided is decided by `step`, a pure function; it runs in one transaction with what it changes, so
 * that several tabs agree on the numbers, and an act is marked as tried before it leaves.
 */

import { recall } from "../matches/play/kept.js";

const DATABASE = "barpoint";
const CHANNEL = "barpoint-outbox";
const MOST_ACTS = 20; // in one request
const MOST_BYTES = 30_000; // of the acts of one request
const MOST_LABEL = 120; // characters
const UNDO_WINDOW = 5_000; // ms before a result leaves
const KEPT_FOR = 48 * 3_600_000; // ms for which a sent act stays, as the server may be restored from a backup
const FIRST_PAUSE = 2_000; // ms between two attempts, doubled with each failure
const MAX_PAUSE = 30_000;
const PATIENCE = 4_000; // ms in which a server answers to which there is a line
const SENDING = 12_000; // ms in which it has to store what it is sent
const LEASE = 4_000; // ms for which one tab sends; it renews that until it is done, or is closed or left
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyzo"; // 32 signs, so that five random bits choose one
const KEY_LENGTH = 22;

// What is decided.

/** An outbox that has kept nothing. `last` is its highest number, `tried` the highest that may have left. */
export const EMPTY = { last: 0, tried: 0, have: 0, failures: 0, stopped: "", acts: [] };

const BLANK = { action: "", fixture: "", pair: [], fields: {}, seen: 0, seen_at: 0, at: 0, label: "" };
const STOPS = { 401: "signed_out", 403: "forbidden", 404: "gone", 413: "invalid", 422: "invalid" };
const STOP_CODES = { kept_of_another: "another", key_reused: "reused" };
const isOpen = ({ outcome }) => outcome === "differs" || outcome === "refused";
const isUnsent = ({ state }) => state === "kept" || state === "tried";
const again = (wait) => ({ type: "round", wait });

/**
 * Return the next state of an outbox and what is to be done: `{ type: "round", wait }`, to read and send in `wait` ms,
 * or `{ type: "post", left, acts }`. Events, each with `now` in ms by the clock of the device:
 *
 * - `keep { act }`, `strike { n, seen, seen_at }`, `dismiss { n }`, `handed`
 * - `read { have, open, isOther, mayPost }`: the server was asked what it has; `isOther` if the session is another's
 * - `answer { status, code, have, outcomes, retryAfter }`: to a post, or to a read that failed; status 0 without any
 */
export function step(state, event) {
  return STEPS[event.type](state, event);
}

const STEPS = {
  keep(state, { act, now }) {
    const n = state.last + 1;
    const label = Array.from(act.label ?? "").slice(0, MOST_LABEL).join("");
    const kept = { ...BLANK, at: now, ...act, label, n, state: "kept" };
    const wait = state.failures && state.acts.some(isUnsent) ? pauseAfter(state.failures) : 0;
    return [{ ...state, last: n, acts: [...state.acts, kept] }, [again(wait)]];
  },

  strike(state, { n, seen, seen_at, now }) {
    const act = state.acts.find((each) => each.n === n);
    if (!act || hasLeft(act, state.acts) || act.action === "undo") return [state, []];
    if (n > state.tried) return [replaced(state, [struck(act)]), []];
    const { fixture, pair, label, reader, by } = act;
    const undo = { action: "undo", fixture, pair, fields: { of: n }, label, reader, by, seen, seen_at };
    return STEPS.keep(state, { act: undo, now });
  },

  dismiss(state, { n }) {
    const acts = state.acts.filter((act) => act.n === n);
    return [replaced(state, acts.map((act) => ({ ...act, isDismissed: true }))), []];
  },

  handed(state) {
    // Another device may send them, and this one may hear of it late.
    const acts = state.acts.filter((act) => act.state === "kept");
    return [{ ...replaced(state, acts.map((act) => ({ ...act, state: "tried" }))), tried: state.last }, []];
  },

  read(state, { have, open, isOther = false, mayPost = true, now }) {
    if (isOther) return [{ ...state, stopped: "another" }, []];
    const known = withoutOld(arrived({ ...state, stopped: state.stopped === "reused" ? "reused" : "" }, have, open), now);
    const unsent = known.acts.filter((act) => act.n > have);
    if (!unsent.length || known.stopped) return [{ ...known, failures: 0 }, []];
    if (!mayPost) return [known, [again(0)]];
    const [acts, wait] = batch(unsent, now);
    if (!acts.length) return [{ ...known, failures: 0 }, [again(wait)]];
    const tried = Math.max(known.tried, acts.at(-1).n);
    const marked = acts.map((act) => (act.state === "tried" ? act : { ...act, state: "tried" }));
    return [{ ...replaced(known, marked), tried }, [{ type: "post", left: unsent.length - acts.length, acts }]];
  },

  answer(state, { status, code = "", have, outcomes = [], retryAfter = 0 }) {
    if (status === 200) {
      const known = { ...replaced(state, decided(state.acts, outcomes)), have, failures: 0, stopped: "" };
      return [known, known.acts.some((act) => act.n > have) ? [again(0)] : []];
    }
    const stopped = STOP_CODES[code] ?? (code && STOPS[status]) ?? "";
    if (stopped) return [{ ...state, stopped }, []];
    const failures = state.failures + 1;
    const known = status === 409 && have !== undefined ? arrived(state, have, state.acts.filter(isOpen)) : state;
    const wait = Math.max(pauseAfter(failures), 1000 * retryAfter);
    return [{ ...known, failures }, known.acts.some(isUnsent) ? [again(wait)] : []];
  },
};

const pauseAfter = (failures) => Math.min(MAX_PAUSE, FIRST_PAUSE * 2 ** (failures - 1));

/** Whether an act counts for nobody any more: it was struck, or another act takes it back. */
export function hasLeft(act, acts) {
  return act.action === "struck" || acts.some(({ action, fields }) => action === "undo" && fields.of === act.n);
}

/** What is left of an act that was taken back before it was sent: its number, since the server takes no gaps. */
const struck = ({ n, at, reader, by }) => ({ ...BLANK, n, at, reader, by, action: "struck", state: "kept" });

function replaced(state, acts) {
  if (!acts.length) return state;
  const byNumber = new Map(acts.map((act) => [act.n, act]));
  return { ...state, acts: state.acts.map((act) => byNumber.get(act.n) ?? act) };
}

/** The acts that outcomes tell something new of. */
function decided(acts, outcomes) {
  const known = new Map(acts.map((act) => [act.n, act]));
  return outcomes
    .filter(({ n }) => known.has(n))
    .map(({ n, outcome, code, text }) => {
      return { ...known.get(n), state: isOpen({ outcome }) ? "open" : "sent", outcome, code, text };
    });
}

/**
 * The state once the server has said up to which number it has the acts, and which of them a person has to decide. If it
 * has fewer than before, it was restored from a backup: whatever is above is sent again, and what is gone, as struck.
 */
function arrived(state, have, open) {
  const undecided = new Map(open.filter(isOpen).map((row) => [row.n, row]));
  const acts = new Map(state.acts.map((act) => [act.n, act]));
  const { reader, by, carried } = state;
  // What was never taken over is not gone: only its own device can say.
  const gone = carried ? [] : Array.from({ length: state.last - have }, (_, place) => have + 1 + place);
  for (const n of gone) if (!acts.has(n)) acts.set(n, struck({ n, at: 0, reader, by }));
  const inOrder = [...acts.values()].sort((one, other) => one.n - other.n);
  const settled = inOrder.map((act) => {
    const wanted = act.n > have ? (act.n > state.tried ? "kept" : "tried") : undecided.has(act.n) ? "open" : "sent";
    if (act.state === wanted) return act;
    const { outcome, code, text } = undecided.get(act.n) ?? (act.n > have ? {} : act);
    return { ...act, state: wanted, outcome, code, text };
  });
  return { ...state, have, last: Math.max(state.last, have), acts: settled };
}

function withoutOld(state, now) {
  return { ...state, acts: state.acts.filter((act) => act.state !== "sent" || now - act.at <= KEPT_FOR) };
}

/** The acts to send now, in order, and how long the first of the others has to wait. */
function batch(unsent, now) {
  const acts = [];
  let bytes = 0;
  for (const act of unsent.slice(0, MOST_ACTS)) {
    const age = now - act.at;
    // A device whose clock was set back does not know how old it is.
    const wait = act.action === "result" && act.state === "kept" && age >= 0 ? UNDO_WINDOW - age : 0;
    bytes += new TextEncoder().encode(JSON.stringify(onWire(act))).length;
    if (wait > 0) return [acts, wait];
    if (acts.length && bytes > MOST_BYTES) break;
    acts.push(act);
  }
  return [acts, 0];
}

/** An act as it is sent: always the same, since its content is compared with what arrived under its number. */
export function onWire({ n, action, fixture, pair, fields, seen, seen_at, at, label, reader, by }) {
  return { n, action, fixture, pair, fields, seen, seen_at, at, label, reader, by };
}

// Where it is stored.

let opening = null;

function database() {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => {
      const db = request.result;
      db.createObjectStore("boxes");
      db.createObjectStore("acts", { keyPath: ["box", "n"] });
      db.createObjectStore("data");
      db.createObjectStore("leases");
    };
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const db = request.result;
      db.onclose = () => (opening = null);
      db.onversionchange = () => {
        db.close();
        opening = null;
      };
      resolve(db);
    };
  });
  opening.catch(() => (opening = null));
  return opening;
}

const answered = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Do something with these stores in a transaction; resolves once that is on the disk. */
async function stored(names, work, mode = "readwrite") {
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

const keyOf = (reader, topic, box) => [reader, topic, box ?? ""];
const numbersOf = (box) => IDBKeyRange.bound([box, 0], [box, Infinity]);

async function load(boxes, acts, key) {
  const row = await answered(boxes.get(key));
  return row ? { ...row, acts: await answered(acts.getAll(numbersOf(row.box))) } : null;
}

function save(boxes, acts, key, before, { acts: now, ...row }) {
  boxes.put(row, key);
  const known = new Map(before.acts.map((act) => [act.n, act]));
  for (const act of now) {
    if (known.get(act.n) !== act) acts.put({ ...act, box: row.box });
    known.delete(act.n);
  }
  for (const n of known.keys()) acts.delete([row.box, n]);
}

function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_LENGTH));
  return Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

export async function wipe(reader) {
  await stored(["boxes", "acts", "data", "leases"], async (boxes, acts, data, leases) => {
    const isTheirs = (key) => reader === undefined || key[0] === reader;
    for (const key of (await answered(boxes.getAllKeys())).filter(isTheirs)) {
      const { box } = await answered(boxes.get(key));
      acts.delete(numbersOf(box));
      boxes.delete(key);
      leases.delete(key);
    }
    for (const key of (await answered(data.getAllKeys())).filter(isTheirs)) data.delete(key);
  });
  tell({});
}

export function unsentHere() {
  const list = async (boxes, acts) => {
    const found = [];
    for (const { topic, reader, by, box, carried = false } of await answered(boxes.getAll())) {
      const unsent = (await answered(acts.getAll(numbersOf(box)))).filter(isUnsent);
      if (unsent.length) found.push({ topic, reader, by, box, carried, count: unsent.length });
    }
    return found;
  };
  return stored(["boxes", "acts"], list, "readonly");
}

/** Take over an outbox of another device, to be opened with `box` and `carried`. Its acts keep their numbers. */
export function adopt({ box, topic, reader, by, acts: taken }) {
  const key = keyOf(reader, topic, box);
  return stored(["boxes", "acts"], async (boxes, acts) => {
    const before = (await load(boxes, acts, key)) ?? { ...EMPTY, topic, reader, by, box, carried: true };
    const known = new Set(before.acts.map(({ n }) => n));
    const more = taken.filter(({ n }) => !known.has(n)).map((act) => ({ ...BLANK, ...act, state: "kept" }));
    const all = [...before.acts, ...more].sort((one, other) => one.n - other.n);
    save(boxes, acts, key, before, { ...before, last: Math.max(before.last, ...all.map(({ n }) => n)), acts: all });
  });
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

// What is sent.

const tab = newKey();
const channel = "BroadcastChannel" in window ? new BroadcastChannel(CHANNEL) : null;
const boxesHere = new Set();

/** Tell the other tabs that an outbox has changed. */
function tell(message) {
  channel?.postMessage(message);
}

channel?.addEventListener("message", () => {
  for (const box of boxesHere) box.changed();
});

class Outbox {
  line = { up: null, since: 0 };
  isSending = false;
  #options;
  #id;
  #state = EMPTY;
  #subscribers = new Set();
  #timer = 0;
  #dueAt = Infinity;
  #isAsking = false;
  #isLate = false; // Something was kept while the server was being asked.

  constructor(options) {
    this.#options = { by: "", headers: {}, keptIn: (data) => data, carried: false, ...options };
    this.#id = keyOf(options.reader, options.topic, options.box);
  }

  get key() {
    return this.#state.box ?? "";
  }

  get stopped() {
    return this.#state.stopped;
  }

  acts() {
    return this.#state.acts;
  }

  unsent() {
    return this.#state.acts.filter((act) => isUnsent(act) && act.action !== "struck");
  }

  subscribe(callback) {
    this.#subscribers.add(callback);
    return () => this.#subscribers.delete(callback);
  }

  async keep(act) {
    const { reader, by } = this.#options;
    const { state } = await this.#take({ type: "keep", act: { ...act, reader, by } });
    return state.last;
  }

  async strike(n, { seen = 0, seen_at = 0 } = {}) {
    await this.#take({ type: "strike", n, seen, seen_at });
  }

  async took(data, { mayPost = false } = {}) {
    const kept = this.#options.keptIn(data);
    if (!Number.isInteger(kept?.have) || !this.key) return [];
    const isOther = !this.#options.carried && kept.me?.reader !== this.#options.reader;
    const { effects } = await this.#take({ type: "read", have: kept.have, open: kept.open ?? [], isOther, mayPost });
    return effects;
  }

  heard(isUp) {
    if (this.line.up === isUp) return;
    this.line = { up: isUp, since: Date.now() };
    if (isUp && !this.#isAsking) this.sendNow();
    this.#notify([]);
  }

  async handOver() {
    const { state } = await this.#take({ type: "handed" });
    return state.acts.filter((act) => act.state !== "sent").map(onWire);
  }

  async dismiss(n) {
    await this.#take({ type: "dismiss", n });
  }

  async ask() {
    const data = await this.#read();
    const kept = data && this.#options.keptIn(data);
    return kept?.me.reader === this.#options.reader ? kept : null;
  }

  sendNow() {
    this.#schedule(0);
  }

  close() {
    clearTimeout(this.#timer);
    boxesHere.delete(this);
  }

  /** Another tab may have stored something. */
  async changed() {
    const read = (boxes, acts) => load(boxes, acts, this.#id);
    this.#became((await stored(["boxes", "acts"], read, "readonly")) ?? EMPTY);
  }

  #became(state) {
    const known = new Map(this.#state.acts.map((act) => [act.n, act]));
    this.#state = state;
    this.#notify(state.acts.filter((act) => !isUnsent(act) && known.has(act.n) && isUnsent(known.get(act.n))));
  }

  /** Let an event happen to the outbox as it is stored, whichever tab has changed it; then do what follows from it. */
  async #take(event) {
    const { topic, reader, by } = this.#options;
    const [state, effects] = await stored(["boxes", "acts"], async (boxes, acts) => {
      const before = await load(boxes, acts, this.#id);
      // Only an act begins an outbox: one that was wiped does not come back.
      if (!before && event.type !== "keep") return [EMPTY, []];
      const known = before ?? { ...EMPTY, topic, reader, by, box: newKey() };
      const taken = step(known, { now: Date.now(), ...event });
      save(boxes, acts, this.#id, known, taken[0]);
      return taken;
    });
    this.#became(state);
    tell({});
    for (const { type, wait } of effects) if (type === "round") this.#schedule(wait);
    return { state, effects };
  }

  #notify(arrived) {
    for (const callback of this.#subscribers) callback({ arrived });
  }

  #schedule(wait) {
    const dueAt = Date.now() + wait;
    if (dueAt >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => {
      this.#dueAt = Infinity;
      this.#round();
    }, wait);
  }

  async #round() {
    if (!this.key) return;
    this.#isLate = this.#isAsking;
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      const busyFor = await this.#lease();
      if (busyFor) return this.#schedule(busyFor);
      const renewing = setInterval(() => this.#lease(), LEASE / 4);
      await this.#readAndPost().finally(() => clearInterval(renewing));
      await this.#release();
    } finally {
      this.#isAsking = false;
      this.#sending(false);
      if (this.#isLate) this.sendNow();
    }
  }

  async #readAndPost() {
    const data = await this.#read();
    if (data === null) return;
    const effects = await this.took(data, { mayPost: true });
    const request = effects.find(({ type }) => type === "post");
    if (!request) return;
    this.#sending(true);
    const { carried, post } = this.#options;
    const acts = request.acts.map(onWire);
    const body = JSON.stringify({ outbox: this.key, now: Date.now(), left: request.left, carried, acts });
    const headers = { "Content-Type": "application/json", "X-CSRFToken": this.#options.keptIn(data).csrf ?? "" };
    const answer = await this.#fetch(post, SENDING, { method: "POST", body, headers });
    const isOurs = answer.status !== 200 || (Number.isInteger(answer.body.have) && Array.isArray(answer.body.outcomes));
    await this.#answer(isOurs ? answer : { ...answer, status: 0 });
  }

  /** Ask the server what it has. Returns its answer, or null if there is no line or the reader has no access. */
  async #read() {
    const { read, keptIn, onRead } = this.#options;
    const url = new URL(read, location.href);
    if (this.key) url.searchParams.set("outbox", this.key);
    const answer = await this.#fetch(url, PATIENCE);
    if (answer.status === 200 && Number.isInteger(keptIn(answer.body)?.have)) {
      this.heard(true);
      onRead?.(answer.body);
      return answer.body;
    }
    await this.#answer(answer.status === 200 ? { ...answer, status: 0 } : answer);
    return null;
  }

  /** Our own JSON counts; a portal, a proxy or nothing at all does not. */
  async #fetch(url, patience, { headers, ...options } = {}) {
    const signal = AbortSignal.timeout(patience);
    const all = { Accept: "application/json", ...this.#options.headers, ...headers };
    try {
      const response = await fetch(url, { cache: "no-store", signal, headers: all, ...options });
      const retryAfter = Number(response.headers.get("Retry-After")) || 0;
      const body = await response.json();
      return { status: response.ok || body?.code ? response.status : 0, body: body ?? {}, retryAfter };
    } catch {
      return { status: 0, body: {}, retryAfter: 0 };
    }
  }

  async #answer({ status, body, retryAfter }) {
    this.heard(status > 0 && status < 500);
    const { code, have = body.params?.have, outcomes } = body;
    await this.#take({ type: "answer", status, code, have, outcomes, retryAfter });
  }

  #sending(isSending) {
    if (this.isSending === isSending) return;
    this.isSending = isSending;
    this.#notify([]);
  }

  /** Let this tab send for a while. Returns in how many ms to try again if another one does so. */
  #lease() {
    return stored(["leases"], async (leases) => {
      const now = Date.now();
      const lease = await answered(leases.get(this.#id));
      const left = lease && lease.tab !== tab ? lease.until - now : 0;
      if (left > 0 && left <= LEASE) return Math.min(left, FIRST_PAUSE);
      leases.put({ tab, until: now + LEASE }, this.#id);
      return 0;
    });
  }

  #release() {
    return stored(["leases"], async (leases) => {
      if ((await answered(leases.get(this.#id)))?.tab === tab) leases.delete(this.#id);
    });
  }
}

/** Open the outbox of a reader and a topic. Where the browser stores nothing it is empty, and `keep` rejects. */
export async function openOutbox(options) {
  const box = new Outbox(options);
  boxesHere.add(box);
  await box.changed().catch(() => {});
  // What was sent is asked for as well: the server may have been restored, and what it could not do may be decided.
  if (box.acts().length) box.sendNow();
  return box;
}

for (const [target, type] of [[window, "online"], [document, "visibilitychange"], [window, "pageshow"]]) {
  target.addEventListener(type, () => {
    if (!document.hidden) for (const box of boxesHere) if (box.acts().length) box.sendNow();
  });
}
