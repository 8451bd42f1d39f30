// The match of a guest: the browser keeps it as a signed text, which each answer of the server replaces.

import { forget, keep, recall } from "./kept.js";
import { Store } from "./store.js";

export const KEPT_AS = "barpoint-guest-match";

export class GuestStore extends Store {
  #length;
  #isReplaced = false; // Whether the next answer is about the match as another tab has it.

  constructor(settings) {
    super(settings);
    this.#length = settings.length;
    document.getElementById("play-again").addEventListener("click", () => {
      forget("local", KEPT_AS);
      location.reload();
    });
    this.addEventListener("busy", ({ detail: { detail } }) => detail && !this.state && showWhy(detail));
    addEventListener("storage", ({ key, newValue }) => key === KEPT_AS && newValue && this.#goOnWith(newValue));
  }

  /** Go on with the match that another tab of this browser has kept. */
  #goOnWith(token) {
    if (token === this.token || this.sending) return;
    this.token = token;
    this.#isReplaced = true;
    this.load();
  }

  /** Read the match that was kept, or begin one where none was or it cannot be continued. */
  async get(_, options) {
    const token = this.token ?? recall("local", KEPT_AS) ?? "";
    const answer = await this.#sent("", { token, length: this.#length }, options);
    if (!token || answer.status !== 409) return answer;
    this.token = "";
    forget("local", KEPT_AS);
    return this.get(_, options);
  }

  post(path, body, options) {
    return this.#sent(path, { token: this.token, ...body }, options);
  }

  /** Take over an answer, also one with fewer actions: after something was taken back. */
  apply(data, options) {
    if (this.state && (this.#isReplaced || data.last < this.state.last)) {
      this.actions = [];
      this.state = null;
    }
    this.#isReplaced = false;
    super.apply(data, options);
  }

  /** What the server answers; every request posts, also one that reads. */
  async #sent(path, body, options) {
    const answer = await super.get(path, { method: "POST", body: JSON.stringify(body), ...options });
    if (answer.ok && answer.data.token) {
      this.token = answer.data.token;
      // The tab that has acted keeps it; to keep what was only read would make the tabs answer each other for ever.
      if (!this.#isReplaced) keep("local", KEPT_AS, this.token);
    }
    return answer;
  }
}

/** Say why there is no board yet, which is asked for again. */
function showWhy(text) {
  document.querySelector('[data-panel="loading"] p').textContent = text;
}
