/**
 * Changes of topics, by one event stream for all tabs of a browser.
 *
 *     const stop = watch(["match:k3v9w2xq7m"], { change(topic, seq, event) {}, state(open) {} });
 *
 * `change` is called with the current number of each topic and with every new one. A page that shows another number
 * reads again what it shows. `state(false)` says that changes are missed, so that the page should ask every few seconds,
 * `state(true)` that they arrive again. A tab that was hidden for a minute lets go of what it watches, unless the
 * watcher is `important`, and is called with what it has missed once it is visible again. `ticket` is a function that
 * returns the ticket of a page that was opened by a personal link (docs/live.md).
 */

const LET_GO = 60_000; // ms for which a hidden tab keeps what it watches
const GRACE = 3_000; // ms without a stream that are not worth telling the page
const ANSWER = 2_000; // ms in which the leader has to answer
const SILENCE = 25_000; // ms without a word of the leader, or without a byte of the server, which sends one every 15 s
const REPEAT = 30_000; // ms after which a tab repeats what it watches, with new tickets
const FORGOTTEN = 150_000; // ms after which a tab that does not repeat it is forgotten; timers of hidden tabs are slow
const STREAM = "/live/";
const ASLEEP = 16_000; // ms without a byte after which a device that wakes connects again at once
const FIRST_PAUSE = 500; // ms; doubled with each failure
const MAX_PAUSE = 10_000;
const MAX_TOPICS = 30;
const WATCHDOG = 5_000;
const LOCK = "barpoint-stream";
const PATIENCE = 300; // ms to wait for the answer of a leader; up to twice as long

/**
 * One tab of a browser leads. With locks it is the tab that holds the lock, which ends with the tab. Without them (they
 * are missing on plain HTTP) a tab leads when none answers its call; of two leaders the one with the lower name stays.
 */
class Leadership {
  #isLeader = false;
  #isMember = false;
  #waiting = null;
  #release = null;
  #timer = 0;
  #leaderHeardAt = 0;

  /** `post` sends a message to the other tabs; `changed(isLeader)` is called when this tab begins or ceases to lead. */
  constructor(tab, post, changed) {
    this.tab = tab;
    this.post = post;
    this.changed = changed;
  }

  get isLeader() {
    return this.#isLeader;
  }

