/**
 * A player's dice chain in this browser (docs/dice.md): made here, kept in IndexedDB under match, side and number, and
 * so shared by all tabs. The transactions of IndexedDB exclude each other across tabs, over plain HTTP too, where
 * `navigator.locks` is missing: two tabs never hold two chains, and never reveal two links for one roll.
 *
 *     const chain = await openChain({ match, side, chains: state.chains });
 *     if (!chain) …                        // no storage: let the server keep the chain, or do not play on this device
 *     if (!chain.isCommitted) await post(`…/live/chains/`, { anchor: chain.anchor });
 *     await chain.check({ chains: state.chains, actions: state.actions });   // after every answer of the server
 *     const link = await chain.reveal(k);                                    // k: the number of the roll, from 1
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
 * The chain with which this browser plays a side of a match: the one it has, or a new one if it has none, if another
 * device has committed to one since, or if all its links are used. `chains` are those of `GET …/live/`; without them
 * it is the newest chain that this browser has, or the first. Null if there is no storage.
 */
export async function openChain({ match, side, chains }) {
  const current = lastOf(chains ?? [], side);
  const usable = (record) => (chains ? isUsable(record, current) : true);
  try {
    let record = (await recordsOf(match, side)).findLast(usable);
    if (!record) record = await keep(await newRecord(match, side, (current?.number ?? 0) + 1), usable);
    const chain = new Chain(record);
    if (chains) await chain.check({ chains });
    return chain;
  } catch (error) {
    if (error instanceof ChainError) return null;
    throw error;
  }
}

const lastOf = (chains, side) =>
  chains.filter((chain) => chain.owner === String(side)).reduce((a, b) => (a && a.number > b.number ? a : b), null);

function isUsable(record, current) {
  if (record.number === (current?.number ?? 0) + 1) return true;
  const isCommitted = current && record.number === current.number && record.anchor === current.anchor;
  return isCommitted && current.used < LINKS;
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

  /** Whether it is the side's current chain as far as the server has said. */
  get isCommitted() {
    const current = lastOf(this.#chains, this.#record.side);
    return current?.number === this.number && current.anchor === this.anchor;
  }

  /**
   * Check what the server has published since the last time: all `chains`, and `actions` (or `rolls`) of the same
   * answer that follow on those checked before; overlaps are harmless. Returns the report of verifyRolls with
   * `missing`: rolls in between are missing, so read the match again from its first action, or `GET …/live/dice/`.
   */
  async check({ chains, actions = [], rolls = rollsAmong(actions) }) {
    this.#chains = chains;
    this.#verifier.addChains(await seenBefore(this.#record.match, chains));
    const complete = this.#verifier.follow(chains, rolls);
    return { ...this.#verifier.report, missing: !complete };
  }

  /**
   * The link for roll `k`, in hexadecimal. It is stored before this returns; for the same k it is the same again.
   * Throws ChainError, above all unless all rolls before k have been checked and are right.
   */
  async reveal(k) {
    if (this.#verifier.failed.length) throw new ChainError("roll_failed");
    if (!this.isCommitted) throw new ChainError(this.#isReplaced ? "chain_replaced" : "not_committed");
    const { match, side, number: chain } = this.#record;
    return change(CHAINS, (store, finish, fail) => {
      const key = [match, side, chain];
      store.get(key).onsuccess = ({ target: { result: record } }) => {
        if (record?.anchor !== this.anchor) return fail("storage_lost");
        const before = record.revealed[k];
        if (before) return finish(before.link);
        const refusal = this.#refusal(k, record);
        if (refusal) return fail(refusal);
        const number = this.#verifier.used(side, chain) + 1;
        const link = linkOf(record, number);
        record.revealed[k] = { number, link };
        store.put(record);
        return finish(link);
      };
    });
  }

  get #isReplaced() {
    const current = lastOf(this.#chains, this.#record.side);
    return Boolean(current) && current.number >= this.number;
  }

  /** Why no new link may be revealed for roll k; which one it is follows from the rolls before. */
  #refusal(k, record) {
    if (k !== this.#verifier.count + 1) return "roll_unverified";
    const number = this.#verifier.used(record.side, record.number) + 1;
    if (number > LINKS) return "chain_exhausted";
    const isSpent = Object.values(record.revealed).some((each) => each.number >= number);
    return isSpent ? "link_spent" : null;
  }
}

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
