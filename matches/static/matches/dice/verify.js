/**
 * The dice of a match played here, checked from what the server has published (docs/dice.md). The same checks as in
 * tools/verify_dice.py, on the JSON of `GET …/live/` or `GET …/live/dice/`. No state outside the values, no network.
 */

import { concat, hmacSha256, linkBytes, sha256, toHex, utf8 } from "./sha256.js";

/** Links of a chain that can be revealed. */
export const LINKS = 4096;
const USABLE = 252; // Larger bytes would favour some rolls.
const ROLLS = 36;
const DIE = 6;
const MOST_BLOCKS = 16;

/** What is hashed in front of every link of a chain. */
export const tagOf = (match, owner, number) => utf8(`barpoint/1|${match}|${owner}|${number}|`);

/** The link before a link of a chain. */
export const linkBefore = (tag, link) => sha256(concat(tag, link));

/**
 * How three links give a roll: `{ dice, stream, block, at, byte }`. `stream` is the HMAC of block `block` in
 * hexadecimal, whose byte number `at` (from 0), of the value `byte`, gives the dice.
 */
export function rollOf({ match, number, server, first, second, opening }) {
  for (let block = 0; block < MOST_BLOCKS; block++) {
    const stream = hmacSha256(server, utf8(`barpoint/1|${match}|${number}|${block}|${first}|${second}`));
    for (const [at, byte] of stream.entries()) {
      const dice = [Math.floor((byte % ROLLS) / DIE) + 1, (byte % DIE) + 1];
      if (byte < USABLE && !(opening && dice[0] === dice[1])) return { dice, stream: toHex(stream), block, at, byte };
    }
  }
  return null;
}

/** The rolls among the actions of a match, as `GET …/live/dice/` gives them. */
export const rollsAmong = (actions) =>
  actions.filter((action) => action.kind === "roll").map((action) => ({ side: action.side, ...action.data }));

const keyOf = (owner, number) => `${owner}/${number}`;
const opponentOf = (owner) => (owner === "0" ? "1" : "0");

/**
 * Walks the rolls of a match in order and remembers the last link of each chain. Reasons why a roll fails:
 * `out_of_order`, `wrong_sides`, `chain_unknown`, `link_skipped`, `link_not_in_chain`, `link_malformed`,
 * `weak_unmarked`, `dice_differ`, `roll_changed`; why a chain does: `link_malformed`, `chain_changed`,
 * `chain_backdated`.
 */
export class Verifier {
  #chains = new Map();
  #last = new Map();
  #latest = { 0: "", 1: "" };
  #reveals = { 0: 0, 1: 0 };
  #published = { 0: 0, 1: 0 };
  #walked = [];
  #stopped = false;

  constructor(match) {
    this.match = match;
    this.weak = [];
    this.failed = [];
    /** For each roll that was checked: `{ number, reasons, weak, opening, first, second, server, result }`. */
    this.rolls = [];
  }

  /** How many rolls have been walked, right or wrong. */
  get count() {
    return this.#walked.length;
  }

  /** The last link of a chain that was used by a roll; 0 if none was. */
  used(owner, number) {
    return this.#last.get(keyOf(String(owner), number))?.number ?? 0;
  }

  /** Take in the chains published so far. A chain that is known already may not have changed. */
  addChains(chains) {
    for (const chain of chains) {
      const key = keyOf(chain.owner, chain.number);
      const known = this.#chains.get(key);
      if (known) {
        const same = known.anchor === chain.anchor && (known.opponent_reveals ?? 0) === (chain.opponent_reveals ?? 0);
        if (!same) this.#failChain(chain, "chain_changed");
        continue;
      }
      const anchor = linkBytes(chain.anchor);
      if (!anchor) {
        this.#failChain(chain, "link_malformed");
        continue;
      }
      this.#chains.set(key, { ...chain });
      this.#last.set(key, { number: 0, link: anchor });
      // Where a match is followed, a chain was committed after whatever had been published without it.
      const early = chain.owner !== "server" && chain.opponent_reveals < this.#published[opponentOf(chain.owner)];
      if (early) this.#failChain(chain, "chain_backdated");
    }
  }

  /**
   * Follow a match while it is played: the chains of one answer of the server, and rolls of the same answer that
   * continue those walked before. Rolls may come again, but may not have changed. False if some are missing between.
   */
  follow(chains, rolls) {
    this.addChains(chains);
    for (const roll of rolls) {
      const known = this.#walked[roll.number - 1];
      if (known === undefined) {
        if (roll.number > this.count + 1) return false;
        this.addRoll(roll);
      } else if (known !== fingerprint(roll)) this.failed.push({ number: roll.number, reasons: ["roll_changed"] });
    }
    this.#published = { ...this.#reveals };
    return true;
  }

