// What happens once in a game or a match: the throws for the opening, the end of a game, and that of the match. Loaded
// when one of them happens. Nothing here delays play; under reduced motion only the words are shown.

import { blankDie, showFace, throwDice } from "../board/dice.js";
import { loadStyle } from "../board/board.js";
import { ask } from "../../config/ours.js";
import { follow } from "../../config/stream.js";
import { score, shortNames, words } from "./fill.js";

const FIRST = 700; // Milliseconds until the higher die is marked,
const SECOND = 500; // and until both are the starter’s.
const AGAIN = 900; // For equal dice.
const GAME_SHOWN = 2500;
const WITHIN_POINT = 4; // Checkers of a stack.
const ASK_EVERY = 4000;
const still = matchMedia("(prefers-reduced-motion: reduce)");

const pause = (duration) => new Promise((resolve) => setTimeout(resolve, duration));

export function loadMoments({ moments: style }) {
  loadStyle(style);
}

/**
 * Show what has happened between two states of a match, of which the first is missing on a page that was just opened;
 * `opening` is the roll that began a game since, if any, after which nobody has rolled.
 */
export function show(board, { before, state, opening, settings, near, light, store }) {
  const names = shortNames(settings.names);
  const isOver = state.winner !== null;
  const winner = [0, 1].find((side) => state.score[side] > (before?.score[side] ?? state.length - 1));
  if (winner !== undefined) {
    showWinner(board, { name: names[winner], detail: before ? ` ${wonIn(before, state, winner)}` : "", score: score(state.score, near), isOver });
  }
  const element = document.getElementById("end");
  if (isOver && settings.end && !element.firstChild) showEnd(element, settings);
  if (!isOver && opening) {
    showOpening(board, [...(opening.data.equal ?? []), opening.data.dice], { near, light, names, store });
  }
}

/** Return how a game was won, in words. */
function wonIn(before, state, winner) {
  const points = state.score[winner] - before.score[winner];
  const { kind, points: all, cube } = state.games.at(-1);
  // What a game was worth, not the points that were still needed.
  const manner = words(kind === "drop" || kind === "ruling" ? `manner-${kind}` : `manner-${all / cube}`);
  return words("wonBy", { manner, points });
}

/** Show the throws `[[die of side 0, of side 1], …]` for the opening, the last of which decides. */
async function showOpening(board, throws, { near, light, names, store }) {
  if (still.matches || document.hidden) return;
  const layer = layerOn(board, "opening");
  board.element.classList.add("is-opening");
  const ended = new AbortController();
  const end = () => {
    ended.abort();
    layer.remove();
    board.element.classList.remove("is-opening");
  };
  // The starter's first step ends it, or what follows a bot that began: nobody waits for dice.
  board.addEventListener("change", end, { signal: ended.signal });
  store.addEventListener("sending", end, { signal: ended.signal });
  for (const [index, dice] of throws.entries()) {
    const isLast = index === throws.length - 1;
    const parts = dice.map((die, side) => thrown(board, { die, side, near, light, isLast, name: names[side] }));
    layer.replaceChildren(...parts);
    parts.forEach((part, side) => throwDice([part.firstChild], side === near ? 120 : -120));
    await pause(isLast ? FIRST : AGAIN);
    if (!layer.isConnected) return void end();
    if (isLast) parts[dice[0] > dice[1] ? 0 : 1].classList.add("is-higher");
  }
  await pause(SECOND);
  end();
}

function thrown(board, { die, side, near, light, isLast, name }) {
  const part = Object.assign(document.createElement("div"), { className: `throw ${side === light ? "light" : "dark"}` });
  const { x, y } = board.diceAt(side === near);
  const { dieSize } = board.geometry;
  part.style.transform = `translate(${x - dieSize / 2}px, ${y - dieSize / 2}px)`;
  part.style.setProperty("--die", `${dieSize}px`);
  const picture = blankDie();
  showFace(picture, die);
  const pill = document.createElement("span");
  pill.textContent = isLast ? words("rolled", { name, dice: die }) : words("listAgain");
  part.append(picture, pill);
  return part;
}

