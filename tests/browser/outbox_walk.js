// Plays the outbox of a page against a server in a few lines; a function of the module, as a page evaluates it.

(({ EMPTY, step, onWire }) => {
  const CHANGED = ["differs", "refused"];

  /** A state that `step` cannot change, as it is what is stored. */
  function frozen(state) {
    state.acts.forEach(Object.freeze);
    Object.freeze(state.acts);
    return Object.freeze(state);
  }

  /** A server that stores acts by their numbers, and may be restored from a backup. */
  class Server {
    have = 0;
    stored = new Map();
    outcomes = new Map(); // what becomes of an act by its number, if not done
    errors = [];

    open() {
      return [...this.stored.values()].filter(({ outcome }) => CHANGED.includes(outcome));
    }

    post(acts) {
      const outcomes = [];
      for (const act of acts) {
        const content = JSON.stringify(onWire(act));
        const known = this.stored.get(act.n);
        if (!known && act.n !== this.have + 1) this.errors.push(`gap before ${act.n}`);
        if (known && known.content !== content) this.errors.push(`another content of ${act.n}`);
        if (!known) {
          const outcome = this.outcomes.get(act.n) ?? "done";
          this.stored.set(act.n, { n: act.n, action: act.action, of: act.fields.of, content, outcome, code: outcome });
          this.have = act.n;
        }
        const { n, outcome, code } = this.stored.get(act.n);
        outcomes.push({ n, outcome, code, text: "" });
      }
      return { have: this.have, outcomes };
    }

    restore(have) {
      this.have = have;
      for (const n of [...this.stored.keys()]) if (n > have) this.stored.delete(n);
    }
  }

  /** A device whose store survives its pages. */
  class Device {
    state = EMPTY;
    now = 1_000_000;
    sent = [];

    take(event) {
      const [state, effects] = step(this.state, { now: this.now, ...event });
      this.state = frozen(state);
      return effects;
    }

    keep(action = "note", more = {}) {
      this.take({ type: "keep", act: { action, fields: { text: "x" }, reader: "7", by: "Bob", ...more } });
    }

    strike(n) {
      this.take({ type: "strike", n, seen: 0, seen_at: 0 });
    }

    /** Read and send once; `lost` is "" or what does not get through: "post" or "answer". Returns what is due then. */
    send(server, lost = "") {
      const due = this.take({ type: "read", have: server.have, open: server.open() });
      const request = due.find(({ type }) => type === "post");
      this.sent.push(request ? request.acts.map(({ n }) => n) : []);
      if (!request) return due;
      const answer = lost === "post" ? null : server.post(request.acts);
      if (lost) return this.take({ type: "answer", status: 0 });
      return this.take({ type: "answer", status: 200, ...answer });
    }
  }

  /** Play the steps of a case of `order.json`. */
  function play(steps) {
    const server = new Server();
    const device = new Device();
    const have = [];
    for (const [what, n] of steps) {
      if (what === "keep") device.keep();
      else if (what === "strike") device.strike(n);
      else if (what === "restore") server.restore(n);
      else {
        device.send(server, what.includes("answer lost") ? "answer" : "");
        have.push(server.have);
      }
    }
    const acts = device.state.acts.map(({ n, action, state }) => [n, action, state]);
    return { sent: device.sent, have, device: acts, errors: server.errors };
  }

  /** Numbers from a seed, from 0 to 1 (xorshift). */
  function chance(seed) {
    let x = (seed + 1) * 2_654_435_761;
    return () => {
      x ^= x << 13;
      x ^= x >>> 17;
      x ^= x << 5;
      return (x >>> 0) / 2 ** 32;
    };
  }

  /** An evening of one device: lost lines, killed pages, acts taken back, a restored server. Returns what went wrong. */
  function evening(seed) {
    const random = chance(seed);
    const among = (n) => Math.floor(random() * n);
    const server = new Server();
    const device = new Device();
    const undone = new Set();
    const wrong = [];
    for (let turn = 0; turn < 60; turn += 1) {
      device.now += among(20_000);
      const what = random();
      if (what < 0.45) {
        device.keep(random() < 0.3 ? "result" : "note", { at: device.now });
        if (random() < 0.2) server.outcomes.set(device.state.last, CHANGED[among(2)]);
      } else if (what < 0.6 && device.state.last) {
        const n = 1 + among(device.state.last);
        if (!["struck", "undo"].includes(device.state.acts[n - 1].action)) undone.add(n);
        device.strike(n);
      } else if (what < 0.64) server.restore(among(server.have + 1));
      else device.send(server, ["", "", "post", "answer"][among(4)]);
    }
    for (let turn = 0; turn < 10; turn += 1) {
      device.now += 20_000;
      device.send(server);
    }
    const { acts, last } = device.state;
    if (server.have !== last) wrong.push(`${last - server.have} of ${last} acts did not arrive`);
    if (acts.some(({ state }) => state === "kept" || state === "tried")) wrong.push("the device takes acts for unsent");
    const open = acts.filter(({ state }) => state === "open").map(({ n }) => n);
    if (open.join() !== server.open().map(({ n }) => n).join()) wrong.push("the device does not know what is open");
    for (const n of undone) {
      const isStruck = server.stored.get(n)?.action === "struck";
      const times = [...server.stored.values()].filter(({ of }) => of === n).length;
      if (times + isStruck !== 1) wrong.push(`${n} was taken back ${times + isStruck} times`);
    }
    return [...wrong, ...server.errors];
  }

  /** The seeds of evenings in which something went wrong, and what. */
  function evenings(many) {
    return Array.from({ length: many }, (_, seed) => [seed, evening(seed)]).filter(([, wrong]) => wrong.length);
  }

  return { Server, Device, play, evenings };
})
