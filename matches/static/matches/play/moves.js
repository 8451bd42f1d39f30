// The plays of the game in progress, as a list with a column for each side, and as sentences to be read out.

import { words } from "./fill.js";

const SLOW = 5000; // Milliseconds; a program needs fewer unless its machine is busy.
const IN_LIST = {
  double: ({ data }) => words("listDouble", { cube: data.cube }),
  take: () => words("listTake"),
  drop: () => words("listDrop"),
  resign: () => words("listResign"),
  refuse: () => words("listRefuse"),
  accept: () => words("listAccept"),
  concede: () => words("listConcede"),
  flag: () => words("listFlag"),
};

/** Return the moves of a play as pairs of points. */
export function movesOf(action) {
  return action.data.moves.flatMap((way) => way.slice(1).map((to, index) => [way[index], to]));
}

/** Return the actions of the game in progress, from its opening roll on. */
export function currentGame(actions) {
  const start = actions.findLastIndex((action) => action.kind === "roll" && action.side === null);
  return start < 0 ? [] : actions.slice(start);
}

/** Return whether in the latest turn of a practice opponent the Club Bot decided in place of its program. */
export function hasStandIn(actions) {
  const at = actions.findLastIndex((action) => action.data.stood_in);
  if (at < 0) return false;
  const { side } = actions[at];
  const answered = actions.findIndex((action, index) => index > at && action.side === 1 - side);
  return answered < 0 || !actions.slice(answered).some((action) => action.side === side);
}

/** Return whether the opponent of a practice match has owed its next action for longer than its program needs. */
export function isSlow(state, actions, { side, now }) {
  const { winner, paused_until: paused, phase, ready, to_act: turn } = state;
  if (winner !== null || paused || !actions.length) return false;
  const isAwaited = phase === "opening" ? ready[side] && !ready[1 - side] : turn === 1 - side;
  return isAwaited && now - Date.parse(actions.at(-1).at) > SLOW;
}

/** Return what each side did in a game, in order: `[{side, text}]`. */
export function entriesOf(game) {
  const entries = [];
  let pending = null; // Dice that have been rolled but not played.
  for (const action of game) {
    if (action.kind === "roll") {
      const { dice } = action.data;
      pending = [...dice].sort((a, b) => b - a).join("");
    } else if (action.kind === "play") {
      entries.push({ side: action.side, text: `${pending}: ${action.data.notation || words("dance")}`, seq: action.seq });
      pending = null;
    } else if (action.kind in IN_LIST) {
      entries.push({ side: action.side, text: IN_LIST[action.kind](action), seq: action.seq });
    }
  }
  return { entries, pending };
}

/** Return a row for each throw for the opening, the last of which decides. */
function throwsOf({ data: { dice, equal = [] } }, near, names) {
  return [...equal, dice].map((pair) =>
    [near, 1 - near].map((side) => ({
      text: words(pair === dice ? "throws" : "throwsAgain", { name: names[side], die: pair[side] }),
    })),
  );
}

/** Draw the list of plays; side `near` stands in the first column. `trial`: what of a play has been walked. */
export function drawMoves(list, actions, { near, turn, trial, names }) {
  const game = currentGame(actions);
  const { entries, pending } = entriesOf(game);
  if (pending && turn !== null) entries.push({ side: turn, text: `${pending}: ${trial}…` });
  const rows = [];
  for (const entry of entries) {
    const column = entry.side === near ? 0 : 1;
    const last = rows.at(-1);
    if (last && !last[column] && (column === 1 || !last[1])) last[column] = entry;
    else rows.push(column === 0 ? [entry, null] : [null, entry]);
  }
  const throws = game.length ? throwsOf(game[0], near, names) : [];
  list.replaceChildren(...[...throws, ...rows].map((row) => rowElement(row)));
  throws.forEach((_, index) => list.children[index].classList.add("throw-row"));
  list.scrollTop = list.scrollHeight;
}

function rowElement(row) {
  const item = document.createElement("li");
  for (const entry of row) {
    const cell = document.createElement("span");
    cell.textContent = entry?.text ?? "";
    item.append(cell);
  }
  return item;
}

/** Return a sentence for the screen reader about an action; empty for what is not worth one. */
export function sentenceOf(action, names) {
  const name = action.side === null ? "" : names[action.side];
  const dice = action.data.dice?.join("-");
  const sentences = {
    roll: () =>
      action.side === null
        ? words("opening", { dice, name: names[action.data.begins] })
        : words("rolled", { name, dice }),
    play: () => (action.data.moves.length ? words("played", { name, play: action.data.notation }) : words("danced", { name })),
    here: () => words("cameHere", { name }),
    double: () => words("doubled", { name, cube: action.data.cube }),
    take: () => words("took", { name }),
    drop: () => words("dropped", { name }),
    resign: () => words("resigned", { name, manner: words(`manner-${action.data.value}`) }),
    refuse: () => words("refused", { name }),
    accept: () => words("accepted", { name }),
    concede: () => words("conceded", { name }),
    flag: () => words("flagged", { name }),
  };
  return sentences[action.kind]?.() ?? "";
}
