/**
 * Acts that are kept on this device until the server has them. One outbox for each browser, reader and event or match.
 *
 *     const box = await openOutbox({
 *       topic: "match:k3v9w2xq7m", reader: "7", by: "Bob",   // whose acts, as `reader_id` has it, and the name they give
 *       read: "/api/v1/matches/k3v9w2xq7m/kept/",     // asked before each sending, with ?outbox=
 *       post: "/api/v1/matches/k3v9w2xq7m/kept/",     // both stay with the outbox, so that any page can send
 *       headers: { "Match-Link": token },             // of both, if the page was opened by a personal link; not stored
 *       onRead: (data) => {},                         // gets each answer to `read`, such as the floor's data
 *       carried: false,                               // whether the reader sends acts of somebody else, and knows it
 *       box: "",                                      // another outbox of this topic: one of `boxesHere`, or adopted
 *     });
 *     const n = await box.keep({ action, fixture, pair, fields, seen, seen_at, saw, label });
 *         // Resolves once the act is durable: only then may a page say "kept". Rejects if the browser cannot keep it.
 *     await box.strike(n, { seen, seen_at });           // An act that may have left gets an act `undo` instead.
 *     await box.handOver()                              // what is not settled, for another device: it may have left then
 *     box.acts()        // by number: { n, action, …, state, outcome, code, text }
 *         // state: kept (only here), tried (may have left), sent (the server has it), open (a person has to decide it)
 *     box.notices()     // the acts of which the reader should know: open, or overtaken by others; until `dismiss`
 *     box.line          // { up: true | false | null, since: ms }; null until the server was asked
 *     box.stopped       // why nothing is sent by itself, as in `CODES`; "" if it is
 *     box.restored      // how many acts are sent again since the site was restored from a backup, until `dismiss(0)`
 *     box.isSending, box.unsent(), box.key
 *     const stop = box.subscribe(({ arrived }) => {});   // after each change, in whichever tab; `arrived` are new acts
 *                                                        // that the server has
 *     await box.ask()       // the kept part of an answer to `read`, 4 s at most; null if an act has to be kept: there is
 *                           // no line, which is our own JSON and nothing else, or the session is over or another's
 *     await box.dismiss(n)  // the reader knows what became of an act
 *     box.heard(isUp)                                   // what another request of the page found about the line
 *     await box.took(data)                              // an answer to `read` that the page has got by itself
 *     box.sendNow(); box.close();
 *     hasLeft(act, acts)   // whether an act counts for nobody any more: struck, or taken back by another act
 *
 * `await wipe(reader)` deletes all that this browser has of a reader; without one, of everybody. `adopt({ box, topic,
 * reader, by, read, post, acts })` takes over the acts of another device, as `onWire` writes them.
 *
 * Everything that is decided is decided by `step`, a pure function; it runs in one transaction with what it changes, so
 * that several tabs agree on the numbers, and an act is marked as tried before it leaves.
 */

import {
  answered, isToSend, isNotice, isUnsent, keyOf, load, numbersOf, save, stored,
} from "./kept_store.js";
import { ask } from "./ours.js";

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
const MOST_PATIENCE = 60_000; // ms; both grow with what the last answer took
const LEASE = 4_000; // ms for which one tab sends; it renews that until it is done, or is closed or left
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyzo"; // 32 signs, so that five random bits choose one
const KEY_LENGTH = 22;

// What is decided.

/** An outbox that has kept nothing. `last` is its highest number, `tried` the highest that may have left. */
export const EMPTY = { last: 0, tried: 0, have: 0, failures: 0, stopped: "", restored: 0, acts: [] };

const BLANK = { action: "", fixture: "", pair: [], fields: {}, seen: 0, seen_at: 0, at: 0, label: "" };

/**
 * Why nothing is sent by itself, with the codes of answers that say so; a page has a sentence for each. After those of ""
 * it is tried again soon.
 */
export const CODES = {
  sign_in: ["not_authenticated", "authentication_failed", "kept_of_another"],
  forbidden: ["permission_denied", "second_factor_needed"],
  gone: ["not_found"],
  limit: ["too_many_outboxes", "too_many_kept"],
  invalid: ["kept_too_large", "invalid", "unknown_field", "parse_error", "unsupported_media_type"],
  "": ["kept_gap", "key_reused", "outbox_full", "throttled", "busy", "out_of_order", "too_slow", "error"],
};

const isOpen = ({ outcome }) => outcome === "differs" || outcome === "refused";
const again = (wait) => ({ type: "round", wait });

