// By correspondence: how a player answers the double that the opponent may offer now, decided before it comes.

import { fillIn, words } from "./fill.js";

export class Ahead {
  /** `store` has the match, `element` the question with its buttons; `refuse` shows why something was refused. */
  constructor(store, element, refuse) {
    this.store = store;
    this.element = element;
    this.refuse = refuse;
    this.buttons = [...element.querySelectorAll("[data-ahead]")];
    element.addEventListener("click", ({ target }) => {
      const { ahead } = target.closest("[data-ahead]")?.dataset ?? {};
      if (ahead) this.#decide(ahead);
    });
    // Another tab may have decided meanwhile, and nobody else is told of it.
    document.addEventListener("visibilitychange", () => document.hidden || store.load());
  }

  /** `values` are those of the sentences of the page. */
  draw(values) {
    this.values = values;
    const { answer_ahead: answer } = this.store.state;
    const hadFocus = this.element.contains(document.activeElement);
    this.element.hidden = answer === null;
    if (answer === null) return;
    const sentence = this.element.querySelector("p");
    sentence.textContent = fillIn(sentence.dataset[answer || "ask"], values);
    for (const button of this.buttons) button.hidden = (button.dataset.ahead === "ask") === (answer === "");
    if (hadFocus) this.buttons.find((button) => !button.hidden).focus();
  }

  async #decide(answer) {
    for (const button of this.buttons) button.disabled = true;
    try {
      const { ok, data } = await this.store.post("ahead/", { answer, last: this.store.state.last });
      if (ok) this.store.apply(data);
      else await this.store.load();
      // What is stale shows by itself: the double is there, or the opponent has rolled.
      if (!ok && data.code !== "stale") this.refuse(data.detail ?? words("disconnected"));
    } catch {
      this.refuse(words("disconnected"));
    }
    for (const button of this.buttons) button.disabled = false;
    this.draw(this.values);
  }
}
