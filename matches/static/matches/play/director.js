// The rulings of a director, sent from the forms below the board.

import { fill, words } from "./fill.js";
import { randomKey } from "./store.js";

const MINUTE = 60_000;

// The fields of each form as the API takes them.
const FIELDS = {
  adjourn: () => ({}),
  resume: () => ({}),
  adjust_clock: (form) => ({ side: Number(form.get("side")), value: Math.round(Number(form.get("minutes")) * MINUTE) }),
  set_score: (form) => ({ score: [Number(form.get("left")), Number(form.get("right"))] }),
  end_game: (form) => ({ side: Number(form.get("side")), value: Number(form.get("points")) }),
};

export class DirectorForms {
  constructor(store, root) {
    this.store = store;
    this.root = root;
    for (const form of root.querySelectorAll("form[data-ruling]")) {
      form.addEventListener("submit", (event) => this.#submit(event, form));
    }
    store.addEventListener("state", () => this.#draw());
  }

  async #submit(event, form) {
    event.preventDefault();
    const kind = form.dataset.ruling;
    const data = new FormData(form);
    const body = { kind, after: this.store.state.last, reason: data.get("reason") ?? "", ...FIELDS[kind](data) };
    const button = form.querySelector("button");
    button.disabled = true;
    // Without an answer, the next press sends the same key: the ruling may have been made.
    form.dataset.key ||= randomKey();
    const headers = { "Idempotency-Key": form.dataset.key };
    const answer = await this.store.post("rulings/", body, { headers }).catch(() => null);
    if (answer) delete form.dataset.key;
    button.disabled = false;
    if (answer?.ok) {
      this.store.apply(answer.data);
      form.reset();
    } else await this.store.load();
    fill(this.root, { ruled: answer?.ok ? words("ruled") : (answer?.data.detail ?? words("disconnected")) });
    document.getElementById("ruled").scrollIntoView({ block: "nearest" });
  }

  #draw() {
    const { state } = this.store;
    const isAdjourned = state.phase === "adjourned";
    this.root.hidden = state.winner !== null;
    this.root.querySelector('[data-ruling="adjourn"]').hidden = isAdjourned;
    this.root.querySelector('[data-ruling="resume"]').hidden = !isAdjourned;
    this.root.querySelector('[data-ruling="set_score"]').hidden = state.phase !== "opening";
    this.root.querySelector('[data-ruling="adjust_clock"]').hidden = !state.clock;
  }
}
