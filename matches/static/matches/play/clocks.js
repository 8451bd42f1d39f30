// The clocks of both sides, drawn from the server's state and the server's time.

import { duration, number, words } from "./fill.js";

const DAY = 86_400_000;
const TICK = 200;

/** Return what is left of a side's time at an instant of the server's clock: `{delay, bank, overtime, running}`. */
export function timeLeft(side, now) {
  const since = side.running_since === null ? null : Date.parse(side.running_since);
  const running = since !== null;
  let used = running ? Math.max(0, now - since) : 0;
  for (const [from, to] of side.vacation) {
    if (running) used -= Math.max(0, Math.min(Date.parse(to), now) - Math.max(Date.parse(from), since));
  }
  const take = (amount) => {
    const taken = Math.min(amount, Math.max(used, 0));
    used -= taken;
    return amount - taken;
  };
  return { delay: take(side.delay), bank: take(side.bank), overtime: take(side.overtime), running };
}

export class Clocks {
  /** `seats`: the element of each side. */
  constructor(store, seats) {
    this.store = store;
    this.seats = seats;
    setInterval(() => document.hidden || this.draw(), TICK);
  }

  draw() {
    const { state } = this.store;
    const clock = state?.clock;
    for (const [side, seat] of this.seats.entries()) {
      const element = seat.querySelector("[data-clock]");
      element.hidden = !clock;
      if (clock) this.#drawSide(element, clock, timeLeft(clock.sides[side], this.store.now));
    }
  }

  #drawSide(element, clock, left) {
    element.classList.toggle("is-running", left.running && left.delay + left.bank + left.overtime >= 0);
    element.classList.toggle("is-short", left.running && !clock.correspondence && left.delay + left.bank < 60_000);
    const ring = element.querySelector(".play-ring");
    ring.toggleAttribute("hidden", clock.correspondence || !left.running || left.delay === 0);
    const share = clock.delay ? (100 * left.delay) / clock.delay : 0;
    element.querySelector(".play-ring-left").style.strokeDasharray = `${share} 100`;
    element.querySelector("[data-delay]").textContent = String(Math.ceil(left.delay / 1000));
    element.querySelector("[data-bank]").textContent = textOf(clock, left);
  }
}

const unit = (value, name) => number(value, { style: "unit", unit: name, unitDisplay: "narrow" });

function textOf(clock, left) {
  if (clock.correspondence) {
    const all = left.delay + left.bank;
    if (all < DAY) return duration(all);
    return `${unit(Math.floor(all / DAY), "day")} ${unit(Math.floor((all % DAY) / 3_600_000), "hour")}`;
  }
  if (left.bank === 0 && left.overtime > 0) return words("overtime", { time: duration(left.overtime) });
  return duration(left.bank);
}
