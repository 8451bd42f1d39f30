// The match as this page knows it. Actions are sent one at a time, again and again until the server has answered, always
// with the same key: the server makes each of them once.

import { ask } from "../../config/ours.js";
import { forget, keep, recall } from "./kept.js";

const RETRY = [500, 1000, 2000, 4000];
const PATIENCE = 8000;
const FIRST_PATIENCE = 30_000; // A long match is read whole, perhaps over a slow network.
const ANSWER_WITHIN = 1000;
const BUSY = new Set([408, 429, 503]);

/** The server cannot be reached, or not now. */
class Unreachable extends Error {}

/** Events: `state` with `{fresh, own}`, `sending`, `refused` and `busy` with a problem, `connection` with `{online}`. */
export class Store extends EventTarget {
  #settings;
  #loading = null;
  #again = false;
  #failures = 0; // Readings in a row that the server did not answer.
  #later = 0; // The timer of the next attempt.
  #newest = 0; // The highest number of the match that the stream has sent.

  constructor(settings) {
    super();
    this.#settings = settings;
    this.state = null;
    this.actions = [];
    this.sending = null; // The kind of the action that is under way.
    this.refusedAfter = null; // The last action that was known when one was refused.
    this.signOfLife = () => ({}); // What each action says of this page (`presence.js`).
    this.online = true;
    this.offset = 0; // Milliseconds that the server's clock is ahead of ours …
    this.roundTrip = Infinity; // … measured by the fastest answer.
  }

  /** The actions that count: in practice, those that were taken back do not. */
  get standing() {
    if (!this.actions.some(({ kind }) => kind === "take_back")) return this.actions;
    const kept = [];
    for (const action of this.actions) {
      if (action.kind !== "take_back") kept.push(action);
      else while (kept.length && kept.at(-1).seq > action.data.to) kept.pop();
    }
    return kept;
  }

  /** What the server's clock shows. */
  get now() {
    return Date.now() + this.offset;
  }

