/* The thirty checkers: elements that are placed by a transform, so that moving one repaints nothing else. */

import { FAR_BAR, FAR_OFF, NEAR_BAR, NEAR_OFF } from "./geometry.js";

const EACH = 15;
const PLACES = 28;

export class Checkers {
  #stacks = Array.from({ length: PLACES }, () => []);
  #spots = new WeakMap();

  constructor(layer) {
    this.layer = layer;
    for (const near of [true, false]) {
      for (let index = 0; index < EACH; index += 1) {
        const element = document.createElement("span");
        element.className = "checker";
        layer.append(element);
        this.#stacks[near ? NEAR_OFF : FAR_OFF].push({ element, near });
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

  top(place) {
    return this.#stacks[place].at(-1)?.element ?? null;
  }

  /** Move the top checker of a place, and a hit one to its bar. Nothing is drawn until `layOut`. */
  move(from, to, hits) {
    const checker = this.#stacks[from].pop();
    if (!checker) return;
    if (hits && this.#stacks[to].length) {
      const hit = this.#stacks[to].pop();
      this.#stacks[hit.near ? NEAR_BAR : FAR_BAR].push(hit);
    }
    this.#stacks[to].push(checker);
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

  /** Put every checker where it belongs, in `duration` ms. Resolves when they are there. */
  layOut(geometry, duration) {
    const moving = [];
    for (const [place, stack] of this.#stacks.entries()) {
      for (const [index, { element }] of stack.entries()) {
        const { x, y } = geometry.checkerAt(place, index, stack.length);
        element.classList.toggle("slab", place >= NEAR_OFF);
        const isTop = index === stack.length - 1;
        element.textContent = isTop && geometry.isCrowded(place, stack.length) ? String(stack.length) : "";
        const moved = this.#place(element, x, y, place >= NEAR_OFF ? geometry.slab() : null, geometry, duration);
        element.style.zIndex = String(moved ? 40 + index : index);
        if (moved) moving.push(moved.then(() => (element.style.zIndex = String(index))));
      }
    }
    return Promise.all(moving);
  }

  /** Draw the top checker of a place around a position, while it is held. */
  hold(element, x, y, size) {
    element.style.transform = `translate(${x - size / 2}px, ${y - size / 2}px) scale(1.1)`;
  }

  #place(element, x, y, slab, geometry, duration) {
    const width = slab ? slab.width : geometry.checker;
    const height = slab ? slab.height : geometry.checker;
    const next = `translate(${x - width / 2}px, ${y - height / 2}px)`;
    const before = this.#spots.get(element);
    const held = element.classList.contains("held");
    const start = held ? element.style.transform : before;
    element.classList.remove("held");
    element.style.transform = next;
    this.#spots.set(element, next);
    if (!start || start === next || !duration) return null;
    const animation = element.animate([{ transform: start }, { transform: next }], {
      duration: held ? duration / 2 : duration,
      easing: "ease-in-out",
    });
    return animation.finished.catch(() => {});
  }
}

/** Return how many checkers of a player the counts have on a place; what is missing from fifteen is borne off. */
function goalOf(counts, place, near) {
  const own = (count) => Math.max(near ? count : -count, 0);
  if (place < NEAR_OFF) return own(counts[place]);
  if ((place === NEAR_OFF) !== near) return 0;
  return EACH - counts.reduce((sum, count) => sum + own(count), 0);
}
