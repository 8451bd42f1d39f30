/** The big screen: the board, clocks and score of the match that the page names, and of the next one once that changes. */

import { follow } from "../config/stream.js";
import { Board } from "../matches/board/board.js";
import { timeLeft } from "../matches/play/clocks.js";
import { duration, words } from "../matches/play/fill.js";
import { currentGame, entriesOf, movesOf } from "../matches/play/moves.js";
import { Store } from "../matches/play/store.js";
import { positionOf } from "../matches/play/view.js";

const POLL_EVERY = 5_000; // ms, while there is no stream
const TICK = 250;

const players = [0, 1].map((side) => document.querySelector(`.tv-player[data-side="${side}"]`));
const plays = document.querySelector(".tv-plays");
const element = document.getElementById("board");
let board = null;
let shown = null; // The match that is shown: `{ match, store, stop, names }`.

function showMatch() {
  const { match, api, left, right } = document.getElementById("tv-head").dataset;
  if (shown?.match === match) return;
  shown?.stop();
  for (const part of [...players, plays, element]) part.hidden = !match;
  shown = match ? begin(match, api, [left, right]) : null;
}

function begin(match, api, names) {
  board ??= new Board(element, { near: 0, speed: 400 });
  const store = new Store({ match, api, link: "", csrf: "", side: null });
  const following = { match, store, names, stop: () => {}, changedBy: null };
  store.addEventListener("state", ({ detail }) => shown === following && draw(following, detail.fresh));
  store.load().then(() => {
    if (shown !== following || !store.state) return;
    following.stop = follow([store.state.topic], {
      important: true,
      change: (_, seq, { content }) => store.changed(seq, content),
      load: () => store.load(),
      every: POLL_EVERY,
    });
  });
  return following;
}

function draw(following, fresh) {
  const { store, names } = following;
  const { state, actions } = store;
  for (const [side, player] of players.entries()) {
    player.querySelector("[data-name]").textContent = names[side];
    player.querySelector("[data-score]").textContent = state.score[side];
    const pips = state.pips ? words("pips", { pips: state.pips[side] }) : "";
    player.querySelector("[data-pips]").textContent = pips;
    player.classList.toggle("is-to-act", state.to_act === side);
  }
  const values = { game: state.game, cube: state.cube.value };
  plays.querySelector("[data-game]").textContent = words(state.crawford ? "crawford" : "game", values);
  const count = state.spectators;
  plays.querySelector("[data-viewers]").textContent = count === null ? "" : words("viewers", { count });
  const { entries } = entriesOf(currentGame(actions));
  plays.querySelector("[data-last]").textContent = entries.at(-1)?.text ?? "";
  plays.querySelector("[data-before]").textContent = entries.at(-2)?.text ?? "";
  if (state.checkers && following.changedBy !== state.changed_by) {
    following.changedBy = state.changed_by;
    const last = fresh.findLast((action) => action.kind === "play");
    board.show(positionOf(state, actions), { animate: last && fresh.length < 10 ? movesOf(last) : null });
  }
  drawClocks();
}

function drawClocks() {
  const clock = shown?.store.state?.clock;
  for (const [side, player] of players.entries()) {
    const field = player.querySelector("[data-clock]");
    field.hidden = !clock;
    if (!clock) continue;
    const left = timeLeft(clock.sides[side], shown.store.now);
    field.textContent = duration(left.bank + left.overtime);
    field.classList.toggle("is-running", left.running);
  }
}

function drawTime() {
  const field = document.getElementById("tv-time");
  const options = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: field.dataset.zone };
  const time = new Date().toLocaleTimeString("en-GB", options);
  if (field.textContent !== time) field.textContent = time;
}

setInterval(() => {
  drawClocks();
  drawTime();
}, TICK);
document.addEventListener("htmx:oobAfterSwap", showMatch);
showMatch();
drawTime();