/**
 * Return the next state of an outbox and what is to be done: `{ type: "round", wait }`, to read and send in `wait` ms,
 * `{ type: "post", left, acts }`, or `{ type: "part" }`, to go on with another outbox, as this one is full. Events, each
 * with `now` in ms by the clock of the device:
 *
 * - `keep { act }`, `strike { n, seen, seen_at }`, `dismiss { n }`, `handed`
 * - `read { have, open, isOther, mayPost }`: the server was asked what it has; `isOther` if the session is another's
 * - `answer { status, code, have, n, outcomes, retryAfter }`: to a post, or to a read that failed; status 0 without any
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
    if (n === 0) return [{ ...state, restored: 0 }, []];
    const acts = state.acts.filter((act) => act.n === n);
    return [replaced(state, acts.map((act) => ({ ...act, isDismissed: true }))), []];
  },

  handed(state) {
    // Another device may send them, and this one may hear of it late.
    const acts = state.acts.filter((act) => act.state === "kept");
    return [{ ...replaced(state, acts.map((act) => ({ ...act, state: "tried" }))), tried: state.last }, []];
  },

  read(state, { have, open, isOther = false, mayPost = true, now }) {
    if (isOther) return [{ ...state, stopped: "sign_in" }, []];
    const known = withoutOld(arrived({ ...state, stopped: "" }, have, open), now);
    const unsent = known.acts.filter((act) => act.n > have);
    if (!unsent.length) return [{ ...known, failures: 0 }, []];
    if (!mayPost) return [known, [again(0)]];
    const [acts, wait] = batch(unsent, now, known.failures);
    if (!acts.length) return [{ ...known, failures: 0 }, [again(wait)]];
    const tried = Math.max(known.tried, acts.at(-1).n);
    const marked = acts.map((act) => (act.state === "tried" ? act : { ...act, state: "tried" }));
    return [{ ...replaced(known, marked), tried }, [{ type: "post", left: unsent.length - acts.length, acts }]];
  },

  answer(state, { status, code = "", have, n, outcomes = [], retryAfter = 0 }) {
    if (status === 200) {
      const known = { ...replaced(state, decided(state.acts, outcomes)), have, failures: 0, stopped: "" };
      return [known, known.acts.some((act) => act.n > have) ? [again(0)] : []];
    }
    const stopped = stopOf(status, code);
    const failures = state.failures + 1;
    const wait = Math.max(pauseAfter(failures), 1000 * retryAfter);
    const known = { ...untried(state, { code, have, n }), failures, stopped };
    if (code === "outbox_full") return state.carried ? [{ ...known, stopped: "limit" }, []] : [known, [{ type: "part" }]];
    if (stopped && stopped !== "limit") return [{ ...known, failures: state.failures }, []];
    return [known, known.acts.some(isUnsent) ? [again(wait)] : []];
  },
};

/** Why nothing is sent by itself after an answer that refuses; "" if it is tried again. */
function stopOf(status, code) {
  const known = Object.keys(CODES).find((why) => CODES[why].includes(code));
  if (known !== undefined || !code || status >= 500) return known ?? "";
  return status === 401 ? "sign_in" : status === 429 ? "limit" : "invalid";
}

/** The state after a refusal that says which acts the server has: those it does not take can be changed again. */
function untried(state, { code, have, n }) {
  if (code === "key_reused" && n) {
    // Another copy of this browser has used the number; the next answer to `read` gives the acts from here others.
    return renewed(state, n - 1);
  }
  if (have === undefined) return state;
  const isRefused = code === "outbox_full" || CODES.limit.includes(code);
  return arrived(isRefused ? renewed(state, have) : state, have, state.acts.filter(isOpen));
}

/** The state in which no act after number `n` has been tried. */
function renewed(state, n) {
  const acts = state.acts.filter((act) => act.n > n && act.state === "tried");
  return { ...replaced(state, acts.map((act) => ({ ...act, state: "kept" }))), tried: Math.min(state.tried, n) };
}

/**
 * Part an outbox that is full into itself and the acts of another one, which takes what the server does not have. What
 * takes back an act that the server has stays, as it names it by its number.
 */
