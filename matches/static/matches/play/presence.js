// Signs of life of a player's page, which measure its lag as well. An action is one, too. Leaving a page ends this life of
// it, whatever is still under way; if the browser brings the page back, it begins another.

const VISIBLE = 15;
const HIDDEN = 60;
const MEASURE_EVERY = 30; // Seconds, while the page has anything to send.
const FIRST = 3; // Measurements at the start.
const TICKET_LASTS = 240; // Seconds in which pings use the ticket of an answer; then the account or the link counts again.

export class PresencePings {
  /** `onLag` gets the measured milliseconds after each measurement. */
  constructor(store, settings, onLag) {
    this.store = store;
    this.settings = settings;
    this.onLag = onLag;
    this.life = newLife();
    this.hasLeft = false;
    this.timer = 0;
    this.measured = -Infinity;
    this.ticket = "";
    this.ticketFrom = -Infinity;
    store.signOfLife = () => ({ tab: this.life, every: this.#every });
    store.addEventListener("state", ({ detail }) => detail.own && this.#acted());
    document.addEventListener("visibilitychange", () => this.#ping());
    addEventListener("pagehide", () => this.#leave());
    addEventListener("pageshow", (event) => event.persisted && this.#comeBack());
    this.#ping(FIRST);
  }

  get #every() {
    return document.hidden ? HIDDEN : VISIBLE;
  }

  get #isMeasured() {
    return performance.now() - this.measured < MEASURE_EVERY * 1000;
  }

  /** Say that the page is open. */
  #ping(measurements = this.#isMeasured ? 0 : 1) {
    if (this.hasLeft) return;
    this.#waitAgain();
    this.#exchange("", measurements + 1);
  }

  /** The server has taken an action as a sign of life; its answer has a ping. */
  #acted() {
    this.#waitAgain();
    const { ping } = this.store.state;
    if (ping && !this.#isMeasured) this.#exchange(ping, 1);
  }

  #waitAgain() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#ping(), this.#every * 1000);
  }

  /** Send a ping, and that of each answer at once, which measures the lag; the first one may be empty. */
  async #exchange(ping, times) {
    for (let left = times; left; left -= 1) {
      const { ok, data } = await this.#send({ ping, ...this.store.signOfLife() });
      if (!ok) return;
      if (ping) {
        this.measured = performance.now();
        this.onLag(data.lag);
      }
      ({ ping } = data);
    }
  }

  /** Send a ping, where possible with a ticket and without cookies: that takes the server least. */
  async #send(sign) {
    const isFresh = performance.now() - this.ticketFrom < TICKET_LASTS * 1000;
    const sent = isFresh ? [{ ...sign, ticket: this.ticket }, { credentials: "omit" }] : [sign];
    const answer = await this.store.post("ping/", ...sent).catch(() => ({ ok: false }));
    if (!answer.ok) this.ticketFrom = -Infinity;
    else if (!isFresh) [this.ticket, this.ticketFrom] = [answer.data.ticket, performance.now()];
    return answer;
  }

  #comeBack() {
    this.life = newLife();
    this.hasLeft = false;
    this.#ping();
  }

  #leave() {
    this.hasLeft = true;
    clearTimeout(this.timer);
    const form = new FormData();
    form.append("tab", this.life);
    if (this.settings.link) form.append("link", this.settings.link);
    else form.append("csrfmiddlewaretoken", this.settings.csrf);
    navigator.sendBeacon(`${this.settings.api}goodbye/`, form);
  }
}

function newLife() {
  return [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => (byte % 36).toString(36)).join("");
}
