/* The board of play, practice and replay. It knows no rules: a play is a walk through the graph the server sent. */

import { Checkers } from "./checkers.js";
import { drawCube, drawDice, throwDice } from "./dice.js";
import { FAR_OFF, Geometry, NEAR_BAR, NEAR_OFF, placeOf, pointOf } from "./geometry.js";
import { name, write } from "./notation.js";
import { drawHints, drawPlay, drawSurface, svg } from "./surface.js";
import { Walk } from "./walk.js";

const PLACES = 28;
const DRAG_AFTER = 6; // Pixels; a shorter way is a click.
// The places in the order of the arrow keys: along the top, then along the bottom, as they are seen.
const ROWS = [
  [13, 14, 15, 16, 17, 18, 25, 19, 20, 21, 22, 23, 24, 27],
  [12, 11, 10, 9, 8, 7, 0, 6, 5, 4, 3, 2, 1, 26],
];
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const LABELS = {
  board: "Board",
  near: "{place}, {count} of yours",
  far: "{place}, {count} of your opponent’s",
  empty: "{place}, empty",
  point: "{point} point",
  bar: "bar",
  farBar: "opponent’s bar",
  off: "borne off",
  farOff: "opponent’s checkers borne off",
  dice: "Dice {dice}",
  swap: "Dice {dice}, swap them",
  commit: "Dice {dice}, send this play",
  send: "",
};
let drawArrows = null; // Loaded with the first plan.
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Events: `change` after every step of a play; `commit` when the dice of a complete play are clicked; `roll` and
 * `double` when the cup and the cube are, while they are offered. */
export class Board extends EventTarget {
  #options = { near: 0, light: 0, mirrored: false, theme: "wood", themes: {}, speed: 200, labels: LABELS };
  #position = null;
  #walk = null;
  #lifted = null;
  #focus = 13;
  #labelled = []; // What the labels of the places say of their checkers.
  #shown = Promise.resolve();
  #isThrown = false; // Whether the dice of the position are still to be thrown.