export function parted(state) {
  const staysBehind = ({ action, fields }) => action === "undo" && fields.of <= state.have;
  const moved = state.acts.filter((act) => act.n > state.have && isToSend(act) && !staysBehind(act));
  const numbers = new Map(moved.map((act, place) => [act.n, place + 1]));
  const acts = moved.map((act) => {
    const of = numbers.get(act.fields.of);
    return { ...act, n: numbers.get(act.n), state: "kept", ...(of && { fields: { of } }) };
  });
  return [replaced(state, moved.map(struck)), { ...EMPTY, last: acts.length, acts }];
}

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
function arrived(before, have, open) {
  const state = renumbered(before, have);
  const notices = new Map(open.map((row) => [row.n, row]));
  const acts = new Map(state.acts.map((act) => [act.n, act]));
  const { reader, by, carried } = state;
  // What was never taken over is not gone: only its own device can say.
  const gone = carried ? [] : Array.from({ length: state.last - have }, (_, place) => have + 1 + place);
  for (const n of gone) if (!acts.has(n)) acts.set(n, struck({ n, at: 0, reader, by }));
  const inOrder = [...acts.values()].sort((one, other) => one.n - other.n);
  const settled = inOrder.map((act) => {
    const row = notices.get(act.n);
    const wanted = act.n > have ? (act.n > state.tried ? "kept" : "tried") : row && isOpen(row) ? "open" : "sent";
    const isNews = row?.outcome === "overtaken" && act.outcome !== "overtaken";
    if (act.state === wanted && !isNews) return act;
    const { outcome, code, text } = row ?? (act.n > have ? {} : act);
    return { ...act, state: wanted, outcome, code, text, isDismissed: act.isDismissed && act.n <= have };
  });
  const again = settled.filter((act) => act.n > have && act.n <= state.have && act.action !== "struck").length;
  const restored = again || (state.restored ?? 0);
  const [last, tried] = [Math.max(state.last, have), Math.max(state.tried, have)];
  return { ...state, have, last, tried, restored, acts: settled };
}

/**
 * If this browser was restored from an older copy, the server has acts of later numbers: what has never left from here
 * is none of them and goes on after them.
 */
function renumbered(state, have) {
  const first = state.acts.find((act) => act.state === "kept")?.n;
  if (state.carried || !(first <= have)) return state;
  const shift = have + 1 - first;
  const acts = state.acts.map((act) => {
    if (act.state !== "kept") return act;
    const fields = act.fields.of >= first ? { of: act.fields.of + shift } : act.fields;
    return { ...act, n: act.n + shift, fields };
  });
  return { ...state, tried: have, last: state.last + shift, acts };
}

function withoutOld(state, now) {
  return { ...state, acts: state.acts.filter((act) => act.state !== "sent" || now - act.at <= KEPT_FOR) };
}

