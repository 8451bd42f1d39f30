/* The board on the home page for visitors. It is a picture until the page has loaded; then it follows a match that is
   being played by the event stream, or replays one. Nothing moves by itself where the visitor wants less motion. */

import { ask } from "../config/ours.js";

const EVERY = 2000; // Milliseconds for a step of a replay.
const ASK = 10_000; // Milliseconds between two looks at the match while there is no stream.
const AT_MOST = 2000; // Milliseconds for which a busy page delays the board.
const REST = 1; // Steps for which the end of the game stays.

const frame = document.getElementById("home-board");
const settings = JSON.parse(document.getElementById("home-board-settings").textContent);
const wantsLessMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** Put the board that moves in place of the picture, which keeps its description. */
async function upgrade() {
  const [{ Board }] = await Promise.all([import("../matches/board/board.js"), loadStyle(settings.style)]);
  const box = frame.querySelector("[data-board]");
  const picture = box.querySelector("svg");
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", [...frame.querySelectorAll("bdi")].map((name) => name.textContent).join(" – "));
  const element = document.createElement("div");
  element.inert = true;
  box.append(element);
  const board = new Board(element, { near: 0, light: 0 });
  picture.parentElement.remove();
  return board;
}

function loadStyle(href) {
  return new Promise((resolve, reject) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
    link.addEventListener("load", resolve);
    link.addEventListener("error", reject);
    document.head.append(link);
  });
}

/** Return the moves of a play as pairs of points. */
function movesOf({ data }) {
  return data.moves.flatMap((way) => way.slice(1).map((to, index) => [way[index], to]));
}

async function replay() {
  const { steps } = settings;
  const button = frame.querySelector("[data-autoplay]");
  let [board, at, timer] = [null, settings.at, 0];

  const next = async () => {
    if (document.hidden) return;
    board ??= await upgrade();
    at = at + 1 < steps.length + REST ? at + 1 : 0;
    if (at >= steps.length) return;
    const { moves, turn } = at > 0 ? steps[at - 1] : { moves: [], turn: null };
    const last = moves.length ? { side: turn, moves } : null;
    await board.show({ ...steps[at], last }, { animate: last && moves });
    frame.dataset.shown = String(at);
  };
  const play = (on) => {
    clearInterval(timer);
    timer = on ? setInterval(next, EVERY) : 0;
    button.textContent = on ? button.dataset.pause : button.dataset.play;
  };
  button.addEventListener("click", () => play(timer === 0));
  button.hidden = false;
  play(!wantsLessMotion.matches);
}

async function follow() {
  const [board, { follow: followTopics }] = await Promise.all([upgrade(), import("../config/stream.js")]);
  let { seq, last } = settings;
  let [played, stop] = [null, () => {}];

  const show = async (state, actions) => {
    const fresh = actions.findLast((action) => action.kind === "play");
    played = state.phase === "opening" ? null : fresh ? { side: fresh.side, moves: movesOf(fresh) } : played;
    const cube = { ...state.cube, offered: state.phase === "doubled", dimmed: state.crawford };
    const position = { ...state, dice: state.dice_to_play, cube, last: played };
    const scores = frame.querySelectorAll("[data-score]");
    for (const [side, points] of state.score.entries()) scores[side].textContent = Math.min(points, state.length);
    if (state.winner === null) await board.show(position, { animate: fresh ? played?.moves : null });
    else finish();
    frame.dataset.shown = String(seq);
  };
  const finish = () => {
    const words = frame.querySelector("[data-over]");
    words.textContent = words.dataset.over;
    frame.querySelector("[data-live]").classList.remove("live");
    stop();
  };
  const load = async () => {
    const response = await ask(`${settings.api}?since=${last}`, { headers: { Accept: "application/json" } });
    if (!response.ok) return;
    const state = await response.json();
    ({ seq, last } = state);
    await show(state, state.actions);
  };
  const change = (_, number, { content }) => {
    if (number <= seq) return;
    if (!content) return void load().catch(() => {});
    seq = number;
    last = content.last;
    show(content, content.actions);
  };
  await show(settings.state, []);
  stop = followTopics([settings.topic], { change, load: () => load().catch(() => {}), every: ASK });
}

/** Wait until everything else of the page is there. */
function whenIdle(start) {
  const begin = () => start().catch(reportError);
  const later = () => (window.requestIdleCallback ? requestIdleCallback(begin, { timeout: AT_MOST }) : setTimeout(begin));
  if (document.readyState === "complete") later();
  else addEventListener("load", later);
}

whenIdle(frame.dataset.kind === "live" ? follow : replay);