/** Write on the felt who has won what: for a while, or until it is clicked, unless it is the end of the match. */
function showWinner(board, { name, detail, score, isOver }) {
  const layer = layerOn(board, "winner");
  layer.classList.toggle("is-clear", isClear(board));
  const [left, right] = [document.createElement("p"), document.createElement("p")];
  left.append(Object.assign(document.createElement("strong"), { textContent: words(isOver ? "wonEarly" : "wins", { name }) }), detail);
  right.textContent = score;
  layer.append(left, right);
  if (isOver) return;
  // A tap takes it away, and does what it would do without it.
  board.element.addEventListener("pointerdown", () => layer.remove(), { once: true });
  setTimeout(() => layer.remove(), GAME_SHOWN);
}

/** Whether all checkers stand within their points, so that nothing is where the words are written. */
function isClear({ checkers }) {
  return Array.from({ length: 24 }, (_, index) => checkers.count(index + 1)).every((count) => count <= WITHIN_POINT);
}

function layerOn(board, name) {
  for (const before of board.element.querySelectorAll(".moment")) before.remove();
  const layer = Object.assign(document.createElement("div"), { className: `moment ${name}` });
  layer.setAttribute("aria-hidden", "true");
  board.element.append(layer);
  return layer;
}

/** Fill in what the match came to, again and again until nothing more is to be expected. */
function showEnd(element, { end, endStyle, csrf }) {
  loadStyle(endStyle);
  let stop = () => {};
  let following = null;
  let timer = 0;
  const load = async () => {
    const response = await ask(end).catch(() => null);
    if (!response?.ok) return void (timer ||= setTimeout(() => ((timer = 0), load()), ASK_EVERY));
    const text = await response.text();
    if (element.dataset.shown === text) return again();
    element.dataset.shown = text;
    replace(element, text);
    document.getElementById("after").hidden = true;
    element.parentElement.classList.add("is-ended");
    return again();
  };
  const again = () => {
    const { topic, asks } = element.firstElementChild.dataset;
    if (topic && topic !== following) {
      following = topic;
      stop = follow([topic], { change: load, load, every: ASK_EVERY });
    } else if (!topic && following) {
      following = null;
      stop();
    }
    clearTimeout(timer);
    if (asks !== undefined || topic) timer = setTimeout(() => (document.hidden ? again() : load()), ASK_EVERY);
  };
  element.addEventListener("click", async ({ target }) => {
    const button = target.closest("[data-post]");
    if (button && !(await post(button, csrf))) load();
  });
  load();
}

/** Fill an element anew; the button or link that the reader is at keeps the focus. */
function replace(element, html) {
  const panel = element.parentElement;
  const at = element.contains(document.activeElement) ? document.activeElement.textContent : null;
  element.innerHTML = html;
  if (at === null) return;
  const targets = [...element.querySelectorAll("a, button:enabled")];
  panel.tabIndex = -1;
  (targets.find(({ textContent }) => textContent === at) ?? panel).focus({ preventScroll: true });
}

/** Do what a button is for: go to the board that it opens, or say why there is none. Returns whether that was all. */
async function post(button, csrf) {
  const failed = document.querySelector("#end [data-failed]");
  const headers = { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": csrf };
  const { post: url, body = "{}" } = button.dataset;
  button.disabled = true;
  const response = await ask(url, { method: "POST", headers, body }).catch(() => null);
  const data = (await response?.json().catch(() => null)) ?? {};
  if (data.page) location.assign(new URL(data.page).pathname);
  if (response?.ok) return Boolean(data.page);
  button.disabled = false;
  failed.textContent = data.detail ?? words("disconnected");
  failed.hidden = false;
  failed.scrollIntoView({ block: "nearest" });
  return true;
}