/** The acts to send now, in order, fewer after failures, and how long the first of the others has to wait. */
function batch(unsent, now, failures) {
  const acts = [];
  let bytes = 0;
  for (const act of unsent.slice(0, Math.max(1, MOST_ACTS >> failures))) {
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
export function onWire({ n, action, fixture, pair, fields, seen, seen_at, at, label, reader, by, saw }) {
  return { n, action, fixture, pair, fields, seen, seen_at, at, label, reader, by, ...(saw && { saw }) };
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

/** Take over an outbox of another device, to be opened with `box` and `carried`. Its acts keep their numbers. */
export function adopt({ box, topic, reader, acts: taken, ...more }) {
  const key = keyOf(reader, topic, box);
  return stored(["boxes", "acts"], async (boxes, acts) => {
    const before = (await load(boxes, acts, key)) ?? { ...EMPTY, topic, reader, box, carried: true, ...more };
    const known = new Set(before.acts.map(({ n }) => n));
    const others = taken.filter(({ n }) => !known.has(n)).map((act) => ({ ...BLANK, ...act, state: "kept" }));
    const all = [...before.acts, ...others].sort((one, other) => one.n - other.n);
    save(boxes, acts, key, before, { ...before, last: Math.max(before.last, ...all.map(({ n }) => n)), acts: all });
  });
}

// What is sent.

const tab = newKey();
const channel = "BroadcastChannel" in window ? new BroadcastChannel(CHANNEL) : null;
const openBoxes = new Set();

/** Tell the other tabs that an outbox has changed. */
function tell(message) {
  channel?.postMessage(message);
}

channel?.addEventListener("message", () => {
  for (const box of openBoxes) box.changed();
});

/** What an answer to `read` says of an outbox: the floor's has it beside other data. */
const keptIn = (data) => data.kept ?? data;

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
  #slowness = 1; // how many times longer than usual the server may take to answer

  constructor(options) {
    this.#options = { by: "", headers: {}, carried: false, ...options };
    this.#id = keyOf(options.reader, options.topic, options.box);
  }

  get key() {
    return this.#state.box ?? "";
  }

  get stopped() {
    const { stopped } = this.#state;
    // To an account, the match of another one is not there.
    return stopped === "gone" && !this.#isReader() && !this.#options.headers["Match-Link"] ? "sign_in" : stopped;
  }

  get restored() {
    return this.#state.restored ?? 0;
  }

  #isReader() {
    return document.body.dataset.reader === this.#options.reader;
  }

  acts() {
    return this.#state.acts;
  }

  unsent() {
    return this.#state.acts.filter(isToSend);
  }

  notices() {
    return this.#state.acts.filter(isNotice);
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
    const kept = keptIn(data);
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
    const kept = data && keptIn(data);
    return kept?.me.reader === this.#options.reader ? kept : null;
  }

  sendNow() {
    this.#schedule(0);
  }

  close() {
    clearTimeout(this.#timer);
    openBoxes.delete(this);
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
    const { topic, reader, by, read, post } = this.#options;
    const [state, effects] = await stored(["boxes", "acts"], async (boxes, acts) => {
      const before = await load(boxes, acts, this.#id);
      // Only an act begins an outbox: one that was wiped does not come back.
      if (!before && event.type !== "keep") return [EMPTY, []];
      const whose = { topic, reader, by, read, post };
      const known = before ?? { ...EMPTY, ...whose, box: newKey() };
      const taken = step(known, { now: Date.now(), ...event });
      if (taken[1][0]?.type !== "part") {
        save(boxes, acts, this.#id, known, taken[0]);
        return taken;
      }
      const [full, more] = parted(taken[0]);
      const next = { ...more, ...whose, box: newKey() };
      save(boxes, acts, keyOf(reader, topic, full.box), known, full);
      save(boxes, acts, this.#id, EMPTY, next);
      // What takes back acts that the server has leaves from there.
      if (full.acts.some(isToSend)) openOutbox({ ...this.#options, box: full.box });
      return [next, [again(0)]];
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
    const headers = { "Content-Type": "application/json", "X-CSRFToken": keptIn(data).csrf ?? "" };
    const answer = await this.#fetch(post, SENDING, { method: "POST", body, headers });
    const isOurs = answer.status !== 200 || (Number.isInteger(answer.body.have) && Array.isArray(answer.body.outcomes));
    await this.#answer(isOurs ? answer : { ...answer, status: 0 });
  }

  /** Ask the server what it has. Returns its answer, or null if there is no line or the reader has no access. */
  async #read() {
    const { read, onRead } = this.#options;
    const url = new URL(read, location.href);
    if (this.key) url.searchParams.set("outbox", this.key);
    const answer = await this.#fetch(url, PATIENCE);
    if (answer.status === 200 && Number.isInteger(keptIn(answer.body)?.have)) {
      this.heard(true);
      onRead?.(answer.body);
      return answer.body;
    }
    // There is no line either for a browser that may store nothing of it.
    await this.#answer(answer.status === 200 ? { ...answer, status: 0 } : answer).catch(() => {});
    return null;
  }

  /** Our own JSON counts; a portal, a proxy or nothing at all does not. */
  async #fetch(url, patience, { headers, ...options } = {}) {
    const began = performance.now();
    const signal = AbortSignal.timeout(Math.min(MOST_PATIENCE, patience * this.#slowness));
    const all = { Accept: "application/json", ...this.#options.headers, ...headers };
    try {
      const response = await ask(url, { cache: "no-store", signal, headers: all, ...options });
      const retryAfter = Number(response.headers.get("Retry-After")) || 0;
      const body = await response.json();
      this.#slowness = Math.max(1, (2 * (performance.now() - began)) / patience);
      return { status: response.ok || body?.code ? response.status : 0, body: body ?? {}, retryAfter };
    } catch ({ name }) {
      if (name === "TimeoutError") this.#slowness = Math.min(2 * this.#slowness, MOST_PATIENCE / PATIENCE);
      return { status: 0, body: {}, retryAfter: 0 };
    }
  }

  async #answer({ status, body, retryAfter }) {
    this.heard(status > 0 && status < 500);
    const { code, have = body.params?.have, outcomes } = body;
    await this.#take({ type: "answer", status, code, have, n: body.params?.n, outcomes, retryAfter });
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
  openBoxes.add(box);
  await box.changed().catch(() => {});
  // What was sent is asked for as well: the server may have been restored, and what it could not do may be decided.
  if (box.acts().length) box.sendNow();
  return box;
}

for (const [target, type] of [[window, "online"], [document, "visibilitychange"], [window, "pageshow"]]) {
  target.addEventListener(type, () => {
    if (!document.hidden) for (const box of openBoxes) if (box.acts().length) box.sendNow();
  });
}
