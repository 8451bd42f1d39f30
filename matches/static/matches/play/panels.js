// The panel of actions: one is open at a time, chosen by the state unless the reader asked for another.

import { fill, words } from "./fill.js";

// What asks once more before it is sent, and with which question.
const QUESTIONS = {
  double: { ask: "askDouble", by: "confirm_cube" },
  take: { ask: "askTake", by: "confirm_cube" },
  drop: { ask: "askDrop", by: "confirm_cube" },
  resign: { ask: "askResign" },
  concede: { ask: "askConcede" },
  vacation: { ask: "askVacation" },
  accept: { ask: "askAccept" },
  claim_away: { ask: "claim", confirm: "claim" },
  claim_flag: { ask: "claim", confirm: "claim" },
};

// Buttons that are there only where they can be pressed.
const OFFERED = ["double", "continue", "claim_flag"];

/** Events: `act` with `{kind, value}` once it has been confirmed. */
export class Panels extends EventTarget {
  #preferences;
  #open = null; // A panel that the reader has opened over the one of the state.
  #asking = null;
  #opener = null; // The button that opened it, which gets the focus back.

  constructor(root, preferences) {
    super();
    this.root = root;
    this.#preferences = preferences;
    this.values = {};
    this.current = "loading";
    document.addEventListener("click", (event) => this.#click(event.target.closest("button")));
  }

  /** Show the panel of a state with these values; `key` changes where an open question has lost its sense. */
  show(panel, values, { may, busy, key }) {
    if (key !== this.key) this.close();
    this.key = key;
    this.values = values;
    this.current = panel;
    for (const button of document.querySelectorAll("[data-act]")) {
      const { act } = button.dataset;
      const isFocused = document.activeElement === button;
      button.disabled = busy || !may.includes(act);
      // A disabled button loses the focus to the page; its panel keeps it.
      if (isFocused && button.disabled) this.#focus(button.closest("[data-panel]")?.dataset.panel);
      if (OFFERED.includes(act)) button.hidden = !may.includes(act);
    }
    for (const button of this.root.querySelectorAll('[data-act="resign"]')) {
      button.hidden = !values[`resign${button.dataset.value}`];
    }
    this.root.querySelector('[data-open="vacation"]')?.toggleAttribute("hidden", !may.includes("vacation"));
    const resign = this.root.querySelector('[data-open="resign"]');
    resign.disabled = busy || !(may.includes("resign") || may.includes("concede"));
    this.#draw();
  }

  close() {
    const opener = this.#open && this.#opener;
    this.#open = null;
    this.#asking = null;
    this.#draw();
    if (opener?.offsetParent) opener.focus();
  }

  get isAsking() {
    return this.#open !== null;
  }

  /** Press the main button of the open panel. Returns whether there was one. */
  pressMain() {
    const selector = "[data-main]:not(:disabled, [hidden]), #confirmed";
    const button = this.root.querySelector(`.play-panel:not([hidden]) :is(${selector})`);
    button?.click();
    return Boolean(button);
  }

  #draw() {
    const open = this.#open ?? this.current;
    const focused = document.activeElement.closest("[data-panel]");
    for (const panel of this.root.querySelectorAll("[data-panel]")) panel.hidden = panel.dataset.panel !== open;
    if (focused?.hidden) this.#focus(open);
    fill(this.root, { ...this.values, ...this.#questionValues() });
  }

  #questionValues() {
    if (!this.#asking) return {};
    const { kind, value } = this.#asking;
    const cube = kind === "double" ? this.values.doubled : this.values.cube;
    const manner = value ? words(`manner-${value}`) : "";
    const { ask, confirm = kind } = QUESTIONS[kind];
    return { question: words(ask, { ...this.values, cube, manner, value }), confirm: words(confirm) };
  }

  #click(button) {
    if (!button || button.disabled) return;
    if (["resign", "vacation"].includes(button.dataset.open)) this.#openPanel(button.dataset.open);
    else if (button.id === "reconsider" || "close" in button.dataset) this.close();
    else if (button.id === "confirmed") this.#send(this.#asking);
    else if (button.dataset.act) this.#press({ kind: button.dataset.act, value: valueOf(button) });
  }

  #press(action) {
    const question = QUESTIONS[action.kind];
    if (!question || (question.by && !this.#preferences[question.by])) return this.#send(action);
    this.#asking = action;
    return this.#openPanel("confirm");
  }

  /** Put the focus on a panel, where that on another one is lost: keys and screen readers go on from there. */
  #focus(name) {
    const panel = this.root.querySelector(`[data-panel="${name}"]`);
    if (!panel) return;
    panel.tabIndex = -1;
    panel.focus({ preventScroll: true });
  }

  #openPanel(name) {
    this.#opener = document.activeElement;
    this.#open = name;
    this.#draw();
    this.root.querySelector(`[data-panel="${name}"] button`)?.focus();
  }

  #send(action) {
    this.close();
    this.dispatchEvent(new CustomEvent("act", { detail: action }));
  }
}

/** Return the number that belongs to a button, or that of the field it names; null if there is none. */
function valueOf({ dataset }) {
  return Number(dataset.value ?? document.getElementById(dataset.valueOf ?? "")?.value) || null;
}
