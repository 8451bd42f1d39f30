// The dice of the player: a chain in this browser, checked after every answer of the server.

import { ChainError, openChain } from "../dice/chain.js";

const WAIT = 10_000; // Milliseconds after which a new chain serves without an answer of the opponent.

/** `report`: of the rolls so far, `{verified, weak, failed}`; null while nothing has been checked. */
export class PlayerDice {
  #store;
  #settings;
  #chain = null;
  #checking = Promise.resolve();
  #preparing = null; // One at a time: a second chain would replace the first.

  constructor(store, settings) {
    this.#store = store;
    this.#settings = settings;
    this.report = null;
    this.readyAt = null; // When a chain that has just been committed can be used.
  }

  get isKeptByServer() {
    return this.#current?.kept_by_server ?? false;
  }

  /** Check the rolls that have come since the last time. */
  check() {
    this.#checking = this.#checking.then(() => this.#check());
    return this.#checking;
  }

  /** Commit to a chain of this browser unless the current one is its own. Throws ChainError without storage. */
  prepare() {
    this.#preparing ??= this.#prepare().finally(() => (this.#preparing = null));
    return this.#preparing;
  }

  async #prepare() {
    if (this.isKeptByServer) return;
    const { match, side } = this.#settings;
    this.#chain = await openChain({ match, side, chains: this.#store.state.chains });
    const anchor = this.#chain?.anchor ?? "";
    if (this.#chain?.isCommitted) return;
    const isFirst = !this.#current;
    const { ok, data } = await this.#store.post("chains/", { anchor });
    if (!ok) throw new ChainError(this.#chain ? data.code : "storage_lost", this.#chain ? data.detail : "");
    this.#store.apply(data);
    await this.check();
    if (!isFirst) this.readyAt = this.#store.now + WAIT;
  }

  /** Commit to a first chain, as soon as the page is open: no roll can be known by then. */
  async prepareFirst() {
    if (!this.#current) await this.prepare();
  }

  /** The link for the next roll; empty where the server keeps the chain. Throws ChainError. */
  async link() {
    await this.prepare();
    if (this.isKeptByServer) return "";
    await this.check();
    return this.#chain.reveal(this.#rolls + 1);
  }

  get #current() {
    const own = (this.#store.state?.chains ?? []).filter((chain) => chain.owner === String(this.#settings.side));
    return own.reduce((latest, chain) => (latest && latest.number > chain.number ? latest : chain), null);
  }

  get #rolls() {
    return this.#store.actions.findLast((action) => action.data.number)?.data.number ?? 0;
  }

  async #check() {
    if (!this.#chain) {
      const { match, side } = this.#settings;
      const { chains } = this.#store.state;
      if (this.isKeptByServer || !this.#current) return;
      this.#chain = await openChain({ match, side, chains });
      if (!this.#chain) return;
    }
    const { chains } = this.#store.state;
    this.report = await this.#chain.check({ chains, actions: this.#store.actions });
  }
}
