// A decision of a match that is over is made again, and compared with how the analysis judged the choices.

import { Board } from "../board/board.js";
import { boardLabels, fillIn } from "./fill.js";

const settings = JSON.parse(document.getElementById("again-settings").textContent);
const { side, state, graph, counts } = settings;
const byId = (id) => document.getElementById(id);
const [OFF, FAR_BAR] = [0, 0];

function newBoard() {
  const { checkers, mirrored, theme, speed } = settings.preferences;
  const labels = boardLabels(settings.names, side);
  const light = checkers === "light" ? side : 1 - side;
  return new Board(byId("again-board"), { near: side, light, mirrored, theme, speed, themes: settings.themes, labels });
}

/** Return the counts after a play as the server names them. */
function codeOf(moves) {
  const after = [...counts];
  for (const [from, to] of moves) {
    after[from] -= 1;
    if (to === OFF) continue;
    if (after[to] === -1) {
      after[to] = 0;
      after[FAR_BAR] -= 1;
    }
    after[to] += 1;
  }
  return after.join(",");
}

const board = newBoard();
const deciding = document.querySelector("[data-deciding]");
const answer = byId("again-answer");

async function begin() {
  answer.hidden = true;
  deciding.hidden = false;
  const cube = { ...state.cube, offered: state.phase === "doubled", dimmed: state.crawford };
  await board.show({ checkers: state.checkers, turn: state.turn, dice: graph ? state.dice_to_play : null, cube, last: null });
  if (graph) board.startPlay({ graph, dice: state.dice_to_play, side });
  draw();
}

function draw() {
  if (!graph) return;
  byId("undo").disabled = !board.play?.moves.length;
  byId("commit").disabled = !board.play?.complete;
}

/** Show how the choice with this code was judged, among the others. */
function compare(code) {
  deciding.hidden = true;
  answer.hidden = false;
  const rows = [...answer.querySelectorAll("[data-code]")];
  const row = rows.find((each) => each.dataset.code === code);
  for (const each of rows) {
    each.classList.toggle("is-now", each === row);
    each.querySelector("[data-now]").hidden = each !== row;
  }
  const lost = row?.querySelector("[data-lost]").dataset.lost;
  const verdict = !row ? "unlisted" : !lost ? "best" : "played" in row.dataset ? "same" : "listed";
  const element = byId("again-verdict");
  element.textContent = fillIn(element.dataset[verdict], { lost });
  answer.dataset.verdict = verdict;
  answer.focus({ preventScroll: true });
}

function commit() {
  if (!board.play?.complete) return;
  compare(codeOf(board.play.moves));
}

board.addEventListener("change", draw);
board.addEventListener("commit", commit);
byId("again").addEventListener("click", begin);
byId("undo")?.addEventListener("click", () => board.undo());
byId("commit")?.addEventListener("click", commit);
deciding.addEventListener("click", ({ target }) => {
  const { choice } = target.closest("[data-choice]")?.dataset ?? {};
  if (choice) compare(choice);
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || deciding.hidden || !graph) return;
  if (event.key === " " && !event.target.closest("button:not(.place), a, summary")) {
    event.preventDefault();
    commit();
  } else if (event.key === "Backspace") {
    event.preventDefault();
    board.undo();
  }
});
begin();
