// The plays of the game in progress, as a list with a column for each side, and as sentences to be read out.

import { score, words } from "./fill.js";

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
      entries.push({ side: action.side, text: `${pending}: ${action.data.notation || words("dance")}`, isPlay: true });
      pending = null;
    } else if (action.kind in IN_LIST) {
      entries.push({ side: action.side, text: IN_LIST[action.kind](action) });
    }
  }
  return { entries, pending };
}

/** Draw the games before this one: who won it, how, and the score after it. */
export function drawGames(list, { games }, { near, light, names }) {
  list.hidden = !games.length;
  const rows = games.map(({ winner, score: after, ...game }) =>
    row("", chip(winner === light), part("bdi", names[winner]), part("span", mannerOf(game)), part("strong", score(after, near))),
  );
  list.replaceChildren(...rows);
  list.scrollTop = list.scrollHeight;
}

/** Return how a game was won; a single game is named by the cube if that was turned. */
function mannerOf({ kind, points, cube }) {
  if (kind === "ruling") return words("manner-ruling");
  const manner = cube === 1 || points !== cube ? words(`manner-${points / cube}`) : "";
  return [manner, cube > 1 && words("atCube", { cube })].filter(Boolean).join(", ");
}

/** Return a row for each throw for the opening, the last of which decides. */
function throwRows({ data: { dice, equal = [] } }, { near, light, names }) {
  const rows = [...equal, dice].map((pair) =>
    row("throw-row", ...[near, 1 - near].map((side) => {
      const isHigher = pair[side] > pair[1 - side];
      const note = isHigher ? `✓ ${words("listStarts")}` : pair !== dice && side !== near ? words("listAgain") : "";
      return part("span", "", isHigher ? "starts" : "", chip(side === light), part("bdi", names[side]), part("b", pair[side]), part("em", note));
    })),
  );
  return [row("throw-head", words("openingRoll")), ...rows];
}

/**
 * Draw the list of plays; side `near` stands in the first column. `trial`: what of a play has been walked; `isToRoll`:
 * whether the side on turn has not rolled.
 */
export function drawMoves(list, actions, { turn, trial, isToRoll, ...sides }) {
  const { near } = sides;
  const game = currentGame(actions);
  const { entries, pending } = entriesOf(game);
  list.classList.toggle("is-underway", entries.length > 0);
  const latest = entries.at(-1);
  if (turn !== null && (pending || isToRoll)) entries.push({ side: turn, text: pending ? `${pending}: ${trial}` : trial, isNow: true });
  const rows = [];
  for (const entry of entries) {
    const column = entry.side === near ? 0 : 1;
    const last = rows.at(-1);
    if (last && !last[column] && (column === 1 || !last[1])) last[column] = entry;
    else rows.push(column === 0 ? [entry, null] : [null, entry]);
  }
  const cell = (entry) => part("span", entry?.text, entry?.isNow ? "is-now" : entry && entry === latest ? "is-latest" : "");
  list.replaceChildren(...(game.length ? throwRows(game[0], sides) : []), ...rows.map((each) => row("", ...each.map(cell))));
  list.scrollTop = list.scrollHeight;
}

function part(tag, text = "", className = "", ...parts) {
  const element = Object.assign(document.createElement(tag), { textContent: text, className });
  element.append(...parts);
  return element;
}

const row = (className, ...parts) => part("li", "", className, ...parts);
const chip = (isLight) => part("i", "", `play-chip${isLight ? "" : " is-dark"}`);

/** Return who begins with which roll, as it reads for `side`. */
export function startOf({ dice, begins }, names, side) {
  const roll = [...dice].sort((a, b) => b - a).join("-");
  return words(begins === side ? "youStart" : "starts", { name: names[begins], dice: roll });
}

/** Return a sentence for the screen reader about an action, as it reads for `side`; empty for what is not worth one. */
export function sentenceOf(action, names, side) {
  const name = action.side === null ? "" : names[action.side];
  const dice = action.data.dice?.join("-");
  const sentences = {
    roll: () =>
      action.side === null
        ? `${openingOf(action.data, names, side)} ${startOf(action.data, names, side)}`
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

/** Return both throws for the opening, the reader's first. */
function openingOf(data, names, side) {
  const [first, second] = side === 1 ? [1, 0] : [0, 1];
  const values = { name: names[first], die: data.dice[first], other: names[second], otherDie: data.dice[second] };
  return words("opening", values);
}