  /** Check the next roll. After one that is missing or out of order nothing more can be checked. */
  addRoll(roll) {
    if (this.#stopped) return;
    const number = this.count + 1;
    if (roll.number !== number) {
      this.#stopped = true;
      this.failed.push({ number, reasons: ["out_of_order"] });
      return;
    }
    this.#walked.push(fingerprint(roll));
    const details = this.#check(roll);
    this.rolls.push(details);
    if (details.reasons.length) this.failed.push({ number, reasons: details.reasons });
    else if (details.weak) this.weak.push(number);
  }

  /** `{ verified, weak, failed }`: how many rolls are right, the numbers of those marked weak, and what is wrong. */
  get report() {
    const wrong = new Set(this.failed.map((each) => each.number));
    const verified = this.rolls.filter((roll) => !wrong.has(roll.number)).length;
    return { verified, weak: [...this.weak], failed: this.failed.map((each) => ({ ...each })) };
  }

  #failChain(chain, reason) {
    this.failed.push({ number: null, chain: { owner: chain.owner, number: chain.number }, reasons: [reason] });
  }

  #check(roll) {
    const opening = roll.side === null;
    const details = { number: roll.number, side: roll.side, reasons: [], weak: Boolean(roll.weak), opening };
    const owners = opening ? ["0", "1"] : [String(roll.side)];
    const revealed = new Map(roll.links.map((link) => [link.owner, link]));
    if (revealed.size !== owners.length || !owners.every((owner) => revealed.has(owner))) {
      details.reasons.push("wrong_sides");
      return details;
    }
    const before = { ...this.#reveals };
    for (const owner of owners) {
      // In an opening both links were revealed before the dice were drawn.
      const byOpponent = before[opponentOf(owner)] + Number(opening);
      this.#checkPlayersLink(details, revealed.get(owner), byOpponent);
    }
    this.#checkLink(details, roll.server, "server");
    details.first = opening ? revealed.get("0").link : revealed.get(owners[0]).link;
    details.second = opening ? revealed.get("1").link : this.#latest[opponentOf(owners[0])];
    details.server = roll.server.link;
    const server = linkBytes(roll.server.link);
    if (!server) return details;
    details.result = rollOf({ match: this.match, number: roll.number, ...details, server });
    const dice = details.result?.dice;
    if (!dice || roll.dice.length !== 2 || dice[0] !== roll.dice[0] || dice[1] !== roll.dice[1]) {
      details.reasons.push("dice_differ");
    }
    return details;
  }

  #checkPlayersLink(details, link, byOpponent) {
    const chain = this.#chains.get(keyOf(link.owner, link.chain));
    // A chain is proof only once the opponent has revealed a link after it was committed.
    if (chain && byOpponent <= chain.opponent_reveals && !details.weak) {
      details.reasons.push("weak_unmarked");
    }
    this.#checkLink(details, link, link.owner);
    this.#latest[link.owner] = link.link;
    this.#reveals[link.owner] += 1;
  }

  #checkLink(details, link, owner) {
    const key = keyOf(owner, link.chain);
    const known = this.#last.get(key);
    const value = linkBytes(link.link);
    if (!value) details.reasons.push("link_malformed");
    if (!known) details.reasons.push("chain_unknown");
    if (!known || !value) return;
    if (link.number !== known.number + 1) details.reasons.push("link_skipped");
    else if (!equal(linkBefore(tagOf(this.match, owner, link.chain), value), known.link)) {
      details.reasons.push("link_not_in_chain");
    }
    this.#last.set(key, { number: link.number, link: value });
  }
}

const equal = (left, right) => left.every((byte, i) => byte === right[i]);

const fingerprint = (roll) =>
  JSON.stringify([
    roll.number,
    roll.side,
    roll.dice,
    Boolean(roll.weak),
    [...roll.links, roll.server].map((link) => [link.owner, link.chain, link.number, link.link]),
  ]);

/**
 * Check all rolls of a match: `{ verified, weak, failed }`. `chains` and `rolls` as in `GET …/live/dice/`, or the
 * `actions` of `GET …/live/` from the first on instead of the rolls.
 */
export function verifyRolls({ match, chains, actions = [], rolls = rollsAmong(actions) }) {
  const verifier = new Verifier(match);
  verifier.addChains(chains);
  for (const roll of rolls) verifier.addRoll(roll);
  return verifier.report;
}