  /** Read the match again; calls while it is being read lead to one more reading. */
  load() {
    if (this.#loading) {
      this.#again = true;
      return this.#loading;
    }
    this.#loading = this.#read().finally(() => {
      this.#loading = null;
      if (this.#again) {
        this.#again = false;
        this.load();
      }
    });
    return this.#loading;
  }

  /**
   * Take over the content that the stream has sent with number `seq`, or read the match again if that number is new;
   * while an action is under way only once its answer is late.
   */
  changed(seq, content) {
    this.#newest = Math.max(this.#newest, seq);
    if (!this.sending && this.#continues(seq, content)) return this.#applyContent(seq, content);
    const read = () => this.#newest > this.state.seq && this.load();
    if (this.sending) setTimeout(read, ANSWER_WITHIN);
    else read();
  }

  /** Do something in the match. Resolves with whether the server accepted it. */
  async act(kind, fields = {}) {
    if (this.sending) return false;
    const request = { key: randomKey(), body: { kind, after: this.state.last, ...fields } };
    this.#keep(request);
    return this.#send(request);
  }

  /** Send the action again that was under way when the page was left. */
  async resume() {
    const kept = recall("session", this.#keptAs);
    if (kept && this.state && !this.sending) await this.#send(JSON.parse(kept));
  }

  /** Post to another URL of the match; returns the answer, or throws. */
  post(path, body, options) {
    return this.get(path, { method: "POST", body: JSON.stringify(body), ...options });
  }

  /** Returns the status and the JSON of an answer. Throws Unreachable where there is none, or it was cut off. */
  async get(path, { headers = {}, patience = PATIENCE, ...options } = {}) {
    const { api, link, csrf } = this.#settings;
    const all = { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": csrf, ...headers };
    if (link) all["Match-Link"] = link;
    const started = Date.now();
    let response;
    try {
      response = await ask(api + path, { ...options, headers: all, signal: AbortSignal.timeout(patience) });
    } catch {
      // A request fails for no other reason.
      this.#setOnline(false);
      throw new Unreachable();
    }
    const took = Date.now() - started;
    this.#setOnline(true);
    const { ok, status } = response;
    let data = {};
    try {
      data = await response.json();
    } catch {
      if (ok && status !== 204) throw new Unreachable();
    }
    // The answer that took the least time tells the server's, and is forgotten slowly: clocks drift.
    this.roundTrip += 5;
    if (data.now && took <= this.roundTrip) {
      this.roundTrip = took;
      this.offset = Date.parse(data.now) - started - took / 2;
    }
    return { ok, status, data };
  }

  /** Take over the answer of a request that changed the match. */
  apply(data, { own = false } = {}) {
    if (this.state && data.last < this.state.last) return;
    const known = this.actions.length ? this.actions.at(-1).seq : 0;
    const newer = data.actions.filter((action) => action.seq > known);
    // Actions beyond a gap are left for the next reading, so that they stay in order.
    const fresh = !newer.length || newer[0].seq === known + 1 ? newer : [];
    this.actions.push(...fresh);
    // Scores are shown up to the length of the match, as everywhere on the site.
    this.state = { ...data, score: data.score.map((points) => Math.min(points, data.length)) };
    this.#emit("state", { fresh, own });
    if (fresh !== newer || (this.actions.length && this.actions.at(-1).seq < data.last)) this.load();
  }

  /** Whether the state is complete with this content: it is the next one, and the player has no play to choose. */
  #continues(seq, content) {
    if (!content || seq !== this.state.seq + 1 || this.#loading) return false;
    const known = this.actions.at(-1)?.seq ?? 0;
    const isNext = known === this.state.last && content.actions[0]?.seq === known + 1;
    return isNext && !(content.turn === this.#settings.side && content.phase === "to_play");
  }

  #applyContent(seq, { may, ...content }) {
    const { side } = this.#settings;
    const own = { may: side === null ? [] : may[side], graph: null, absence: null };
    this.apply({ ...this.state, ...content, ...own, seq });
  }

  async #read() {
    const since = this.actions.length ? this.actions.at(-1).seq : 0;
    try {
      const { ok, status, data } = await this.get(`?since=${since}`, { patience: since ? PATIENCE : FIRST_PATIENCE });
      if (ok) this.apply(data);
      else if (!BUSY.has(status)) this.#emit("refused", data);
      else return this.#readLater(data);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      return this.#readLater();
    }
    this.#failures = 0;
  }

  #readLater(problem = {}) {
    this.#emit("busy", problem);
    clearTimeout(this.#later);
    this.#later = setTimeout(() => this.load(), pause(this.#failures));
    this.#failures += 1;
  }

  async #send(request) {
    this.sending = request.body.kind;
    this.#emit("sending", { kind: request.body.kind });
    const { ok, data } = await this.#insist(request);
    forget("session", this.#keptAs);
    this.sending = null;
    if (ok) {
      this.apply(data, { own: true });
      this.changed(data.seq);
    } else {
      this.refusedAfter = request.body.after;
      await this.load();
      this.#emit("refused", { ...data, kind: request.body.kind });
    }
    return ok;
  }

  async #insist({ key, body }) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const headers = { "Idempotency-Key": key };
        // Only players who are signed in have a seat ticket.
        const { seat } = this.state;
        const answer = await this.post("actions/", { ...body, ...this.signOfLife(), ...(seat ? { seat } : {}) }, { headers });
        if (!BUSY.has(answer.status)) return answer;
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, pause(attempt)));
    }
  }

  #setOnline(online) {
    if (this.online === online) return;
    this.online = online;
    this.#emit("connection", { online });
  }

  get #keptAs() {
    return `barpoint-action:${this.#settings.match}:${this.#settings.side}`;
  }

  #keep(request) {
    keep("session", this.#keptAs, JSON.stringify(request));
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

/** Milliseconds to wait after so many attempts that have failed before the last one. */
function pause(failed) {
  return RETRY[Math.min(failed, RETRY.length - 1)] * (0.75 + Math.random() / 2);
}

export function randomKey() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
