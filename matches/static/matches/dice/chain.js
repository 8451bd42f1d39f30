/**
 * A player's dice chain in this browser (docs/dice.md): made here, kept in IndexedDB under match, side and number, and
 * so shared by all tabs. The transactions of IndexedDB exclude each other across tabs, over plain HTTP too, where
 * `navigator.locks` is missing: two tabs never hold two chains, and never reveal two links for one roll.
 */

import { toHex } from "./sha256.js";
import { CHAINS, ChainError, change, seenBefore } from "./storage.js";
import { LINKS, Verifier, linkBefore, rollsAmong, tagOf } from "./verify.js";

export { ChainError } from "./storage.js";
export { verifyRolls } from "./verify.js";

const LINK_BYTES = 32;
const CHECKPOINT = 64;
const CHUNK = 512; // Links between two pauses in which the page may do something else.

/**
 * The chain with which this browser plays a side of a match: the one it has, or a new one if it has none, or if its links
 * are used up or were given in vain. `chains` and `armings` are those of `GET …/live/`. Null if there is no storage.
 */
export async function openChain({ match, side, chains, armings }) {
  const own = chains.filter((chain) => chain.owner === String(side));
  const usable = (record) => isUsable(record, own);
  try {
    let record = (await recordsOf(match, side)).findLast(usable);
    if (!record) record = await keep(await newRecord(match, side, own.length + 1), usable);
    const chain = new Chain(record);
    await chain.check({ chains, armings });
    return chain;
  } catch (error) {
    if (error instanceof ChainError) return null;
    throw error;
  }
}

function isUsable(record, own) {
  if (record.number === own.length + 1) return true;
  const committed = own.find((chain) => chain.anchor === record.anchor);
  return !record.isSpent && committed?.number === record.number && committed.used < LINKS;
}

/** A chain whose secret was drawn here. Every 64th link is kept, so that a link costs at most 63 hashes. */
async function newRecord(match, side, number) {
  const tag = tagOf(match, side, number);
  let link = crypto.getRandomValues(new Uint8Array(LINK_BYTES));
  const checkpoints = new Uint8Array((LINKS / CHECKPOINT + 1) * LINK_BYTES);
  checkpoints.set(link, checkpoints.length - LINK_BYTES);
  for (let at = LINKS - 1; at >= 0; at--) {
    link = linkBefore(tag, link);
    if (at % CHECKPOINT === 0) checkpoints.set(link, (at / CHECKPOINT) * LINK_BYTES);
    if (at % CHUNK === 0) await new Promise((resolve) => setTimeout(resolve));
  }
  return { match, side, number, anchor: toHex(link), checkpoints, revealed: {}, made: new Date() };
}

/** Link `number` of a stored chain in hexadecimal. */
function linkOf({ match, side, number: chain, checkpoints }, number) {
  const tag = tagOf(match, side, chain);
  const checkpoint = Math.ceil(number / CHECKPOINT);
  let link = checkpoints.slice(checkpoint * LINK_BYTES, (checkpoint + 1) * LINK_BYTES);
  for (let at = checkpoint * CHECKPOINT; at > number; at--) link = linkBefore(tag, link);
  return toHex(link);
}

/** One verifier for each match: a chain that replaces another need not check all rolls again. */
const verifiers = new Map();

function verifierOf(match) {
  if (!verifiers.has(match)) verifiers.set(match, new Verifier(match));
  return verifiers.get(match);
}

class Chain {
  #record;
  #verifier;
  #chains = [];
  #armings = [];
  #given = new Set(); // What this page has revealed links for.
  #seenWith = new Map(); // How many armings of the opponent it knew with each link.

  constructor(record) {
    this.#record = record;
    this.#verifier = verifierOf(record.match);
  }

  /** Link 0 in hexadecimal, which the server gets. */
  get anchor() {
    return this.#record.anchor;
  }

  /** Which chain of this side it is, from 1. */
  get number() {
    return this.#record.number;
  }

  /** Whether the server has taken it in. */
  get isCommitted() {
    return this.#chains.some(({ number, anchor }) => number === this.number && anchor === this.anchor);
  }

