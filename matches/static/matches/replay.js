/**
 * The board of a replay: checkers move from step to step, by keys, buttons and the list of plays. The page has the
 * steps of one game; those of the next one are fetched with its page. Every step is an ordinary link as well.
 */

import { showCopyButtons } from "../config/copy.js";
import { ask } from "../config/ours.js";
import { Board } from "./board/board.js";

const AUTOPLAY_EVERY = 1600; // Milliseconds.
const ADDRESS_DELAY = 300; // Milliseconds after the last step until the address bar shows it.
const MAX_KEPT = 12; // Games.
const KEYS = {
  ArrowLeft: "previous",
  ArrowRight: "next",
  ArrowUp: "previous_game",
  ArrowDown: "next_game",
  Home: "first",
  End: "last",
  f: "flip",
  F: "flip",
  e: "next_error",
  E: "next_error",
};

const settings = JSON.parse(document.getElementById("replay-settings").textContent);
const frame = document.getElementById("replay");
const announcement = document.getElementById("replay-said");

class Replay {
  #kept = new Map();
  #requested = 0;
  #timer = 0;
  #resting = 0;
  #drawing = false;
  #settled = { game: 0, at: 0 };
  quiz = false;
  revealed = new Set(); // URLs of steps

  constructor() {
    this.#read(frame);
    this.at = numberIn(location.href, "p", this.steps.length);
    const box = frame.querySelector("[data-board]");
    const element = document.createElement("div");
    box.replaceChildren(element);
    this.board = new Board(element, { ...this.#sides(), ...boardOptions() });
    frame.addEventListener("click", (event) => this.#click(event));
    document.addEventListener("keydown", (event) => this.#key(event));
    this.#prepare();
    this.#settle();
    this.#draw(null);
  }

  /** Take the steps of a game from a page or a part of one. */
  #read(root) {
    const game = JSON.parse(root.querySelector("#replay-steps").textContent);
    Object.assign(this, { game: game.game, flip: game.flip, steps: game.steps, before: game.before, after: game.after });
    Object.assign(this, { errors: game.errors ?? [], errorsBefore: game.errors_before, laterError: game.later_error });
    this.moves = new Map([...root.querySelectorAll("[data-moves] a")].map((move) => [numberIn(move.href, "p", Infinity), move]));
  }

  /** Whether the quiz hides what was played at this step. */
  #isHidden() {
    return this.quiz && !this.revealed.has(this.#url(this.at)) && this.steps[this.at - 1].side !== null;
  }

  #sides() {
    const [near, far] = this.flip ? [1, 0] : [0, 1];
    const { labels, sides } = settings;
    const own = { near: sides[near].checkers, bar: sides[near].bar, off: sides[near].off };
    const other = { far: sides[far].checkers, farBar: sides[far].bar, farOff: sides[far].off };
    return { near, light: 0, labels: { ...labels, ...own, ...other } };
  }

  #url(at) {
    return `${settings.url}?g=${this.game}&p=${at}${this.flip ? "&flip=1" : ""}`;
  }

  /** Where a button leads to; empty where it leads nowhere. */
  #target(name) {
    const isFirst = this.at === 1;
    const isLast = this.at === this.steps.length;
    if (name === "first") return isFirst ? "" : this.#url(1);
    if (name === "previous") return isFirst ? this.before : this.#url(this.at - 1);
    if (name === "next") return isLast ? this.after : this.#url(this.at + 1);
    if (name === "last") return isLast ? "" : this.#url(this.steps.length);
    if (name === "next_error") return this.#nextError();
    return link(name)?.href ?? "";
  }

