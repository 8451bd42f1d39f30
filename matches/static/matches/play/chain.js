// The dice of the player: a chain in this browser, checked after every answer of the server.

import { ChainError, openChain } from "../dice/chain.js";

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
  }

  get isKeptByServer() {
    return this.#armed?.kept_by_server ?? false;
  }

  /** Check the rolls that have come since the last time. */
  check() {
    this.#checking = this.#checking.then(() => this.#check());
    return this.#checking;
  }

  /** Arm the chain of this browser unless it was armed last. Throws ChainError, without storage above all. */
  prepare() {
    this.#preparing ??= this.#prepare().finally(() => (this.#preparing = null));
    return this.#preparing;
  }

  async #prepare() {
    if (this.isKeptByServer) return;
    const { match, side } = this.#settings;
    const { chains, armings } = this.#store.state;
    this.#chain = await openChain({ match, side, chains, armings });
    if (this.#chain?.isArmed) return;
    const { anchor = "", number } = this.#chain ?? {};
    const { ok, data } = await this.#store.post("chains/", { anchor, number });
    if (!ok) throw new ChainError(this.#chain ? data.code : "storage_lost", this.#chain ? data.detail : "");
    this.#store.apply(data);
    await this.check();
  }

  /** Arm the chain of this browser ahead. Where the server refuses, the player is told when they roll. */
  async arm() {
    try {
      await this.prepare();
      return true;
    } catch (error) {
      if (error.sentence) return false;
      throw error;
    }
  }

  /** The link for the next roll, `{link, seen}`; nothing where the server keeps the chain. Throws ChainError. */
  async link() {
    await this.prepare();
    if (this.isKeptByServer) return {};
    await this.check();
    // Ready again after a break: the same link again, whichever device gave it.
    const { side } = this.#settings;
    const last = this.#store.actions.findLast(({ kind, side: by }) => kind === "roll" || (kind === "ready" && by === side));
    if (last?.kind === "ready") return { link: last.data.link.link };
    return this.#reveal((chain) => chain.reveal(this.#rolls + 1));
  }

  /** The link for the play of the last roll; nothing where there is none to give, since a play does without. */
  async linkWithPlay() {
    // In practice: the play that was taken back has given it.
    const last = this.#store.actions.findLast(({ kind }) => kind === "roll" || kind === "take_back");
    if (last?.kind === "take_back") return {};
    try {
      await this.prepare();
      if (this.isKeptByServer) return {};
      await this.check();
      return await this.#reveal((chain) => chain.revealWithPlay(this.#rolls));
    } catch (error) {
      if (error instanceof ChainError || error.constructor.name === "Unreachable") return {};
      throw error;
    }
  }

  /** Reveal a link, of a new chain where one of the old chain was given in vain. */
  async #reveal(of) {
    try {
      return await of(this.#chain);
    } catch (error) {
      if (!(error instanceof ChainError) || error.code !== "link_spent") throw error;
    }
    await this.prepare();
    await this.check();
    return of(this.#chain);
  }

  get #armed() {
    const { chains = [], armings = [] } = this.#store.state ?? {};
    const last = armings.findLast(({ owner }) => owner === String(this.#settings.side));
    return last && chains.find(({ owner, number }) => owner === last.owner && number === last.chain);
  }

  get #rolls() {
    return this.#store.actions.findLast((action) => action.data.number)?.data.number ?? 0;
  }

  async #check() {
    const { chains, armings } = this.#store.state;
    if (!this.#chain) {
      const { match, side } = this.#settings;
      if (this.isKeptByServer || !this.#armed) return;
      this.#chain = await openChain({ match, side, chains, armings });
      if (!this.#chain) return;
    }
    this.report = await this.#chain.check({ chains, armings, actions: this.#store.actions });
  }
}
