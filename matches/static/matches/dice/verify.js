/**
 * The dice of a match played here, checked from what the server has published (docs/dice.md). The same checks as in
 * verify/verify_dice.py, on the JSON of `GET …/live/` or `GET …/live/dice/`. No state outside the values, no network.
 */

import { concat, hmacSha256, linkBytes, sha256, toHex, utf8 } from "./sha256.js";

/** Links of a chain that can be revealed. */
export const LINKS = 4096;
const USABLE = 252; // Larger bytes would favour some rolls.
const ROLLS = 36;
const DIE = 6;
const MAX_BLOCKS = 16;
const UNKNOWN = -1; // Armings of older releases do not tell what the opponent had revealed.

/** What is hashed in front of every link of a chain. */
export const tagOf = (match, owner, number) => utf8(`barpoint/1|${match}|${owner}|${number}|`);

/** The link before a link of a chain. */
export const linkBefore = (tag, link) => sha256(concat(tag, link));

/**
 * How three links give a roll: `{ dice, stream, block, at, byte }`. `stream` is the HMAC of block `block` in
 * hexadecimal, whose byte number `at` (from 0), of the value `byte`, gives the dice.
 */
export function rollOf({ match, number, server, first, second, opening }) {
  for (let block = 0; block < MAX_BLOCKS; block++) {
    const stream = hmacSha256(server, utf8(`barpoint/1|${match}|${number}|${block}|${first}|${second}`));
    for (const [at, byte] of stream.entries()) {
      const dice = [Math.floor((byte % ROLLS) / DIE) + 1, (byte % DIE) + 1];
      if (byte < USABLE && !(opening && dice[0] === dice[1])) return { dice, stream: toHex(stream), block, at, byte };
    }
  }
  return null;
}

/** The rolls among the actions of a match, as `GET …/live/dice/` gives them: with the link revealed with their play. */
export function rollsAmong(actions) {
  const rolls = [];
  for (const { kind, side, data } of actions) {
    if (kind === "roll") rolls.push({ side, ...data });
    else if (kind === "play" && data.link && rolls.length) rolls.at(-1).play_link = data.link;
  }
  return rolls;
}

const keyOf = (owner, number) => `${owner}/${number}`;
const opponentOf = (owner) => (owner === "0" ? "1" : "0");

/**
 * Walks the rolls of a match in order and remembers the last link of each chain. The reasons for which a roll or a chain
 * fails are explained in templates/matches/play/_dice_templates.html.
 */
export class Verifier {
  #chains = new Map();
  #last = new Map();
  #armings = { 0: [], 1: [] };
  #latest = { 0: { link: "", seen: 0 }, 1: { link: "", seen: 0 } };
  #reveals = { 0: 0, 1: 0 };
  #walked = [];
  #played = new Map(); // By the number of a roll, the link revealed with its play.
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

  /** How many armings of a side are known. */
  armed(owner) {
    return this.#armings[owner].length;
  }

  /** Take in the armings published so far, in order. Those known already may not have changed. */
  addArmings(armings) {
    const count = { 0: 0, 1: 0 };
    for (const { owner, chain, own_reveals: before, opponent_reveals: theirs = UNKNOWN } of armings) {
      const own = this.#armings[owner];
      const known = own[count[owner]];
      count[owner] += 1;
      if (known) {
        if (known.chain !== chain || known.before !== before || known.theirs !== theirs) {
          this.#failChain({ owner, number: chain }, "arming_changed");
        }
        continue;
      }
      if (own.length && own.at(-1).before > before) this.#failChain({ owner, number: chain }, "arming_disordered");
      own.push({ chain, before, theirs });
    }
  }

  /** Take in the chains published so far. A chain that is known already may not have changed. */
  addChains(chains) {
    for (const chain of chains) {
      const key = keyOf(chain.owner, chain.number);
      const known = this.#chains.get(key);
      if (known) {
        if (known.anchor !== chain.anchor) this.#failChain(chain, "chain_changed");
        continue;
      }
      const anchor = linkBytes(chain.anchor);
      if (!anchor) {
        this.#failChain(chain, "link_malformed");
        continue;
      }
      this.#chains.set(key, { ...chain });
      this.#last.set(key, { number: 0, link: anchor });
    }
  }

  /**
   * Follow a match while it is played: the chains and armings of one answer of the server, and rolls of the same answer
   * that continue those walked before. Rolls may come again, but may not have changed. False if some are missing between.
   */
  follow(chains, armings, rolls) {
    this.addChains(chains);
    this.addArmings(armings);
    for (const roll of rolls) {
      const known = this.#walked[roll.number - 1];
      if (known === undefined) {
        if (roll.number > this.count + 1) return false;
        this.addRoll(roll);
      } else if (known !== fingerprint(roll) || !this.#goesOnWithPlay(roll)) {
        this.failed.push({ number: roll.number, reasons: ["roll_changed"] });
      }
    }
    return true;
  }

