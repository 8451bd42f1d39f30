/**
 * The dice page: checks every roll of the match in this browser and writes the results into the page, which the server
 * has rendered with all rolls. An open page of a running match is replaced when it changes and checked again.
 */

import { fillIn } from "../../config/names.js";
import { ask } from "../../config/ours.js";
import { ChainError, seenBefore } from "./storage.js";
import { Verifier } from "./verify.js";

const STREAM_SHOWN = 20; // Hexadecimal digits of the HMAC.
const templates = document.getElementById("dice-templates").content;
/** What was published when it was checked last; it may grow, but not change. */
let before = null;
let checked = new Map();

const root = () => document.getElementById("dice");
const textOf = (selector) => templates.querySelector(selector).textContent.trim();

function fill(element, slots) {
  for (const [name, text] of Object.entries(slots)) {
    for (const slot of element.querySelectorAll(`[data-slot="${name}"]`)) slot.textContent = text;
  }
}

/** The chains and armings that this browser saw first; where it has no storage, those that are published now. */
async function remembered(published) {
  try {
    const seen = await seenBefore(published.match, published.chains, published.armings);
    root().querySelector("[data-remembers]").hidden = false;
    return seen;
  } catch (error) {
    if (error instanceof ChainError) return published;
    throw error;
  }
}

async function check(published) {
  const begun = performance.now();
  const verifier = new Verifier(published.match);
  const { chains, armings } = await remembered(published);
  verifier.addChains(chains);
  verifier.addArmings(armings);
  if (before) verifier.follow(before.chains, before.armings, before.rolls);
  if (!verifier.follow(published.chains, published.armings, published.rolls)) {
    verifier.failed.push({ number: verifier.count + 1, reasons: ["out_of_order"] });
  }
  before = published;
  checked = new Map(verifier.rolls.map((roll) => [roll.number, roll]));
  show(verifier, published.rolls, (performance.now() - begun) / 1000);
}

function show(verifier, rolls, seconds) {
  const { verified, weak, failed } = verifier.report;
  const wrong = new Set(failed.map((each) => each.number).filter(Boolean));
  const state = failed.length ? "wrong" : rolls.length ? "right" : "none";
  const shown = seconds.toLocaleString(document.documentElement.lang, { maximumSignificantDigits: 1 });
  fill(root(), { full: verified - weak.length, weak: weak.length, wrong: wrong.size, seconds: shown });
  const figures = root().querySelector("[data-figures]");
  figures.hidden = rolls.length === 0;
  for (const figure of figures.children) figure.toggleAttribute("data-zero", figure.lastElementChild.textContent === "0");
  list(failed, rolls);
  for (const row of root().querySelectorAll("[data-roll]")) {
    const number = Number(row.dataset.roll);
    const outcome = wrong.has(number) || !checked.has(number) ? "wrong" : weak.includes(number) ? "weak" : "right";
    row.dataset.outcome = outcome;
    const word = templates.querySelector(`[data-outcome="${outcome}"]`).cloneNode(true);
    row.querySelector("[data-result]").replaceChildren(...word.childNodes);
    if (row.open) explain(row);
  }
  conclude(state);
}

function conclude(state) {
  const card = root().querySelector(".dice-verdict");
  card.dataset.state = state;
  for (const sentence of card.querySelectorAll("[data-verdict]")) {
    sentence.hidden = !sentence.dataset.verdict.split(" ").includes(state);
  }
}

/** What is wrong, each with its reasons and a link to the roll. */
function list(failed, rolls) {
  const items = failed.map(({ number, chain, reasons }) => {
    const item = document.createElement("li");
    const sentences = reasons.map((reason) => textOf(`[data-reason="${reason}"]`)).join(" ");
    if (number) {
      const link = document.createElement("a");
      const game = rolls.filter((roll) => roll.number <= number && roll.side === null).length;
      const isHere = document.getElementById(`roll-${number}`);
      link.href = isHere ? `#roll-${number}` : `${root().dataset.here}?game=${game}#roll-${number}`;
      link.textContent = fillIn(textOf('[data-name="roll"]'), { number });
      item.append(link, `: ${sentences}`);
    } else {
      const owner = textOf(`[data-owner="${chain.owner}"]`);
      item.append(`${fillIn(textOf('[data-name="chain"]'), { owner, number: chain.number })}: ${sentences}`);
    }
    return item;
  });
  const element = root().querySelector("[data-failed]");
  element.replaceChildren(...items);
  element.hidden = items.length === 0;
}

/** Fill in the three steps of an opened row. */
function explain(row) {
  const roll = checked.get(Number(row.dataset.roll));
  if (!roll?.result) return;
  const { stream, at, byte, dice } = roll.result;
  const from = Math.max(0, 2 * at + 2 - STREAM_SHOWN);
  const to = Math.max(STREAM_SHOWN, 2 * at + 2);
  const steps = templates.querySelector(`[data-steps-of="${roll.opening ? "opening" : "roll"}"]`).cloneNode(true);
  fill(steps, {
    head: (from ? "…" : "") + stream.slice(from, 2 * at),
    hex: stream.slice(2 * at, 2 * at + 2),
    tail: `${stream.slice(2 * at + 2, to)}…`,
    byte,
    rest: byte % 36,
    place: (byte % 36) + 1,
    dice: dice.join("-"),
  });
  const element = row.querySelector("[data-steps]");
  element.replaceChildren(...steps.children);
  element.hidden = false;
}

async function checkAll(read) {
  try {
    await check(await read());
  } catch (error) {
    conclude("unreadable");
    throw error;
  }
}

const ofThisPage = () => checkAll(() => JSON.parse(document.getElementById("dice-data").textContent));

async function again() {
  const shown = before?.rolls.length;
  await checkAll(async () => {
    const response = await ask(root().dataset.file, { cache: "no-store" });
    if (!response.ok) throw new Error(`${response.status} for the dice`);
    return response.json();
  });
  if (before.rolls.length !== shown) location.reload();
}

const button = document.querySelector("[data-again]");
button.hidden = false;
button.addEventListener("click", again);
document.addEventListener("toggle", (event) => event.target.matches("[data-roll]") && explain(event.target), true);
document.addEventListener("htmx:afterSettle", (event) => event.target.id === "dice" && ofThisPage());
addEventListener("hashchange", openNamed);

function openNamed() {
  const row = document.getElementById(location.hash.slice(1));
  if (row?.matches("[data-roll]")) row.open = true;
}

openNamed();
ofThisPage();
