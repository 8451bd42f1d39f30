/* Fingers, mouse and keyboard on a board. */

const DRAG_AFTER = 6; // Pixels; a shorter way is a click.

/* What the board does with it:
   canLift(place), lift(place) -> element or null, drop(place, x, y), step(place, {right}), area of places. */
export class Pointer {
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

// The places in the order of the arrow keys: along the top, then along the bottom, as they are seen.
const ROWS = [
  [13, 14, 15, 16, 17, 18, 25, 19, 20, 21, 22, 23, 24, 27],
  [12, 11, 10, 9, 8, 7, 0, 6, 5, 4, 3, 2, 1, 26],
];
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/** Return the place that an arrow key goes to. */
export function neighbour(place, key, mirrored) {
  const [down, right] = STEPS[key];
  const row = ROWS.findIndex((places) => places.includes(place));
  const column = ROWS[row].indexOf(place) + (mirrored ? -right : right);
  return ROWS[Math.min(Math.max(row + down, 0), 1)][Math.min(Math.max(column, 0), ROWS[row].length - 1)];
}

export function isArrow(key) {
  return key in STEPS;
}