  /** Whether it is the one of its side that was armed last. */
  get isArmed() {
    const last = this.#armings.findLast(({ owner }) => owner === String(this.#record.side));
    return this.isCommitted && last?.chain === this.number;
  }

  /**
   * Check what the server has published since the last time: all `chains` and `armings`, and `actions` (or `rolls`) of
   * the same answer that follow on those checked before; overlaps are harmless. Returns the report of verifyRolls with
   * `missing`: rolls in between are missing, so read the match again from its first action, or `GET …/live/dice/`.
   */
  async check({ chains, armings, actions = [], rolls = rollsAmong(actions) }) {
    this.#chains = chains;
    this.#armings = armings;
    const seen = await seenBefore(this.#record.match, chains, armings);
    this.#verifier.addChains(seen.chains);
    this.#verifier.addArmings(seen.armings);
    const complete = this.#verifier.follow(chains, armings, rolls);
    this.#checkGiven(rolls, actions);
    return { ...this.#verifier.report, missing: !complete };
  }

  /** Whether the links that this page gave are in the proof as they were given. */
  #checkGiven(rolls, actions) {
    for (const { number, links, play_link: last } of rolls) {
      for (const { link, seen } of last ? [...links, last] : links) {
        if (this.#seenWith.has(link) && this.#seenWith.get(link) !== seen) this.#fail(number, "seen_changed");
      }
    }
    let number = 0;
    for (const { kind, side, data } of actions) {
      if (kind === "roll") ({ number } = data);
      if (kind === "take_back") number = 0;
      const isBare = kind === "play" && side === this.#record.side && !data.forced && !data.link;
      if (isBare && this.#given.has(playOf(number))) this.#fail(number, "link_dropped");
    }
  }

  #fail(number, reason) {
    const { failed } = this.#verifier;
    if (failed.some((each) => each.number === number && each.reasons.includes(reason))) return;
    failed.push({ number, reasons: [reason] });
  }

  /**
   * The link for roll `k` in hexadecimal, and how many armings of the opponent are known with it: `{ link, seen }`. They
   * are stored before this returns; for the same k they are the same again.
   * Throws ChainError, above all unless all rolls before k have been checked and are right.
   */
  reveal(k) {
    return this.#reveal(String(k), k - 1);
  }

  /** The same for the play of roll `k`, which has been checked. */
  revealWithPlay(k) {
    return this.#reveal(playOf(k), k);
  }

  async #reveal(purpose, checked) {
    if (this.#verifier.failed.length) throw new ChainError("roll_failed");
    if (!this.isCommitted) throw new ChainError("not_committed");
    const { match, side, number: chain } = this.#record;
    const given = await change(CHAINS, (store, finish, fail) => {
      const key = [match, side, chain];
      store.get(key).onsuccess = ({ target: { result: record } }) => {
        if (record?.anchor !== this.anchor) return fail("storage_lost");
        const before = record.revealed[purpose];
        if (before) return finish(before);
        if (checked !== this.#verifier.count) return fail("roll_unverified");
        const number = this.#verifier.used(side, chain) + 1;
        if (number > LINKS) return fail("chain_exhausted");
        // A link that was given in vain is known to the server: this chain is used no more.
        record.isSpent = Object.values(record.revealed).some((each) => each.number >= number);
        if (record.isSpent) {
          store.put(record);
          return finish(null);
        }
        record.revealed[purpose] = { number, link: linkOf(record, number), seen: this.#verifier.armed(1 - side) };
        store.put(record);
        return finish(record.revealed[purpose]);
      };
    });
    if (!given) throw new ChainError("link_spent");
    this.#given.add(purpose);
    this.#seenWith.set(given.link, given.seen);
    return { link: given.link, seen: given.seen };
  }
}

/** What a link is revealed for with the play of a roll. */
const playOf = (number) => `play ${number}`;

function recordsOf(match, side) {
  return change(CHAINS, (store, finish) => {
    const all = IDBKeyRange.bound([match, side], [match, side, []]);
    store.getAll(all).onsuccess = ({ target }) => finish(target.result);
  });
}

/** Store a new chain, unless another tab has stored one that can be used; returns the one that is stored. */
function keep(record, usable) {
  return change(CHAINS, (store, finish) => {
    store.get([record.match, record.side, record.number]).onsuccess = ({ target: { result: other } }) => {
      if (other && usable(other)) return finish(other);
      store.put(record);
      return finish(record);
    };
  });
}

/**
 * The dice of the player: the chain of this browser, checked after every answer of the server.
 * `report`: of the rolls so far, `{verified, weak, failed}`; null while nothing has been checked.
 */
export class PlayerDice {
  #store;
  #settings;
  #chain = null;
  #checking = Promise.resolve();
  #preparing = null; // One at a time: a second chain would replace the first.

  constructor(store, settings) {
    this.#store = store;
    this.#settings = settings;
    this.report = null;
  }

  get isKeptByServer() {
    return this.#armed?.kept_by_server ?? false;
  }

  /** Check the rolls that have come since the last time. */
  check() {
    this.#checking = this.#checking.then(() => this.#check());
    return this.#checking;
  }

  /** Arm the chain of this browser unless it was armed last. Throws ChainError, without storage above all. */
  prepare() {
    this.#preparing ??= this.#prepare().finally(() => (this.#preparing = null));
    return this.#preparing;
  }

  async #prepare() {
    if (this.isKeptByServer) return;
    const { match, side } = this.#settings;
    const { chains, armings } = this.#store.state;
    this.#chain = await openChain({ match, side, chains, armings });
    if (this.#chain?.isArmed) return;
    const { anchor = "", number } = this.#chain ?? {};
    const { ok, data } = await this.#store.post("chains/", { anchor, number });
    if (!ok) throw new ChainError(this.#chain ? data.code : "storage_lost", this.#chain ? data.detail : "");
    this.#store.apply(data);
    await this.check();
  }

  /** Arm the chain of this browser ahead. Where the server refuses, the player is told when they roll. */
  async arm() {
    try {
      await this.prepare();
      return true;
    } catch (error) {
      if (error.sentence) return false;
      throw error;
    }
  }

  /** The link for the next roll, `{link, seen}`; nothing where the server keeps the chain. Throws ChainError. */
  async link() {
    await this.prepare();
    if (this.isKeptByServer) return {};
    await this.check();
    // Ready again after a break: the same link again, whichever device gave it.
    const { side } = this.#settings;
    const last = this.#store.actions.findLast(({ kind, side: by }) => kind === "roll" || (kind === "ready" && by === side));
    if (last?.kind === "ready") return { link: last.data.link.link };
    return this.#reveal((chain) => chain.reveal(this.#rolls + 1));
  }

  /** The link for the play of the last roll; nothing where there is none to give, since a play does without. */
  async linkWithPlay() {
    // In practice: the play that was taken back has given it.
    const last = this.#store.actions.findLast(({ kind }) => kind === "roll" || kind === "take_back");
    if (last?.kind === "take_back") return {};
    try {
      await this.prepare();
      if (this.isKeptByServer) return {};
      await this.check();
      return await this.#reveal((chain) => chain.revealWithPlay(this.#rolls));
    } catch (error) {
      if (error instanceof ChainError || error.constructor.name === "Unreachable") return {};
      throw error;
    }
  }

  /** Reveal a link, of a new chain where one of the old chain was given in vain. */
  async #reveal(of) {
    try {
      return await of(this.#chain);
    } catch (error) {
      if (!(error instanceof ChainError) || error.code !== "link_spent") throw error;
    }
    await this.prepare();
    await this.check();
    return of(this.#chain);
  }

  get #armed() {
    const { chains = [], armings = [] } = this.#store.state ?? {};
    const last = armings.findLast(({ owner }) => owner === String(this.#settings.side));
    return last && chains.find(({ owner, number }) => owner === last.owner && number === last.chain);
  }

  get #rolls() {
    return this.#store.actions.findLast((action) => action.data.number)?.data.number ?? 0;
  }

  async #check() {
    const { chains, armings } = this.#store.state;
    if (!this.#chain) {
      const { match, side } = this.#settings;
      if (this.isKeptByServer || !this.#armed) return;
      this.#chain = await openChain({ match, side, chains, armings });
      if (!this.#chain) return;
    }
    this.report = await this.#chain.check({ chains, armings, actions: this.#store.actions });
  }
}