  /** `near`: the side at the bottom; `light`: the side with the light checkers; `themes`: style sheets by name. */
  constructor(element, options = {}) {
    super();
    this.element = element;
    this.#build();
    this.checkers = new Checkers(this.layer);
    this.pointer = new Pointer(this, element);
    this.setOptions(options);
    new ResizeObserver(() => this.#resize()).observe(element);
    this.#resize();
  }

  get isPlaying() {
    return this.#walk !== null;
  }

  /** The play walked so far, or null: `{complete, moves, notation, dance}`. */
  get play() {
    const walk = this.#walk;
    if (!walk) return null;
    const moves = walk.path.map((edge) => [edge.from, edge.to]);
    // How the pips of the player and of the opponent have changed; a hit checker begins again on the bar.
    const pips = [0, 0];
    for (const { from, to, hits } of walk.path) {
      pips[0] -= from - to;
      if (hits) pips[1] += to;
    }
    return { complete: walk.isComplete, moves, notation: write(walk.path), dance: walk.isDance, pips };
  }

  setOptions(options) {
    this.#options = { ...this.#options, ...options, labels: { ...this.#options.labels, ...options.labels } };
    const { theme, themes, near, light } = this.#options;
    this.element.dataset.boardTheme = theme;
    this.element.setAttribute("aria-label", this.#options.labels.board);
    if (themes[theme]) loadStyle(themes[theme]);
    this.checkers.color(near === light);
    this.#labelled = [];
    if (this.geometry) {
      this.#resize();
      if (this.#position) this.#settle(0);
    }
  }

  /** Show a position; with `animate` the moves `[[from, to], …]` that `position.last.side` made to reach it.
   *
   * `position`: `{checkers, turn, dice, cube: {face, owner, offered, dimmed}, last: {side, moves}, plan: {side, ways,
   * tried}, roll}`, `checkers` the 26 counts as side 0 sees them; a `plan` is a play still to be made, shown by arrows;
   * `roll` is the number of the roll: the dice of a new one are thrown, and lie the same for whoever sees them.
   * Resolves when the checkers are there.
   */
  show(position, { animate = null } = {}) {
    this.pointer.cancel();
    this.#walk = null;
    this.#isThrown = this.#position !== null && position.roll !== undefined && position.roll !== this.#position.roll;
    this.#position = position;
    this.#shown = this.#shown.then(() => this.#animate(position, animate));
    return this.#shown;
  }

  /** Let the player move by this graph; points in it are those of `side`. */
  startPlay({ graph, dice, side }) {
    this.#walk = new Walk(graph, dice);
    this.#walk.side = side;
    this.#draw();
  }

  cancelPlay() {
    this.pointer.cancel();
    this.#walk = null;
    this.#draw();
  }

  /** Take the last step back. */
  undo() {
    this.pointer.cancel();
    if (!this.#walk?.undo()) return;
    this.#changed();
  }

  swapDice() {
    this.#walk?.swap();
    this.#draw();
    this.dispatchEvent(new Event("change"));
  }

  /** Walk a play that was typed. Return null, or the code of what is wrong with it. */
  type(text) {
    if (!this.#walk) return "not_now";
    const error = this.#walk.type(text);
    if (!error) this.#changed();
    return error;
  }

  /** Offer the cup and the cube to the player, each by its text; an empty one offers nothing. */
  offer({ roll = "", double = "" }) {
    for (const [button, text] of [[this.cup, roll], [this.double, double]]) {
      button.hidden = !text;
      if (button.lastChild.textContent !== text) button.lastChild.textContent = text;
    }
  }

  /** Where the player at the bottom, or the other one, rolls: the middle of the dice. */
  diceAt(isNear) {
    return this.geometry.diceAt(isNear);
  }

  // What the pointer and the keys do.

  placeAt(x, y) {
    return this.geometry.placeAt(x, y);
  }

  canLift(place) {
    if (!this.#walk) return false;
    const point = this.#pointOf(place);
    const own = this.checkers.isNear(place) === this.#isNear(this.#walk.side);
    return own && (this.#walk.sources.has(point) || this.#walk.origins(point).size > 0);
  }

  step(place, { right = false } = {}) {
    if (place === null || !this.canLift(place)) return;
    const edge = this.#walk.edgeFrom(this.#pointOf(place), { right });
    if (!edge) return;
    this.#walk.follow([edge]);
    this.#changed();
  }

  /** Take up the top checker of a place; returns its element. */
  lift(place) {
    const point = this.#pointOf(place);
    this.#lifted = { place, targets: this.#walk.destinations(point), origins: this.#walk.origins(point) };
    const { targets, origins } = this.#lifted;
    const spotAt = (at) => ({ place: at, count: this.checkers.count(at) });
    const spot = (target) => spotAt(this.#placeOf(target));
    const hits = (edges) => edges.at(-1).hits;
    drawHints(
      this.hints,
      this.geometry,
      [...targets].map(([target, edges]) => ({ ...spot(target), hits: hits(edges) })),
      [...origins.keys()].map(spot),
      spotAt(place),
    );
    return this.checkers.lift(place);
  }

  holdAt(element, x, y) {
    this.checkers.hold(element, x, y, this.geometry.checker);
  }

  /** Let the lifted checker go over a place; null puts it back. */
  drop(place) {
    const { targets, origins } = this.#lifted;
    this.#lifted = null;
    this.hints.replaceChildren();
    const point = place === null ? null : this.#pointOf(place);
    if (targets.has(point)) this.#walk.follow(targets.get(point));
    else if (origins.has(point)) this.#walk.takeBack(origins.get(point));
    else return void this.checkers.layOut(this.geometry, this.#duration());
    this.#changed();
  }

  #build() {
    const { element } = this;
    element.classList.add("game-board");
    element.setAttribute("role", "group");
    this.surface = svg("svg", { class: "surface", "aria-hidden": "true" });
    this.layer = Object.assign(document.createElement("div"), { className: "checkers" });
    this.layer.setAttribute("aria-hidden", "true");
    this.trail = svg("svg", { class: "trail", "aria-hidden": "true" });
    this.hints = svg("svg", { class: "hints", "aria-hidden": "true" });
    this.cube = Object.assign(document.createElement("div"), { className: "cube" });
    this.dice = Object.assign(document.createElement("button"), { className: "dice", type: "button", hidden: true });
    this.dice.addEventListener("click", () => this.#clickDice());
    this.cup = this.#buildOffer("cup", "roll");
    this.double = this.#buildOffer("double", "double");
    this.places = Array.from({ length: PLACES }, (_, place) => this.#buildPlace(place));
    element.replaceChildren(this.surface, ...this.places, this.trail, this.layer, this.hints);
    element.append(this.cube, this.double, this.cup, this.dice);
    element.addEventListener("keydown", (event) => this.#key(event));
  }

  /** What a button of the page does as well, for fingers and mouse: keys and screen readers use that one. */
  #buildOffer(className, event) {
    const button = Object.assign(document.createElement("button"), { className, type: "button", tabIndex: -1, hidden: true });
    button.setAttribute("aria-hidden", "true");
    button.append(document.createElement("i"), document.createElement("span"));
    button.addEventListener("click", () => this.dispatchEvent(new Event(event)));
    return button;
  }

  #buildPlace(place) {
    const spot = Object.assign(document.createElement("button"), { className: "place", type: "button" });
    spot.tabIndex = place === this.#focus ? 0 : -1;
    spot.dataset.place = place;
    // A click without a pointer comes from a screen reader; pointers are handled on the whole board.
    spot.addEventListener("click", (event) => event.detail === 0 && this.step(place));
    return spot;
  }

  #key(event) {
    const spot = event.target.closest(".place");
    if (!spot) return;
    const place = Number(spot.dataset.place);
    if (isArrow(event.key)) {
      event.preventDefault();
      event.stopPropagation();
      this.#focusOn(neighbour(place, event.key, this.#options.mirrored));
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.step(place, { right: event.shiftKey });
    } else if (event.key === " ") {
      event.preventDefault(); // The page has its own use for the space bar.
    }
  }

  #focusOn(place) {
    this.places[this.#focus].tabIndex = -1;
    this.#focus = place;
    this.places[place].tabIndex = 0;
    this.places[place].focus();
  }

  #clickDice() {
    if (!this.#walk) return;
    if (this.#walk.isComplete) this.dispatchEvent(new Event("commit"));
    else this.swapDice();
  }

  #isNear(side) {
    return side === this.#options.near;
  }

  #placeOf(point, side = this.#walk.side) {
    return placeOf(point, this.#isNear(side));
  }

  #pointOf(place) {
    return pointOf(place, this.#isNear(this.#walk.side));
  }

  #duration() {
    return still.matches ? 0 : this.#options.speed;
  }

  #resize() {
    const { clientWidth, clientHeight } = this.element;
    if (!clientWidth || !clientHeight) return;
    this.pointer.cancel();
    this.geometry = new Geometry(clientWidth, clientHeight, this.#options.mirrored);
    const { geometry } = this;
    this.element.classList.toggle("compact", geometry.compact);
    this.element.style.setProperty("--checker", `${geometry.checker}px`);
    this.element.style.setProperty("--slab-width", `${geometry.slab().width}px`);
    this.element.style.setProperty("--slab-height", `${geometry.slab().height}px`);
    this.element.style.setProperty("--number", `${Math.min(geometry.band * 0.62, 17)}px`);
    drawSurface(this.surface, geometry, (place) => place);
    for (const [place, spot] of this.places.entries()) {
      const { left, top, width, height } = geometry.area(place);
      spot.style.transform = `translate(${left}px, ${top}px)`;
      spot.style.width = `${width}px`;
      spot.style.height = `${height}px`;
    }
    const { left, top, width, height } = geometry.throwArea(true);
    this.cup.style.transform = `translate(${left}px, ${top}px)`;
    this.cup.style.width = `${width}px`;
    this.cup.style.height = `${height}px`;
    this.hints.replaceChildren();
    this.checkers.layOut(geometry, 0);
    this.#draw();
  }

  /** The counts as the near player sees them. */
  #counts() {
    const { checkers } = this.#position;
    return this.#isNear(0) ? checkers : checkers.map((_, place) => -checkers[25 - place]);
  }

  /** Everything is drawn before the checkers begin to move, so that nothing but them changes meanwhile. */
  async #animate(position, moves) {
    const duration = this.#duration();
    const isMoving = Boolean(moves?.length && duration && !document.hidden);
    if (isMoving) this.#walkThrough(moves, position.last?.side ?? position.turn);
    this.element.classList.toggle("is-moving", isMoving);
    if (position === this.#position && !this.#walk?.path.length) await this.#settle(duration);
    else await this.checkers.layOut(this.geometry, duration);
    this.element.classList.remove("is-moving");
  }

  /** Move checkers along, several in one phase; a checker that moves on waits for its first step. */
  #walkThrough(moves, side) {
    let [phase, started] = [0, new Set()];
    for (const [from, to] of moves) {
      const [start, end] = [this.#placeOf(from, side), this.#placeOf(to, side)];
      if (started.has(start) || started.has(end)) {
        phase += 1;
        started = new Set();
      }
      const hits = this.checkers.isNear(end) === !this.#isNear(side);
      this.checkers.move(start, end, hits, phase);
      started.add(end);
    }
  }

  async #settle(duration) {
    if (this.#position.checkers) this.checkers.arrange(this.#counts());
    if (this.#walk) for (const edge of this.#walk.path) this.#apply(edge);
    this.#draw();
    await this.checkers.layOut(this.geometry, duration);
  }

  #apply(edge) {
    this.checkers.move(this.#placeOf(edge.from), this.#placeOf(edge.to), edge.hits);
  }

  /** The walk has changed: put the checkers where it leads to. */
  #changed() {
    this.#settle(this.#duration());
    this.dispatchEvent(new Event("change"));
  }

  #draw() {
    const position = this.#position;
    if (!position || !this.geometry) return;
    const { near, light, labels } = this.#options;
    const side = this.#walk?.side ?? position.turn;
    const dice = this.#walk?.dieStates ?? diceOf(position);
    drawDice(this.dice, this.geometry, dice, {
      isNear: side === near,
      isLight: side === light,
      seed: position.roll,
    });
    if (this.#isThrown && dice.length) {
      this.#isThrown = false;
      if (this.#duration()) throwDice(this.dice.children, side === near ? 60 : -60);
    }
    const words = dice.map(({ die }) => die).join(" ");
    const label = !this.#walk ? labels.dice : this.#walk.isComplete ? labels.commit : labels.swap;
    this.dice.setAttribute("aria-label", label.replace("{dice}", words));
    this.dice.dataset.hint = this.#walk?.isComplete ? labels.send : "";
    this.dice.disabled = !this.#walk || (this.#walk.path.length > 0 && !this.#walk.isComplete);
    const { cube } = position;
    const owner = cube?.owner === null || !cube ? null : cube.owner === near ? "near" : "far";
    drawCube(this.cube, this.geometry, cube && { ...cube, owner });
    const { x, y } = this.geometry.cubeAt(cube?.offered ? "offered" : owner);
    this.double.style.setProperty("--cube", this.cube.style.getPropertyValue("--cube"));
    this.double.style.transform = `translate(${x - 33}px, ${y - 33}px)`;
    this.element.classList.toggle("can-move", Boolean(this.#walk));
    this.#drawTrail();
    if (!this.#lifted) this.#drawPlan();
    this.#label();
  }

  #drawPlan() {
    const { plan } = this.#position;
    if (!plan) return void this.hints.replaceChildren();
    if (!drawArrows) {
      return void import("./arrows.js").then((module) => {
        ({ drawArrows } = module);
        if (!this.#lifted) this.#drawPlan();
      });
    }
    const ways = plan.ways.map((way) => way.map((point) => this.#placeOf(point, plan.side)));
    const isNear = this.#isNear(plan.side);
    const countAt = (place) => (this.checkers.isNear(place) === isNear ? this.checkers.count(place) : 0);
    drawArrows(this.hints, this.geometry, ways, plan.tried ? "tried" : "", countAt);
  }

  #drawTrail() {
    const own = this.#walk?.path.length;
    const { last, plan } = this.#position;
    if (plan) return void this.trail.replaceChildren();
    const steps = own ? this.#walk.path : (last?.moves ?? []).map(([from, to]) => ({ from, to }));
    const side = own ? this.#walk.side : last?.side;
    const places = steps.map(({ from, to }) => ({ from: this.#placeOf(from, side), to: this.#placeOf(to, side) }));
    const onBoard = places.filter(({ from, to }) => Math.max(from, to) < NEAR_OFF);
    drawPlay(this.trail, this.geometry, onBoard, own ? "own" : "last", (place) => this.checkers.count(place));
  }

  /** Name the places for screen readers, where their checkers have changed. */
  #label() {
    const { labels } = this.#options;
    const bars = { 0: labels.farBar, [NEAR_BAR]: labels.bar, [NEAR_OFF]: labels.off, [FAR_OFF]: labels.farOff };
    for (const [place, spot] of this.places.entries()) {
      spot.classList.toggle("movable", this.canLift(place) && this.#walk.sources.has(this.#pointOf(place)));
      const count = this.checkers.count(place);
      const near = this.checkers.isNear(place);
      const checkers = near ? count : -count;
      if (this.#labelled[place] === checkers) continue;
      this.#labelled[place] = checkers;
      const text = near === null ? labels.empty : near ? labels.near : labels.far;
      const where = bars[place] ?? labels.point.replace("{point}", name(place));
      spot.setAttribute("aria-label", text.replace("{place}", where).replace("{count}", String(count)));
    }
  }
}

function diceOf(position) {
  return (position.dice ?? []).map((die) => ({ die, used: false }));
}

/** Add a style sheet to the page, once. */
export function loadStyle(url) {
  if (document.querySelector(`link[href="${CSS.escape(url)}"], link[href="${url}"]`)) return;
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: url }));
}

/** Fingers and mouse on a board. */
class Pointer {
  #held = null;
  #frame = 0;

  constructor(board, root) {
    this.board = board;
    this.root = root;
    root.addEventListener("pointerdown", (event) => this.#down(event));
    root.addEventListener("pointermove", (event) => this.#move(event));
    root.addEventListener("pointerup", (event) => this.#up(event));
    root.addEventListener("pointercancel", (event) => event.pointerId === this.#held?.id && this.cancel());
    root.addEventListener("contextmenu", (event) => {
      if (this.board.isPlaying) event.preventDefault();
    });
  }

  get isHolding() {
    return this.#held !== null;
  }

  cancel() {
    if (!this.#held) return;
    const { lifted } = this.#held;
    this.#held = null;
    cancelAnimationFrame(this.#frame);
    if (lifted) this.board.drop(null);
  }

  #position(event) {
    const box = this.#held?.box ?? this.root.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #down(event) {
    if (this.#held || event.target.closest("button:not(.place)") || !this.board.isPlaying) return;
    if (event.button === 2) {
      const { x, y } = this.#position(event);
      this.board.step(this.board.placeAt(x, y), { right: true });
      return;
    }
    if (event.button !== 0) return;
    const { x, y } = this.#position(event);
    const place = this.board.placeAt(x, y);
    if (place === null || !this.board.canLift(place)) return;
    event.preventDefault();
    this.root.setPointerCapture(event.pointerId);
    const box = this.root.getBoundingClientRect();
    this.#held = { id: event.pointerId, place, x, y, box, element: null, lifted: false };
  }

  #move(event) {
    const held = this.#held;
    if (!held || event.pointerId !== held.id) return;
    const { x, y } = this.#position(event);
    if (!held.lifted) {
      if (Math.hypot(x - held.x, y - held.y) < DRAG_AFTER) return;
      held.lifted = true;
      held.element = this.board.lift(held.place);
    }
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      if (this.#held === held) this.board.holdAt(held.element, x, y);
    });
  }

  #up(event) {
    const held = this.#held;
    if (!held || event.pointerId !== held.id) return;
    cancelAnimationFrame(this.#frame);
    const { x, y } = this.#position(event);
    this.#held = null;
    if (held.lifted) this.board.drop(this.board.placeAt(x, y));
    else this.board.step(held.place);
  }
}

/** Return the place that an arrow key goes to. */
function neighbour(place, key, mirrored) {
  const [down, right] = STEPS[key];
  const row = ROWS.findIndex((places) => places.includes(place));
  const column = ROWS[row].indexOf(place) + (mirrored ? -right : right);
  return ROWS[Math.min(Math.max(row + down, 0), 1)][Math.min(Math.max(column, 0), ROWS[row].length - 1)];
}

function isArrow(key) {
  return key in STEPS;
}
