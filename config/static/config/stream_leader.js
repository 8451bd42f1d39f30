/**
 * One tab of a browser leads. With locks it is the tab that holds the lock, which ends with the tab. Without them (they
 * are missing on plain HTTP) a tab leads when none answers its call; of two leaders the one with the lower name stays.
 */

const LOCK = "barpoint-stream";
const PATIENCE = 300; // ms to wait for the answer of a leader; up to twice as long

export class Leadership {
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
