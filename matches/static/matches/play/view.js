// What a state means for the reader: which panel is open, and what stands in its sentences. No rules of the game here:
// what may be done is in `state.may`, what it would lead to in `state.stakes`.

import { duration, score, words } from "./fill.js";
import { currentGame, movesOf } from "./moves.js";

const WAITING = { opening: "Ready", doubled: "Double", resigned: "Resigned" };
const MAX_NAME_LENGTH = 24; // Characters.

/** Return the name of the panel for a state; `side` is null for viewers. */
export function panelOf(state, side) {
  if (!state) return "loading";
  if (state.winner !== null) return "over";
  if (side === null || state.paused_until) return "wait";
  const may = (kind) => state.may.includes(kind);
  if (invitationOf(state)) return may("here") ? "ready" : "wait";
  if (may("ready")) return "ready";
  if (may("roll")) return "roll";
  if (may("play")) return "play";
  if (may("take")) return "cube";
  if (may("accept")) return "resigned";
  return "wait";
}

/** Return the invitation as long as not both players have come to the board; else null. */
export function invitationOf(state) {
  return state.here.every(Boolean) ? null : state.invitation;
}

/** Return what the board shows of a state: the position, the dice, the cube, and the last play of the game. */
export function positionOf(state, actions) {
  const last = currentGame(actions).findLast((action) => action.kind === "play");
  return {
    checkers: state.checkers,
    turn: state.turn,
    dice: state.dice_to_play,
    cube: { ...state.cube, offered: state.phase === "doubled", dimmed: state.crawford },
    roll: actions.findLast((action) => action.kind === "roll")?.seq,
    last: last && state.phase !== "opening" ? { side: last.side, moves: movesOf(last) } : null,
  };
}

/** Return the values of the sentences of the page. */
export function valuesOf(state, { side, near, names, pauses }) {
  const far = 1 - near;
  const values = {
    game: state.game,
    score: score(state.score, near),
    name: shortened(names[far]), // Of the opponent.
    pauses: side === null ? "" : Math.max(0, pauses - state.pauses[side]),
    vacationLeft: side === null ? "" : state.vacation_left[side],
    boardsWaiting: state.boards_waiting,
    watching: words("watching", { count: state.spectators }),
    behind: behindOf(state),
    dice: state.dice ? [...state.dice].sort((a, b) => b - a).join("-") : "",
    waiting: waitingFor(state, names),
    readyHint: words(invitationOf(state) ? "hereHint" : "readyHint", { game: state.game }),
    readyButton: words(invitationOf(state) ? "here" : "ready"),
    won: state.is_called_off ? words("calledOff") : state.winner === null ? "" : wonBy(state, names[state.winner]),
  };
  if (state.stakes) Object.assign(values, stakesOf(state, near, side));
  return values;
}

/** Return a name short enough for a heading beside the board; the seats show more of it. */
function shortened(name) {
  const letters = [...name];
  return letters.length > MAX_NAME_LENGTH ? `${letters.slice(0, MAX_NAME_LENGTH - 1).join("").trimEnd()}…` : name;
}

/** Return who has won, with the score unless the match ended before the winner had all points. */
function wonBy({ score: points, length, winner }, name) {
  return points[winner] >= length ? words("won", { name, score: score(points, winner) }) : words("wonEarly", { name });
}

/** Return by how much the reader sees the match late; empty for players and where it is shown live. */
function behindOf(state) {
  if (!state.is_behind) return "";
  return state.spectators_delay === null ? words("afterMatch") : words("behind", { minutes: state.spectators_delay });
}

/** Return who is waited for, as a sentence. */
function waitingFor(state, names) {
  if (invitationOf(state)) {
    const absent = [0, 1].filter((each) => !state.here[each]);
    return absent.length === 1 ? words("waitingHere", { name: names[absent[0]] }) : words("waitingStart");
  }
  if (state.phase === "adjourned") return words("adjourned");
  if (state.paused_until) return words("paused");
  if (state.phase === "opening") {
    const missing = [0, 1].filter((each) => !state.ready[each]);
    return missing.length === 1 ? words("waitingReady", { name: names[missing[0]] }) : words("waitingStart");
  }
  return state.to_act === null ? "" : words(`waiting${WAITING[state.phase] ?? ""}`, { name: names[state.to_act] });
}

function stakesOf(state, near, side) {
  const { cube, doubled, scores, drop } = state.stakes;
  const far = 1 - near;
  const values = { cube, doubled, doubleTo: words("doubleTo", { cube: doubled }) };
  for (const multiple of [1, 2, 3]) {
    values[`win${multiple}`] = score(scores[near][multiple - 1], near);
    values[`lose${multiple}`] = score(scores[far][multiple - 1], near);
  }
  if (drop) {
    values.drop = score(drop, near);
    values.points = drop[far] - state.score[far];
    values.pass = words("lose", { points: values.points });
  }
  for (const { multiple, score: after } of state.resignations) {
    values[`resign${multiple}`] = words("scoreBy", { score: score(after, near), manner: words(`manner-${multiple}`) });
  }
  if (state.resigned) {
    const { side: loser, multiple } = state.resigned;
    values.manner = words(`manner-${multiple}`);
    values.offered = score(scores[1 - loser][multiple - 1], side ?? near);
  }
  return values;
}

/** Return the values of the banners, and which of them are shown: `{shown, values}`. */
export function bannersOf(state, { side, names, now }) {
  const shown = new Set();
  const values = {};
  if (state.paused_until) {
    shown.add("paused");
    const style = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
    values.until = new Date(state.paused_until).toLocaleTimeString("en-GB", style);
    const mine = side !== null && state.continues?.[side];
    const theirs = side !== null && state.continues?.[1 - side];
    values.ready = words(mine ? "readyMe" : theirs ? "readyOpponent" : "readyOne");
  }
  if (state.may.includes("claim_flag")) {
    shown.add("flagged");
    values.name = names[1 - side];
  }
  const { absence } = state;
  if (absence && absence.side !== side) {
    shown.add("away");
    const left = Date.parse(absence.claim_at) - now;
    values.away = words(absence.closed ? "left" : "lost", { name: names[absence.side] });
    values.claim = side === null ? "" : words(left > 0 ? "claimLater" : "claimNow", { time: duration(left) });
  }
  return { shown, values };
}
