/* The thirty checkers: elements that are placed by a transform, so that moving one repaints nothing else. */

import { FAR_BAR, FAR_OFF, NEAR_BAR, NEAR_OFF } from "./geometry.js";

const EACH = 15;
const PLACES = 28;
const ABOVE = 40; // Moving checkers pass over those that stay,
const HELD = 60; // and a held one over all of them.

export class Checkers {
  #stacks = Array.from({ length: PLACES }, () => []);
  #geometry = null; // Of the last layout.
  #held = null;

  constructor(layer) {
    this.layer = layer;
    for (const near of [true, false]) {
      for (let index = 0; index < EACH; index += 1) {
        const element = document.createElement("span");
        element.className = "checker";
        layer.append(element);
        this.#stacks[near ? NEAR_OFF : FAR_OFF].push({ element, near, spot: null, transform: "", stops: [] });
      }
    }
  }

  /** Colour the checkers: whether those of the near player are the light ones. */
  color(nearIsLight) {
    for (const { element, near } of this.#stacks.flat()) {
      element.classList.toggle("light", near === nearIsLight);
      element.classList.toggle("dark", near !== nearIsLight);
    }
  }

  count(place) {
    return this.#stacks[place].length;
  }

  /** Whether the checkers on a place are the near player's; null where there is none. */
  isNear(place) {
    return this.#stacks[place].at(-1)?.near ?? null;
  }

  /**
   * Move the top checker of a place, and a hit one to its bar. Nothing is drawn until `layOut`: there the moves of each
   * `phase` follow those of the one before it, and without phases each checker goes straight to where it belongs.
   */
  move(from, to, hits, phase = null) {
    const checker = this.#stacks[from].pop();
    if (!checker) return;
    if (hits && this.#stacks[to].length) {
      const hit = this.#stacks[to].pop();
      hit.isHit = true;
      this.#put(hit, hit.near ? NEAR_BAR : FAR_BAR, phase);
    }
    this.#put(checker, to, phase);
  }

  #put(checker, place, phase) {
    const stack = this.#stacks[place];
    stack.push(checker);
    if (phase === null) return;
    checker.stops.push({ phase, spot: { place, index: stack.length - 1, count: stack.length } });
  }

  /** Move checkers until the places hold these counts: positive for the near player's, negative for the other's. */
  arrange(counts) {
    for (const near of [true, false]) {
      const goal = (place) => goalOf(counts, place, near);
      const spare = [];
      for (const stack of this.#stacks) {
        const place = this.#stacks.indexOf(stack);
        const own = stack.filter((checker) => checker.near === near);
        const surplus = own.slice(Math.min(goal(place), own.length));
        if (surplus.length) {
          this.#stacks[place] = stack.filter((checker) => !surplus.includes(checker));
          spare.push(...surplus);
        }
      }
      for (let place = 0; place < PLACES; place += 1) {
        const stack = this.#stacks[place];
        while (stack.filter((checker) => checker.near === near).length < goal(place)) stack.push(spare.pop());
      }
    }
  }

  /** Put every checker where it belongs, in `duration` ms for each phase of its moves. Resolves when they are there. */
  layOut(geometry, duration) {
    const isSame = geometry === this.#geometry;
    this.#geometry = geometry;
    const moving = [];
    for (const [place, stack] of this.#stacks.entries()) {
      for (const [index, checker] of stack.entries()) {
        const spot = { place, index, count: stack.length };
        const stops = checker.stops.splice(0);
        const { isHit } = checker;
        checker.isHit = false;
        // Most checkers stay where they are.
        if (isSame && checker !== this.#held && isSameSpot(checker.spot, spot)) continue;
        const moved = this.#place(checker, spot, stops, duration);
        if (moved) moving.push(moved.then(() => setLevel(checker)).then(() => isHit && flash(checker.element)));
        setLevel(checker, moved ? ABOVE : 0);
      }
    }
    this.#held = null;
    return Promise.all(moving);
  }

  /** Take up the top checker of a place; returns its element. */
  lift(place) {
    this.#held = this.#stacks[place].at(-1);
    this.#held.element.classList.add("held");
    setLevel(this.#held, HELD);
    return this.#held.element;
  }

  /** Draw a checker around a position, while it is held. */
  hold(element, x, y, size) {
    element.style.transform = `translate(${x - size / 2}px, ${y - size / 2}px) scale(1.14)`;
  }

  #place(checker, spot, stops, duration) {
    const { element, transform: before } = checker;
    const { place, index, count } = spot;
    const next = this.#transformAt(spot);
    const isHeld = checker === this.#held;
    const start = isHeld ? element.style.transform : before;
    Object.assign(checker, { spot, transform: next });
    element.textContent = index === count - 1 && this.#geometry.isCrowded(place, count) ? String(count) : "";
    element.classList.toggle("slab", place >= NEAR_OFF);
    element.classList.remove("held");
    element.style.transform = next;
    if (!start || start === next || !duration) return null;
    return isHeld ? glide(element, [start, next], Math.min(duration / 2, 120)) : this.#travel(element, start, stops, next, duration);
  }

  /** Animate a checker from stop to stop, each in its phase, and at last to where it belongs. */
  #travel(element, start, stops, next, duration) {
    const phases = 1 + (stops.at(-1)?.phase ?? 0);
    const path = [start];
    for (const { phase, spot } of stops.slice(0, -1)) {
      while (path.length <= phase) path.push(path.at(-1));
      path.push(this.#transformAt(spot));
    }
    while (path.length < phases) path.push(path.at(-1));
    return glide(element, [...path, next], phases * duration);
  }

  #transformAt({ place, index, count }) {
    const geometry = this.#geometry;
    const { x, y } = geometry.checkerAt(place, index, count);
    const { width, height } = place >= NEAR_OFF ? geometry.slab() : { width: geometry.checker, height: geometry.checker };
    return `translate(${x - width / 2}px, ${y - height / 2}px)`;
  }
}

/** Animate an element through transforms at equal distances in time. Resolves at the end. */
function glide(element, transforms, duration) {
  const frames = transforms.map((transform) => ({ transform, easing: "ease-in-out" }));
  return element.animate(frames, { duration }).finished.catch(() => {});
}

/** Let a checker that was hit light up once, on the bar. */
function flash(element) {
  const frames = [{ boxShadow: "0 0 0 0 #ffd84a" }, { boxShadow: "0 0 0 16px transparent" }];
  element.animate(frames, 450);
}

function isSameSpot(left, right) {
  return left?.place === right.place && left.index === right.index && left.count === right.count;
}

/** Checkers of a stack cover each other in their order. */
function setLevel({ element, spot }, above = 0) {
  element.style.zIndex = String(above + spot.index);
}

/** Return how many checkers of a player the counts have on a place; what is missing from fifteen is borne off. */
function goalOf(counts, place, near) {
  const own = (count) => Math.max(near ? count : -count, 0);
  if (place < NEAR_OFF) return own(counts[place]);
  if ((place === NEAR_OFF) !== near) return 0;
  return EACH - counts.reduce((sum, count) => sum + own(count), 0);
}