  /** Take in the link of the play of a roll that was walked before. False if it is not what was published before. */
  #goesOnWithPlay(roll) {
    const link = roll.play_link;
    const known = this.#played.get(roll.number);
    if (known || !link) return known === (link && fingerprintOf(link));
    if (roll.number !== this.count) return false;
    const details = this.rolls[roll.number - 1];
    const before = details.reasons.length;
    this.#checkPlay(details, roll);
    const reasons = details.reasons.slice(before);
    if (reasons.length) this.failed.push({ number: roll.number, reasons });
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
    if (roll.links.length !== owners.length || !owners.every((owner) => revealed.has(owner))) {
      details.reasons.push("wrong_sides");
      return details;
    }
    const opponents = (owner) => revealed.get(opponentOf(owner)) ?? this.#latest[opponentOf(owner)];
    const isOfOther = (owner) => this.#inForce(owner, opponents(owner)) !== revealed.get(owner).chain;
    const notInForce = owners.filter(isOfOther);
    const isFull = !notInForce.length;
    if (!isFull && !details.weak) details.reasons.push("weak_unmarked");
    if (isFull && details.weak) details.reasons.push("weak_unneeded");
    if (roll.weak_by) {
      const names = Object.keys(roll.weak_by).length === notInForce.length;
      const isDoing = (owner) => roll.weak_by[owner] === this.#doing(owner, opening, revealed.get(owner));
      if (!names || !notInForce.every(isDoing)) details.reasons.push("weak_by_differs");
    }
    for (const owner of owners) this.#checkSeen(details, revealed.get(owner));
    for (const owner of owners) {
      const { chain } = revealed.get(owner);
      const isArmed = (arming) => arming.chain === chain && arming.before <= this.#reveals[owner];
      if (!this.#armings[owner].some(isArmed)) details.reasons.push("chain_unarmed");
      this.#checkPlayersLink(details, revealed.get(owner));
    }
    this.#checkLink(details, roll.server, "server");
    details.first = opening ? revealed.get("0").link : revealed.get(owners[0]).link;
    details.second = opening ? revealed.get("1").link : this.#latest[opponentOf(owners[0])].link;
    details.server = roll.server.link;
    const server = linkBytes(roll.server.link);
    if (!server) return details;
    details.result = rollOf({ match: this.match, number: roll.number, ...details, server });
    const dice = details.result?.dice;
    if (!dice || roll.dice.length !== 2 || dice[0] !== roll.dice[0] || dice[1] !== roll.dice[1]) {
      details.reasons.push("dice_differ");
    }
    if (roll.play_link) this.#checkPlay(details, roll);
    return details;
  }

  /**
   * The one chain whose next link makes a full roll of a side, with this link of the opponent: the one that the side
   * armed last before this link of its own, among the armings that the opponent had seen with theirs.
   */
  #inForce(owner, { seen = 1 }) {
    const armings = this.#armings[owner].slice(0, seen);
    return armings.findLast((arming) => arming.before <= this.#reveals[owner])?.chain ?? 0;
  }

  /**
   * Whose doing it was that the link of a side is not of the chain in force: the opponent's, if it would be, had their
   * link seen all armings that were made before it.
   */
  #doing(owner, opening, { chain }) {
    const theirs = this.#reveals[opponentOf(owner)] + Number(opening);
    const isBefore = (arming) => arming.theirs > UNKNOWN && arming.theirs < theirs;
    const seen = this.#armings[owner].filter(isBefore).length;
    return this.#inForce(owner, { seen }) === chain ? opponentOf(owner) : owner;
  }

  /** Check that a link names all armings that were made before a link of either side that the board showed. */
  #checkSeen(details, { owner, seen = 1 }) {
    const opponent = opponentOf(owner);
    const isShown = ({ before, theirs }) =>
      theirs > UNKNOWN && (before < this.#reveals[opponent] || theirs < this.#reveals[owner]);
    if (seen <= this.#armings[opponent].findLastIndex(isShown)) details.reasons.push("seen_too_few");
  }

  #checkPlay(details, roll) {
    const link = roll.play_link;
    this.#played.set(roll.number, fingerprintOf(link));
    const mover = details.side ?? Number(details.result?.dice[1] > details.result?.dice[0]);
    if (link.owner !== String(mover)) details.reasons.push("wrong_sides");
    else {
      this.#checkSeen(details, link);
      this.#checkPlayersLink(details, link);
    }
  }

  #checkPlayersLink(details, link) {
    const { seen = 1 } = link;
    if (!(seen >= 0 && seen <= this.#armings[opponentOf(link.owner)].length)) details.reasons.push("seen_unknown");
    this.#checkLink(details, link, link.owner);
    this.#latest[link.owner] = link;
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

const fingerprintOf = (link) => JSON.stringify([link.owner, link.chain, link.number, link.link, link.seen ?? null]);

const fingerprint = (roll) =>
  JSON.stringify([
    roll.number,
    roll.side,
    roll.dice,
    Boolean(roll.weak),
    roll.weak_by ?? null,
    [...roll.links, roll.server].map(fingerprintOf),
  ]);

/**
 * Check all rolls of a match: `{ verified, weak, failed }`. `chains`, `armings` and `rolls` as in `GET …/live/dice/`, or
 * the `actions` of `GET …/live/` from the first on instead of the rolls.
 */
export function verifyRolls({ match, chains, armings, actions = [], rolls = rollsAmong(actions) }) {
  const verifier = new Verifier(match);
  verifier.addChains(chains);
  verifier.addArmings(armings);
  for (const roll of rolls) verifier.addRoll(roll);
  return verifier.report;
}