  /** Lead as soon as no other tab does. */
  join() {
    if (this.#isMember) return;
    this.#isMember = true;
    if (navigator.locks) this.#requestLock();
    else this.#call();
  }

  /** Lead now, since the leader does not answer. */
  takeOver() {
    if (this.#isLeader || !this.#isMember) return;
    if (navigator.locks) this.#requestLock({ steal: true });
    else this.#lead();
  }

  leave() {
    this.#isMember = false;
    clearTimeout(this.#timer);
    this.#waiting?.abort();
    this.#waiting = null;
    if (this.#isLeader && !navigator.locks) this.post({ type: "resigned", tab: this.tab });
    this.#follow();
  }

  /** Take note of a message of another tab. */
  heard(message) {
    if (navigator.locks) return;
    if (message.type === "resigned") this.#call();
    if (!message.leads) return;
    this.#leaderHeardAt = Date.now();
    if (!this.#isLeader) return;
    if (message.tab < this.tab) this.#follow();
    else if (message.type === "leads") this.post({ type: "leads", tab: this.tab, leads: true });
  }

  #requestLock({ steal = false } = {}) {
    this.#waiting?.abort();
    const waiting = (this.#waiting = new AbortController());
    const options = steal ? { steal } : { signal: waiting.signal };
    const held = () =>
      new Promise((resolve) => {
        if (waiting.signal.aborted) return resolve();
        this.#release = resolve;
        this.#lead();
      });
    navigator.locks.request(LOCK, options, held).catch((error) => {
      if (error.name !== "AbortError") throw error;
      // Either this request was given up, or another tab has taken the lock.
      if (this.#waiting !== waiting) return;
      this.#follow();
      if (this.#isMember) this.#requestLock();
    });
  }

  /** Lead unless a leader answers soon. */
  #call() {
    const calledAt = Date.now();
    this.post({ type: "call", tab: this.tab });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        if (this.#isMember && this.#leaderHeardAt < calledAt) this.#lead();
      },
      PATIENCE * (1 + Math.random()),
    );
  }

  #lead() {
    if (this.#isLeader) return;
    this.#isLeader = true;
    this.post({ type: "leads", tab: this.tab, leads: true });
    this.changed(true);
  }

  #follow() {
    this.#release?.();
    this.#release = null;
    if (!this.#isLeader) return;
    this.#isLeader = false;
    this.changed(false);
  }
}

/** The connection to the event stream: opened for some topics, closed after a silence, opened again after a random pause. */
class StreamSource {
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
    for (const topic of [...this.#topics.keys()].slice(0, MAX_TOPICS)) query.append("topic", topic);
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
      this.#reconnect(Math.min(MAX_PAUSE, FIRST_PAUSE * 2 ** this.#failures));
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

const tab = Math.random().toString(36).slice(2);
const channel = "BroadcastChannel" in window ? new BroadcastChannel("barpoint-stream") : null;
const watchers = new Set();
const tabs = new Map(); // of the leader: what each tab watches
let numbers = new Map(); // of the topics of the present connection
let isOpen = false;
let isAsleep = false;
let leaderHeardAt = 0;
let sleeping = 0;
let announcing = 0;

const post = (message) => channel?.postMessage(message);
const leadership = new Leadership(tab, post, leadershipChanged);
const source = new StreamSource(report);

export function watch(topics, { change, state, important = false, ticket }) {
  const watcher = { topics: [...topics], change, state, important, ticket, seen: new Map(), open: null, late: 0 };
  watchers.add(watcher);
  if (watchers.size === 1) leadership.join();
  announceSoon();
  inform(watcher);
  return function stop() {
    clearTimeout(watcher.late);
    watchers.delete(watcher);
    announceSoon();
  };
}

/**
 * Watch topics as `watch` does, and call `load` every `every` milliseconds while there is no stream and
 * the page can be seen. Returns a function that ends both.
 */
export function follow(topics, { load, every, ...options }) {
  let polling = 0;
  const stop = watch(topics, {
    ...options,
    state: (open) => {
      clearInterval(polling);
      if (!open) polling = setInterval(() => document.hidden || load(), every);
    },
  });
  return () => {
    stop();
    clearInterval(polling);
  };
}

const isKept = (watcher) => watcher.important || !isAsleep;

/** What this tab watches: pairs of topic and ticket. */
function wanted() {
  const topics = new Map();
  for (const watcher of watchers) {
    const ticket = watcher.ticket?.() || "";
    if (isKept(watcher)) for (const topic of watcher.topics) topics.set(topic, ticket || topics.get(topic) || "");
  }
  return [...topics];
}

function announceSoon() {
  clearTimeout(announcing);
  announcing = setTimeout(announce, 0);
}

/** Tell the leader what this tab watches; lead instead if it does not answer. */
function announce({ woken = false } = {}) {
  clearTimeout(announcing);
  announcing = setTimeout(announce, REPEAT);
  const message = { type: "wants", tab, topics: wanted(), woken };
  if (leadership.isLeader) return accept(message);
  post(message);
  if (message.topics.length === 0) return;
  const announcedAt = Date.now();
  setTimeout(() => {
    if (leaderHeardAt < announcedAt && !leadership.isLeader) leadership.takeOver();
  }, ANSWER);
}

/** As the leader: watch what the tabs want. */
function accept({ tab: other, topics, woken }) {
  const known = tabs.get(other)?.topics;
  const again = topics.some(([topic]) => !known?.has(topic));
  tabs.set(other, { topics: new Map(topics), at: Date.now() });
  const all = new Map();
  for (const [name, { topics: theirs, at }] of tabs) {
    if (name !== tab && Date.now() - at > FORGOTTEN) tabs.delete(name);
    else for (const [topic, ticket] of theirs) all.set(topic, ticket || all.get(topic) || "");
  }
  source.watch(all, { again });
  if (woken) source.wake();
  publish({ type: "stream", open: source.isOpen, numbers: source.isOpen ? [...numbers] : [] });
}

/** As the leader: pass on what the stream has reported. */
function report(news) {
  if (news.open === undefined && news.topic === undefined) return post({ type: "alive", tab, leads: true });
  if (news.topic) return publish({ type: "number", ...news });
  publish({ type: "stream", open: news.open, numbers: [] });
}

function publish(message) {
  post({ ...message, tab, leads: true });
  apply(message);
}

function apply(message) {
  if (message.type === "stream") {
    isOpen = message.open;
    numbers = new Map(message.numbers);
  } else if (message.type === "number") {
    numbers.set(message.topic, message.seq);
  }
  for (const watcher of watchers) inform(watcher, message.event);
}

/** Call a watcher with the numbers it has not seen, and when the stream begins or ceases to cover its topics. */
function inform(watcher, event) {
  if (!isKept(watcher)) return;
  for (const topic of watcher.topics) {
    const seq = numbers.get(topic);
    if (seq === undefined || seq <= (watcher.seen.get(topic) ?? -1)) continue;
    watcher.seen.set(topic, seq);
    call(() => watcher.change?.(topic, seq, event?.topic === topic ? event : { topic, seq }));
  }
  const open = isOpen && watcher.topics.every((topic) => numbers.has(topic));
  if (open) {
    clearTimeout(watcher.late);
    watcher.late = 0;
    if (watcher.open !== true) call(() => watcher.state?.((watcher.open = true)));
  } else if (watcher.open !== false && !watcher.late) {
    watcher.late = setTimeout(() => {
      watcher.late = 0;
      if (watchers.has(watcher) && isKept(watcher)) call(() => watcher.state?.((watcher.open = false)));
    }, GRACE);
  }
}

/** An error of one watcher is reported and does not keep the others from their changes. */
function call(handler) {
  try {
    handler();
  } catch (error) {
    reportError(error);
  }
}

function leadershipChanged(isLeader) {
  if (!isLeader) {
    tabs.clear();
    source.close();
    apply({ type: "stream", open: false, numbers: [] });
    announceSoon();
    return;
  }
  post({ type: "tell", tab, leads: true });
  announce();
}

channel?.addEventListener("message", ({ data: message }) => {
  leadership.heard(message);
  if (message.leads) leaderHeardAt = Date.now();
  if (leadership.isLeader) {
    if (message.type === "wants") accept(message);
    else if (message.type === "gone") accept({ tab: message.tab, topics: [] });
    else if (message.type === "call") post({ type: "leads", tab, leads: true });
  } else if (message.type === "tell" || message.type === "leads") {
    announceSoon();
  } else if (message.leads) {
    apply(message);
  }
});

/** The page is visible again, or its network is back: what was missed meanwhile arrives with the current numbers. */
function wake() {
  clearTimeout(sleeping);
  isAsleep = false;
  if (watchers.size > 0) announce({ woken: true });
}

function fallAsleepSoon() {
  clearTimeout(sleeping);
  sleeping = setTimeout(() => {
    isAsleep = true;
    if (watchers.size > 0) announce();
  }, LET_GO);
}

if (document.hidden) fallAsleepSoon();
document.addEventListener("visibilitychange", () => (document.hidden ? fallAsleepSoon() : wake()));

window.addEventListener("online", () => {
  if (leadership.isLeader) source.connect();
  else wake();
});

window.addEventListener("pagehide", () => {
  post({ type: "gone", tab });
  leadership.leave();
});

window.addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  if (watchers.size > 0) leadership.join();
  wake();
});

setInterval(() => {
  if (leadership.isLeader || isAsleep || wanted().length === 0) return;
  if (Date.now() - leaderHeardAt > SILENCE) leadership.takeOver();
}, SILENCE / 5);
