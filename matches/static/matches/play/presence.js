// Signs of life of a player's page, which measure its lag as well.

const VISIBLE = 15;
const HIDDEN = 60;
const FIRST = 3; // Measurements at the start.

export class PresencePings {
  /** `onLag` gets the measured milliseconds after each ping. */
  constructor(store, settings, onLag) {
    this.store = store;
    this.settings = settings;
    this.onLag = onLag;
    this.tab = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => (byte % 36).toString(36)).join("");
    this.rounds = FIRST;
    this.timer = 0;
    document.addEventListener("visibilitychange", () => this.#send());
    addEventListener("pagehide", () => this.#leave());
    addEventListener("pageshow", (event) => event.persisted && this.#send());
    this.#send();
  }

  /** Say that the page is open; then send the answer's ping back at once, which measures the lag. */
  async #send() {
    clearTimeout(this.timer);
    const every = document.hidden ? HIDDEN : VISIBLE;
    this.timer = setTimeout(() => this.#send(), every * 1000);
    let ping = "";
    for (let round = 0; round <= this.rounds; round += 1) {
      const { ok, data } = await this.store.post("ping/", { ping, tab: this.tab, every }).catch(() => ({ ok: false }));
      if (!ok) return;
      ({ ping } = data);
      if (round) this.onLag(data.lag);
    }
    this.rounds = 1;
  }

  #leave() {
    clearTimeout(this.timer);
    const form = new FormData();
    form.append("tab", this.tab);
    if (this.settings.link) form.append("link", this.settings.link);
    else form.append("csrfmiddlewaretoken", this.settings.csrf);
    navigator.sendBeacon(`${this.settings.api}goodbye/`, form);
  }
}
