/**
 * The connection to the event stream: opened for some topics, closed after a silence, opened again after a random pause.
 */

const STREAM = "/live/";
const SILENCE = 25_000; // ms without a byte after which the connection counts as lost; the server sends one every 15 s
const ASLEEP = 16_000; // ms without a byte after which a device that wakes connects again at once
const FIRST_PAUSE = 500; // ms; doubled with each failure
const LONGEST_PAUSE = 10_000;
const MOST_TOPICS = 30;
const WATCHDOG = 5_000;

export class StreamSource {
  #source = null;
  #topics = new Map();
  #refused = new Set();
  #failures = 0;
  #lastByte = 0;
  #retry = 0;
  #watchdog = 0;

  /** `report({ open })`, `report({ topic, seq, event })` and `report({})` for every other sign of life. */
  constructor(report) {
    this.report = report;
  }

  get isOpen() {
    return this.#source?.readyState === EventSource.OPEN;
  }

  /** Watch these topics: a Map of topic to ticket ("" without one). Connects again only if the topics have changed. */
  watch(topics, { again = false } = {}) {
    const isSame = topics.size === this.#topics.size && [...topics.keys()].every((topic) => this.#topics.has(topic));
    const isAdmitted = [...this.#refused].some((topic) => topics.get(topic) !== this.#topics.get(topic));
    const isRefused = again && [...this.#refused].some((topic) => topics.has(topic));
    this.#topics = topics;
    if (topics.size === 0) this.close();
    else if (!isSame || isAdmitted || isRefused) this.connect();
  }

  /** Connect again if nothing has been heard for a while, as after the sleep of a phone. */
  wake() {
    if (this.#topics.size > 0 && Date.now() - this.#lastByte > ASLEEP) this.connect();
  }

  connect() {
    this.#drop();
    if (this.#topics.size === 0) return;
    const query = new URLSearchParams();
    for (const topic of [...this.#topics.keys()].slice(0, MOST_TOPICS)) query.append("topic", topic);
    for (const ticket of new Set(this.#topics.values())) if (ticket) query.append("ticket", ticket);
    this.#refused.clear();
    this.#lastByte = Date.now();
    const source = (this.#source = new EventSource(`${STREAM}?${query}`));
    source.addEventListener("open", () => {
      this.#failures = 0;
      this.#heard({ open: true });
    });
    source.addEventListener("message", ({ data }) => {
      const event = JSON.parse(data);
      this.#heard({ topic: event.topic, seq: event.seq, event });
    });
    source.addEventListener("refused", ({ data }) => {
      this.#refused.add(JSON.parse(data).topic);
      this.#heard({});
    });
    source.addEventListener("alive", () => this.#heard({}));
    source.addEventListener("end", () => this.#reconnect(FIRST_PAUSE));
    source.addEventListener("error", () => {
      this.#failures += 1;
      this.#reconnect(Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#failures));
    });
    this.#watchdog = setInterval(() => {
      if (Date.now() - this.#lastByte > SILENCE) this.#reconnect(FIRST_PAUSE);
    }, WATCHDOG);
  }

  close() {
    this.#drop();
    this.#topics = new Map();
    this.#refused.clear();
  }

  #heard(news) {
    this.#lastByte = Date.now();
    this.report(news);
  }

  /** Close, and open again after a random pause of half to one and a half times `pause` ms. */
  #reconnect(pause) {
    this.#drop();
    this.report({ open: false });
    this.#retry = setTimeout(() => this.connect(), pause * (0.5 + Math.random()));
  }

  #drop() {
    clearTimeout(this.#retry);
    clearInterval(this.#watchdog);
    this.#source?.close();
    this.#source = null;
  }
}
