// A question by keys (1 to 5, Enter), and by moving the checkers. Choosing an answer and sending it needs no script.

const form = document.querySelector("[data-question]");
const settings = document.getElementById("question-settings");
const WAIT = 1000; // Milliseconds until the server is asked again whether a play has been judged.

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const answer = /^[1-5]$/.test(event.key) && form?.querySelector(`input[data-way="${event.key}"]`);
  if (answer) {
    answer.checked = true;
    answer.focus();
  } else if (event.key === "Enter" && !event.target.closest("a, button, summary, input:not([type=radio])")) {
    event.preventDefault();
    if (form) form.requestSubmit();
    else document.querySelector("[data-next]")?.click();
  }
});

const waiting = document.querySelector("[data-wait]");
if (waiting) setTimeout(() => waiting.requestSubmit(), WAIT);

if (settings) {
  const [{ Board }, { boardLabels }] = await Promise.all([import("../board/board.js"), import("../play/fill.js")]);
  const { side, names, state, graph, preferences, themes } = JSON.parse(settings.textContent);
  const { checkers, mirrored, theme, speed } = preferences;
  const light = checkers === "light" ? side : 1 - side;
  const labels = boardLabels(names, side);
  const board = new Board(document.getElementById("question-board"), { near: side, light, mirrored, theme, speed, themes, labels });
  const [undo, check] = ["[data-undo]", "[data-check]"].map((each) => form.querySelector(each));
  board.addEventListener("change", () => {
    form.elements.play.value = board.play.notation;
    undo.disabled = !board.play.moves.length;
    check.disabled = !board.play.complete;
  });
  board.addEventListener("commit", () => form.requestSubmit(check));
  undo.addEventListener("click", () => board.undo());
  const cube = { ...state.cube, offered: false, dimmed: state.crawford };
  await board.show({ checkers: state.checkers, turn: state.turn, dice: state.dice_to_play, cube, last: null });
  board.startPlay({ graph, dice: state.dice_to_play, side });
}