  #nextError() {
    const at = this.errors.find((number) => number > this.at);
    return at ? this.#url(at) : (this.laterError ?? "");
  }

  async #load(url) {
    const part = new URL(url, location.href);
    part.searchParams.set("p", "1");
    const key = part.href;
    let text = this.#kept.get(key);
    if (!text) {
      text = ask(key, { headers: { "HX-Request": "true" } }).then((response) => {
        if (!response.ok) throw new Error(`${response.status} for ${key}`);
        return response.text();
      });
      text.catch(() => this.#kept.delete(key));
      this.#kept.set(key, text);
      if (this.#kept.size > MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value);
    }
    return text;
  }

  /** Show the step at a URL, of this game or of another one; of those asked for within a frame only the last. */
  async go(url) {
    const request = ++this.#requested;
    clearTimeout(this.#resting);
    const to = new URL(url, location.href);
    const flip = to.searchParams.has("flip");
    const isOther = numberIn(url, "g", Infinity) !== this.game || flip !== this.flip;
    let text = "";
    if (isOther) {
      try {
        text = await this.#load(url);
      } catch {
        // The request failed: load the page normally, so that the browser shows the problem.
        location.assign(url);
        return;
      }
    } else {
      this.at = numberIn(to, "p", this.steps.length);
    }
    await nextFrame();
    if (request !== this.#requested) return;
    if (isOther) {
      this.#replaceParts(text);
      this.board.setOptions(this.#sides());
      this.at = numberIn(to, "p", this.steps.length);
    }
    const { game, at } = this.#settled;
    this.#settle();
    this.#draw(this.game === game && this.at === at + 1 ? this.steps[at - 1] : null);
  }

  /** Put the parts of another game, or of the other side of the board, in place of those shown. */
  #replaceParts(text) {
    const template = document.createElement("template");
    template.innerHTML = text;
    const focused = document.activeElement?.closest?.("#replay [data-step]")?.dataset.step;
    const isOpen = frame.querySelector("[data-candidates]")?.open;
    for (const part of template.content.querySelectorAll("[data-part], #replay-steps")) {
      const selector = part.id ? `#${part.id}` : `[data-part="${part.dataset.part}"]`;
      frame.querySelector(selector).replaceWith(part);
    }
    this.#read(frame);
    this.#prepare();
    const candidates = frame.querySelector("[data-candidates]");
    if (candidates) candidates.open = isOpen;
    if (focused) link(focused === "move" ? "next" : focused)?.focus({ preventScroll: true });
  }

  /** Show what only a page with scripts can do. */
  #prepare() {
    showCopyButtons(frame);
    const button = frame.querySelector("[data-autoplay]");
    button.hidden = false;
    button.setAttribute("aria-pressed", String(this.#timer !== 0));
  }

  /** Put the step into the address bar. Browsers limit how often a page may do so, and redraw the tab's icon each time. */
  #writeAddress() {
    history.replaceState(null, "", this.#url(this.at));
  }

  /** Show what belongs to this step beside the board. What reads the layout comes before what changes it. */
  #settle() {
    const step = this.steps[this.at - 1];
    this.#settled = { game: this.game, at: this.at };
    this.#settleMoves();
    this.#settleNow(step);
    for (const name of ["first", "previous", "next", "last"]) point(link(name), this.#target(name));
    for (const seat of frame.querySelectorAll("[data-side]")) {
      const side = Number(seat.dataset.side);
      seat.classList.toggle("is-on-turn", side === step.side);
      seat.querySelector("[data-turn]").hidden = side !== step.side;
      write(seat.querySelector("[data-pips]"), String(step.pips[side]));
    }
    link("flip").href = `${settings.url}?g=${this.game}&p=${this.at}${this.flip ? "" : "&flip=1"}`;
    frame.querySelector("[data-xgid]").textContent = step.xgid;
    frame.querySelector(".xgid-line [data-copy]").dataset.copy = step.xgid;
    frame.querySelector("[data-copy-link]").dataset.copy = new URL(this.#url(this.at), location.href).href;
    if (this.at === this.steps.length && this.after) this.#load(this.after).catch(() => {});
    if (frame.querySelector("[data-judged-box]")) this.#settleJudged();
  }

  /** Mark the play in the list, in the middle of what is seen of it. */
  #settleMoves() {
    const moves = frame.querySelector("[data-moves]");
    const move = this.moves.get(this.at);
    if (move) moves.scrollTop = move.offsetTop - moves.offsetTop - moves.clientHeight / 2;
    for (const other of moves.querySelectorAll("[aria-current]")) other.removeAttribute("aria-current");
    move?.setAttribute("aria-current", "step");
  }

  #settleNow(step) {
    const now = frame.querySelector("[data-now]");
    now.classList.toggle("is-illegal", !step.legal);
    const [chip, text, illegal] = now.children;
    chip.hidden = step.side === null;
    chip.className = `chip ${step.side === 1 ? "chip-black" : "chip-white"}`;
    write(text, this.#isHidden() ? settings.quiz : step.words);
    text.classList.toggle("mono", step.side !== null);
    illegal.hidden = step.legal;
    if (!this.#timer) announcement.textContent = text.textContent;
  }

  /** Show what the analysis says about this step, or hide it in the quiz. */
  #settleJudged() {
    for (const part of frame.querySelectorAll("[data-judged]")) part.hidden = Number(part.dataset.judged) !== this.at;
    const next = link("next_error");
    point(next, this.#nextError());
    const words = next.querySelector("[data-error-index]");
    const index = this.errorsBefore + this.errors.filter((number) => number <= this.at).length + 1;
    const text = words.dataset.words.replace("{index}", index).replace("{total}", next.dataset.total);
    words.textContent = this.#nextError() ? text : "";
    const hidden = this.#isHidden();
    frame.firstElementChild.classList.toggle("is-quiz", this.quiz);
    frame.firstElementChild.classList.toggle("is-hiding", hidden);
    const quiz = frame.querySelector("[data-quiz]");
    quiz.hidden = false;
    quiz.setAttribute("aria-pressed", String(this.quiz));
    frame.querySelector("[data-reveal]").hidden = !hidden;
  }

  #toggleQuiz() {
    this.quiz = !this.quiz;
    this.revealed.clear();
    this.#show();
  }

  #reveal() {
    this.revealed.add(this.#url(this.at));
    this.#show();
    frame.querySelector("[data-candidates]").open = true;
    frame.querySelector("[data-candidates] summary").focus({ preventScroll: true });
  }

  /** Show the same step again. */
  #show() {
    this.#settle();
    this.#draw(null);
  }

  /** Draw the step; with the one before it, its checkers move. While one is drawn, only the newest waits. */
  async #draw(before) {
    this.drawn = `${this.#url(this.at)} ${this.#isHidden()}`;
    if (this.#drawing) return;
    this.#drawing = true;
    let from = before;
    for (let shown = ""; shown !== this.drawn; from = null) {
      shown = this.drawn;
      const shownPosition = positionOf(this.steps, this.at);
      if (this.#isHidden()) shownPosition.plan = null;
      await this.board.show(shownPosition, { animate: from?.moves ?? null });
      this.board.element.dataset.shown = `${this.game}.${this.at}`;
    }
    this.#drawing = false;
    this.#resting = setTimeout(() => this.#writeAddress(), ADDRESS_DELAY);
  }

  #autoplay(on) {
    clearInterval(this.#timer);
    this.#timer = 0;
    if (on && this.#target("next")) {
      this.#timer = setInterval(() => {
        const next = this.#target("next");
        if (next && !document.hidden) this.go(next);
        else this.#autoplay(false);
      }, AUTOPLAY_EVERY);
      this.go(this.#target("next"));
    }
    frame.querySelector("[data-autoplay]").setAttribute("aria-pressed", String(this.#timer !== 0));
  }

  #follow(name, url) {
    if (name !== "flip") this.#autoplay(false);
    if (url) this.go(url);
  }

  #click(event) {
    if (event.target.closest("[data-autoplay]")) return void this.#autoplay(this.#timer === 0);
    if (event.target.closest("[data-quiz]")) return void this.#toggleQuiz();
    if (event.target.closest("[data-reveal]")) return void this.#reveal();
    const step = event.target.closest("a[data-step]");
    if (!step || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    const { step: name } = step.dataset;
    this.#follow(name, name === "move" ? step.href : this.#target(name));
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select")) return;
    if (event.key === " " && !event.target.closest("a, button:not(.place), summary")) {
      event.preventDefault();
      this.#autoplay(this.#timer === 0);
    } else if (KEYS[event.key]) {
      event.preventDefault();
      this.#follow(KEYS[event.key], this.#target(KEYS[event.key]));
    }
  }
}

function nextFrame() {
  return new Promise(requestAnimationFrame);
}

function link(name) {
  return frame.querySelector(`a[data-step="${name}"]`);
}

/** Set the text of an element, unless it has it already: to write it again would lay the page out again. */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Lead a link to a URL, or nowhere. */
function point(element, url) {
  element.classList.toggle("is-off", !url);
  if (url) {
    element.href = url;
    element.removeAttribute("aria-disabled");
  } else {
    element.removeAttribute("href");
    element.setAttribute("aria-disabled", "true");
  }
}

function numberIn(url, name, most) {
  const number = Number.parseInt(new URL(url, location.href).searchParams.get(name) ?? "1", 10) || 1;
  return Math.min(Math.max(number, 1), most);
}

/** Return a step as the board shows it, with the play that follows and the one that led to it. */
function positionOf(steps, at) {
  const { checkers, turn, dice, cube, ways, legal } = steps[at - 1];
  const last = steps.slice(0, at - 1).findLast((step) => step.moves.length);
  const plan = ways.length ? { side: turn, ways, tried: !legal } : null;
  return { checkers, turn, dice, cube, plan, last: last ? { side: last.turn, moves: last.moves } : null };
}

function boardOptions() {
  const { theme, themes, mirrored, speed } = settings;
  return { theme, themes, mirrored, speed };
}

new Replay();
