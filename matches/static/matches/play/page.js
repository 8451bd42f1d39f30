// The page on which a match is played or watched: connects the store, the board, the panels and the stream.

import { follow } from "../../config/stream.js";
import { Board } from "../board/board.js";
import { name as pointName } from "../board/walk.js";
import { PlayerDice } from "../dice/chain.js";
import { keepAwake, markTab, notify, playSound } from "./alerts.js";
import { Clocks } from "./clocks.js";
import { boardLabels, fill, number, score, shortNames, words } from "./fill.js";
import { recall } from "./kept.js";
import { currentGame, drawGames, drawMoves, entriesOf, hasStandIn, isSlow, movesOf, sentenceOf, startOf } from "./moves.js";
import { Panels } from "./panels.js";
import { PresencePings } from "./presence.js";
import { Store } from "./store.js";
import { bannersOf, invitationOf, panelOf, positionOf, valuesOf } from "./view.js";

const settings = JSON.parse(document.getElementById("play-settings").textContent);
const { side, names, preferences } = settings;
const near = side ?? 0;
const short = shortNames(names);
const byId = (id) => document.getElementById(id);
const isPlayer = side !== null;
const ENDINGS = ["play", "drop", "accept", "flag", "claim_away", "end_game"]; // Actions that can end a game.
// What can be taken back in practice.
const DECISIONS = ["play", "double", "take", "drop", "resign", "accept", "refuse", "concede"];
const POLL_EVERY = 2000; // Milliseconds, while there is no stream.
// Sentences for what is wrong with the dice, where it is not that the browser cannot store them.
const DICE_ERRORS = { roll_failed: "rollFailed", roll_unverified: "rollUnread" };

// Only guests have theirs in the browser.
const MatchStore = settings.guest ? (await import("./guest.js")).GuestStore : Store;

class Page {
  constructor() {
    this.store = new MatchStore(settings);
    this.dice = new PlayerDice(this.store, settings);
    this.board = new Board(byId("board"), boardOptions());
    this.panels = new Panels(document.querySelector(".play-actions"), preferences);
    const seats = [byId("seat-near"), byId("seat-far")];
    this.seats = near === 0 ? seats : seats.reverse();
    this.clocks = new Clocks(this.store, this.seats);
    this.error = "";
    this.sure = false; // Whether the play was asked about and is to be sent by the next press.
    this.isArmed = false; // Whether this device's dice were armed since the player came back to the page.
    this.isCommitting = false;
    this.#listen();
  }

  async start() {
    await this.store.load();
    if (!this.store.state) return void setTimeout(() => this.start(), POLL_EVERY);
    setInterval(() => this.#drawBanners(), 500);
    this.#drawConnection();
    // Nobody else changes the match of a guest.
    if (settings.guest) return void (await this.store.resume());
    this.#watch();
    if (byId("director")) this.director = new (await import("./director.js")).DirectorForms(this.store, byId("director"));
    if (!isPlayer) return;
    if (byId("ahead")) this.#loadAhead();
    if (invitationOf(this.store.state)) this.invited = this.#loadInvitation();
    this.pings = new PresencePings(this.store, settings, (lag) => this.#showLag(lag));
    await this.store.resume();
  }

  async #loadAhead() {
    const { Ahead } = await import("./ahead.js");
    this.ahead = new Ahead(this.store, byId("ahead"), (text) => this.#showError(text));
    this.ahead.draw(this.panels.values);
  }

  async #loadInvitation() {
    const { Invitation } = await import("./invitation.js");
    this.invitation = new Invitation(this.store, settings, (text) => this.#showError(text));
    this.#drawBanners();
    return this.invitation;
  }

  /** Read the match again whenever it has changed; every few seconds while there is no stream. */
  #watch() {
    follow([this.store.state.topic], {
      change: (_, seq, { content }) => this.store.changed(seq, content),
      load: () => this.store.load(),
      every: POLL_EVERY,
      important: isPlayer,
      ticket: () => this.store.state.ticket,
    });
  }

  #listen() {
    const { store, board, panels } = this;
    store.addEventListener("state", ({ detail }) => this.#update(detail));
    store.addEventListener("sending", () => this.#draw());
    store.addEventListener("refused", ({ detail }) => this.#refused(detail));
    store.addEventListener("connection", () => this.#drawConnection());
    board.addEventListener("change", () => this.#changed());
    board.addEventListener("commit", () => this.#commit());
    // Cup and cube stand for the buttons beside the board, which know what may be done and what is asked first.
    for (const event of ["roll", "double"]) board.addEventListener(event, () => this.offered[event]?.click());
    panels.addEventListener("act", ({ detail }) => this.#act(detail));
    const menu = document.querySelector(".play-bar .menu");
    menu.addEventListener("toggle", async () => new (await import("./options.js")).Options(settings), { once: true });
    // Few copy a position: what does that is loaded for the first one, which is clicked again then.
    const copy = byId("copy-xgid");
    copy.addEventListener("click", () => import("../../config/copy.js").then(() => copy.click()), { once: true });
    byId("undo").addEventListener("click", () => board.undo());
    byId("commit").addEventListener("click", () => this.#commit());
    byId("typed").addEventListener("submit", (event) => this.#typed(event));
    byId("close-error").addEventListener("click", () => this.#showError(""));
    byId("close-hint")?.addEventListener("click", () => this.#showHint(null));
    document.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("visibilitychange", () => this.#comeBack());
    addEventListener("pageshow", ({ persisted }) => persisted && this.#comeBack());
    addEventListener("online", () => (this.#drawConnection(), store.load()));
  }

  /** Draw a new state: animate what the opponent did, then let the player go on. */
  async #update({ fresh, own = false }) {
    const { state } = this.store;
    if (!state) return;
    this.sure = false;
    this.#announce(fresh);
    this.#showMoments(fresh);
    const position = this.#position();
    const last = fresh.findLast((action) => action.kind === "play");
    const animate = last && !(own && last.side === side && !last.data.forced) ? movesOf(last) : null;
    this.#draw();
    // A play that is being tried out or sent stays: only the clock or the presence of somebody has changed.
    const isPending = this.board.isPlaying || this.store.sending === "play";
    const isSame = this.shown === state.changed_by && isPending;
    if (!isSame) {
      this.shown = state.changed_by;
      const showing = state.changed_by;
      await this.board.show(position, { animate });
      if (this.shown !== showing) return;
      if (state.graph && !this.board.isPlaying && this.store.sending === null) this.#startPlay(state);
    }
    this.ahead?.draw(this.panels.values);
    if (isPlayer) await this.#goOn();
  }

  /** Show what happens once: the throws for the opening, and who has won a game or the match. */
  async #showMoments(fresh) {
    const { state } = this.store;
    const { before } = this;
    this.before = state;
    if (state.phase === "opening" && state.ready.some(Boolean)) this.#loadMoments();
    // A bot that begins has played already; a game that is over by now had its opening.
    const roll = fresh.findLast((action) => action.kind === "roll");
    const opening = before && roll?.side === null && state.phase !== "opening" ? roll : null;
    // What was taken back in practice is no news.
    const isWon = fresh.length && state.score[0] + state.score[1] > before?.score[0] + before?.score[1];
    if (!(opening || isWon || state.winner !== null)) return;
    // Without a pause where it is there: the dice would be drawn meanwhile.
    if (!this.moments) await this.#loadMoments();
    this.moments?.show(this.board, { before, state, opening, settings, near, light: lightSide(), store: this.store });
  }

  /** Load what shows the moments, before it is needed; without a network the page works without them. */
  async #loadMoments() {
    this.moments = await import("./moments.js").catch(() => null);
    this.moments?.loadMoments(settings);
  }

  #comeBack() {
    this.isArmed = false;
    this.#update({ fresh: [] });
  }

  #startPlay(state) {
    this.board.startPlay({ graph: state.graph, dice: state.dice_to_play, side });
    this.#draw();
  }

  /** What a player's page does by itself: arm and check the dice, roll where the player wishes it. */
  async #goOn() {
    const { state } = this.store;
    const isOpen = state.winner === null && (invitationOf(state)?.is_open ?? true);
    if (isOpen && !this.isArmed && !document.hidden) {
      this.isArmed = (await this.#withDice(() => this.dice.arm())) ?? false;
    }
    await this.#withDice(() => this.dice.check());
    if (this.dice.report?.failed.length) this.#showError(words("rollFailed"));
    this.#draw();
    const may = (kind) => this.store.state.may.includes(kind);
    // What was refused is not repeated by itself before something has changed.
    if (this.store.refusedAfter === this.store.state.last) return;
    // Against a bot nobody has to be waited for.
    const comes = settings.practises ? this.isArmed && state.game === 1 : this.invitation?.isComing;
    if (comes && may("ready") && !invitationOf(this.store.state)) this.#act({ kind: "ready" });
    if (preferences.autoroll === "no_double" && may("roll") && !may("double")) this.#act({ kind: "roll" });
  }

  async #act({ kind, value }) {
    if (this.store.sending) return;
    this.#showError("");
    if (kind === "hint") return void (await this.#askHint());
    if (kind === "ready" && this.store.state.may.includes("here")) return void (await this.invited).come();
    if (kind === "ready") {
      this.invitation?.end();
      this.#loadMoments();
    }
    const fields = value ? { [kind === "vacation" ? "days" : "value"]: value } : {};
    if (kind === "roll" || kind === "ready") {
      const link = await this.#withDice(() => this.dice.link());
      if (link === undefined) return;
      Object.assign(fields, link);
    }
    if (kind === "roll") Object.assign(fields, { play_forced: preferences.play_forced, bear_off: preferences.bear_off });
    await this.store.act(kind, fields);
  }

  async #askHint() {
    const hints = await import("./hints.js").catch(() => this.#showError(words("disconnected")));
    await hints?.showHint(this.store, {
      isGuest: Boolean(settings.guest),
      show: (hint) => this.#showHint(hint),
      fail: (text) => this.#showError(text),
    });
  }

  #showHint(hint) {
    this.hint = hint && { ...hint, of: this.store.state.changed_by };
    this.#drawBanners();
  }

  /** What the player may do now: as the server says, and in practice ask for a hint. */
  get #may() {
    const { state, standing } = this.store;
    const isDecision = (action) => action.side === side && DECISIONS.includes(action.kind) && !action.data.forced;
    const may = state.may.filter((act) => act !== "take_back" || standing.some(isDecision));
    const isChoice = ["play", "double", "take"].some((act) => may.includes(act));
    return byId("close-hint") && isChoice ? [...may, "hint"] : may;
  }

  /** Run something with the dice chain. Returns undefined, and shows why, where there is no chain to play with. */
  async #withDice(work) {
    try {
      return await work();
    } catch (error) {
      if (error.name === "ChainError" || error.constructor.name === "ChainError") {
        this.#showError(error.sentence || words(DICE_ERRORS[error.code] ?? "chainNone"));
        if (error.code === "roll_unverified") this.store.load();
        return undefined;
      }
      if (error.constructor.name === "Unreachable") return undefined;
      throw error;
    }
  }

  async #commit() {
    const { play } = this.board;
    if (!play?.complete || this.store.sending || this.isCommitting) return;
    if (preferences.confirm_plays && !this.sure) {
      this.sure = true;
      this.#draw();
      return;
    }
    this.#showError("");
    const text = play.moves.map(([from, to]) => `${pointName(from)}/${pointName(to)}`).join(" ");
    this.isCommitting = true;
    const link = await this.dice.linkWithPlay().finally(() => (this.isCommitting = false));
    this.board.cancelPlay();
    byId("typed-play").value = "";
    if (preferences.sound) playSound("play");
    const accepted = await this.store.act("play", { play: text, ...link });
    if (!accepted) this.#showAgain();
  }

  /** Put the checkers back where the server has them. */
  async #showAgain() {
    const { state } = this.store;
    await this.board.show(this.#position());
    if (state.graph) this.#startPlay(state);
  }

  #changed() {
    this.sure = false;
    byId("typed-error").textContent = "";
    this.#draw();
  }

  #typed(event) {
    event.preventDefault();
    const { value } = byId("typed-play");
    if (this.board.play?.complete && (value.trim() === "" || value === this.typed)) return void this.#commit();
    const code = this.board.type(value);
    this.typed = value;
    byId("typed-error").textContent = code ? words(code) : "";
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const field = event.target.closest("input, textarea, select");
    if (event.key === "Escape") this.panels.close();
    if (field) return;
    if (event.key === " " && !event.target.closest("button:not(.place), a, summary")) {
      event.preventDefault();
      if (!event.repeat) this.#pressMain();
    } else if (event.key === "Backspace") {
      event.preventDefault();
      this.board.undo();
    } else if (event.key.toLowerCase() === "d" && this.panels.current === "roll" && !this.panels.isAsking) {
      this.offered.double?.click();
    }
  }

  #pressMain() {
    if (this.panels.current === "play" && !this.panels.isAsking) this.#commit();
    else this.panels.pressMain();
  }

  #position() {
    const { state, standing } = this.store;
    const position = positionOf(state, standing);
    return position.last?.side === side ? { ...position, last: null } : position;
  }

  #draw() {
    const { state, sending } = this.store;
    if (!state) return;
    const panel = panelOf(state, side);
    const values = { ...valuesOf(state, { side, near, names, pauses: settings.pauses }), ...this.#playValues() };
    const key = `${state.changed_by}:${panel}`;
    this.panels.show(panel, values, { may: this.#may, busy: sending !== null, key });
    fill(document.querySelector(".play-bar"), { ...values, ...this.connection });
    fill(byId("moves"), values);
    byId("watching").hidden = !state.spectators;
    byId("watching").dataset.count = state.spectators;
    byId("behind").hidden = !state.is_behind;
    byId("crawford").hidden = !state.crawford;
    byId("next-board")?.toggleAttribute("hidden", !state.boards_waiting);
    byId("undo").disabled = !this.board.play?.moves.length;
    byId("commit").disabled = sending !== null || !this.board.play?.complete;
    this.seats.forEach((seat, each) => this.#drawSeat(seat, each));
    const sides = { near, light: lightSide(), names: short };
    drawGames(byId("games"), state, sides);
    const isToRoll = state.phase === "to_roll";
    drawMoves(byId("play-list"), this.store.standing, { turn: state.turn, trial: this.#trial, isToRoll, ...sides });
    document.querySelector(".play-actions").classList.toggle("is-opening", Boolean(this.#opening));
    this.#offer(state.may);
    this.#drawXgid();
    this.clocks.draw();
    this.#drawBanners();
    const isMine = isPlayer && state.winner === null && (state.to_act === side || state.may.includes("ready"));
    markTab(isMine, settings.turnIcon, words(invitationOf(state) ? "come" : "yourTurn"));
    if (isPlayer) keepAwake(state.winner === null && !state.clock?.correspondence);
  }

  /** Offer on the board what its buttons do: cup to roll or to begin, cube to double or to take. */
  #offer(may) {
    const find = (...acts) => {
      const act = acts.find((each) => may.includes(each));
      return isPlayer && act && document.querySelector(`.play-panel:not([hidden]) [data-act="${act}"]:not(:disabled)`);
    };
    this.offered = { roll: find("ready", "roll"), double: find("double", "take") };
    const text = (button) => (button ? button.textContent.trim() : "");
    this.board.offer({ roll: text(this.offered.roll), double: text(this.offered.double) });
  }

  #playValues() {
    const { play } = this.board;
    const { report } = this.dice;
    const commit = this.store.sending ? "sending" : play?.dance ? "noMove" : this.sure ? "sure" : "play";
    const checked = this.dice.isKeptByServer ? "byServer" : report?.failed.length ? "unverified" : report && "verified";
    return {
      commit: words(commit),
      verified: isPlayer && checked ? words(checked) : "",
      lastGame: this.#lastGame(),
      ...this.#openingValues(),
      ...this.#lastPlayValues(),
      ...this.#trialValues(),
    };
  }

  /** The opening roll, as long as it has not been played. */
  get #opening() {
    const [opening, next] = currentGame(this.store.standing);
    return this.store.state.phase === "to_play" && !next ? opening : undefined;
  }

  #openingValues() {
    if (!this.#opening) return {};
    const { data } = this.#opening;
    const die = data.equal?.map(([each]) => each).join(", ");
    return { starts: startOf(data, short, side), rule: die ? words("thrownAgain", { die }) : words("oneDieEach") };
  }

  /** The last play of the game, by itself and as a sentence. */
  #lastPlayValues() {
    const { entries } = entriesOf(currentGame(this.store.standing));
    const last = entries.findLast(({ isPlay }) => isPlay);
    if (!last) return {};
    const lastPlayed = words("played", { name: short[last.side], play: last.text });
    return { lastPlayed, lastPlay: this.board.play?.moves.length ? last.text : lastPlayed };
  }

  /** What of a play has been walked, and how many dice are left of it. */
  #trialValues() {
    const { play } = this.board;
    const { state } = this.store;
    if (state.may.includes("roll")) return { tap: words("tapCup") };
    if (!play?.moves.length) return {};
    const left = (state.dice_to_play?.length ?? 0) - play.moves.length;
    const note = play.complete ? play.notation : words("diceLeft", { left });
    const dice = [...state.dice].sort((a, b) => b - a).join("");
    return { trial: `${dice}: ${this.#trial}`, note };
  }

  get #trial() {
    const { play } = this.board;
    return play?.complete ? play.notation : `${play?.notation ?? ""}…`;
  }

  /** How the game before ended, while the next one has not begun. */
  #lastGame() {
    const last = this.store.standing.findLast((action) => ENDINGS.includes(action.kind));
    const sentence = last && last.kind !== "play" ? sentenceOf(last, names) : "";
    return this.#gameOver() && `${sentence} ${this.#gameOver()}`.trim();
  }

  /** The score after a game, while the next one has not begun. */
  #gameOver() {
    const { state } = this.store;
    return state.phase === "opening" && state.game > 1 ? words("gameOver", { score: score(state.score, near) }) : "";
  }

  #drawSeat(seat, each) {
    const { state } = this.store;
    const isLight = each === lightSide();
    seat.querySelector(".play-chip").classList.toggle("is-dark", !isLight);
    seat.querySelector("[data-score]").textContent = state.score[each];
    const changes = this.board.play?.pips ?? [0, 0];
    const change = isPlayer ? changes[each === side ? 0 : 1] : 0;
    const pips = preferences.pip_counts && state.pips ? state.pips[each] + change : "";
    // On a phone the word gives way to the change.
    const isBare = pips === "" || (change && this.board.geometry?.compact);
    seat.querySelector("[data-pips]").textContent = isBare ? pips : words("pips", { pips });
    const element = seat.querySelector("[data-change]");
    element.textContent = pips === "" || !change ? "" : change > 0 ? `+${change}` : `−${-change}`;
    element.classList.toggle("is-hit", change > 0);
    const isOnTurn = state.winner === null && state.to_act === each && !state.paused_until;
    seat.classList.toggle("is-on-turn", isOnTurn);
    const turn = seat.querySelector("[data-turn]");
    turn.hidden = !isOnTurn;
    turn.textContent = this.#opening ? turn.dataset.start : turn.dataset.turn;
    seat.querySelector("[data-away]").hidden = state.presence?.[each]?.online !== false || each === side;
  }

  #drawBanners() {
    const { shown, values } = bannersOf(this.store.state, { side, names: short, now: this.store.now });
    this.invitation?.draw(shown, values);
    if (!this.store.online) shown.add("offline");
    values.offline = words(this.store.sending ? "kept" : "resuming");
    if (this.hint?.of === this.store.state.changed_by) shown.add("hint");
    values.hintTitle = this.hint?.title ?? "";
    values.hintNote = this.hint?.note ?? "";
    if (this.error) shown.add("error");
    values.error = this.error;
    if (hasStandIn(this.store.standing)) shown.add("standIn");
    if (isSlow(this.store.state, this.store.actions, { side, now: this.store.now })) shown.add("thinking");
    for (const banner of byId("banners").children) banner.hidden = !shown.has(banner.dataset.banner);
    fill(byId("banners"), values);
    const claim = document.querySelector('[data-act="claim_away"]');
    claim.hidden = !isPlayer;
    const { absence } = this.store.state;
    if (absence && isPlayer) claim.disabled = Date.parse(absence.claim_at) > this.store.now;
  }

  #drawConnection() {
    const element = byId("connection");
    element.dataset.state = this.store.online ? "open" : "lost";
    this.connection = { ...this.connection, connection: words(this.store.online ? "connected" : "disconnected") };
    fill(element, this.connection);
    if (this.store.online && this.error === words("disconnected")) this.error = "";
    if (this.store.state) this.#drawBanners();
  }

  #showLag(lag) {
    this.connection = { ...this.connection, lag: number(Math.round(lag), { style: "unit", unit: "millisecond" }) };
    this.#drawConnection();
  }

  #announce(fresh) {
    const { state } = this.store;
    if (this.announced === undefined) {
      this.announced = state.last;
      return;
    }
    const news = fresh.filter((action) => action.seq > this.announced);
    this.announced = state.last;
    const sentences = news
      // Of what the player did themselves, they do not know the dice and what was played for them.
      .filter((action) => action.side !== side || action.kind === "roll" || action.data.forced)
      .map((action) => sentenceOf(action, names, side));
    if (state.winner !== null && !news.length) return;
    if (state.winner !== null) sentences.push(words("matchOver"), valuesOf(state, { side, near, names, pauses: 0 }).won);
    else if (news.some((action) => ENDINGS.includes(action.kind))) sentences.push(this.#gameOver());
    const text = sentences.filter(Boolean).join(" ");
    if (text) byId("announcer").textContent = text;
    if (preferences.sound && news.length) playSound(state.winner !== null ? "over" : news.at(-1).kind);
    const isByOther = (action) => action.side !== side;
    if (news.some(isByOther) && state.to_act === side) notify(words("yourTurn"));
    else if (news.some((action) => action.kind === "here" && isByOther(action))) notify(text);
  }

  #refused({ code, detail }) {
    if (code === "stale") return;
    this.#showError(detail ?? words("disconnected"));
  }

  #showError(text) {
    this.error = text;
    if (this.store.state) this.#drawBanners();
  }

  /** Offer the XGID of the position while there is one. */
  #drawXgid() {
    const button = byId("copy-xgid");
    const { xgid } = this.store.state;
    button.hidden = !xgid;
    if (xgid) button.dataset.copy = xgid;
  }
}

function lightSide() {
  return preferences.checkers === "light" ? near : 1 - near;
}

function boardOptions() {
  const labels = boardLabels(names, near);
  const { mirrored, theme, speed } = preferences;
  return { near, light: lightSide(), mirrored, theme, speed, themes: settings.themes, labels };
}

/** What members keep in their preferences, everybody else keeps in the browser (`options.js`). */
function recallOptions() {
  for (const name of ["sound", "zen"]) {
    const kept = recall("local", `barpoint-${name}`);
    if (!settings.preferencesUrl && kept !== null) preferences[name] = kept === "true";
  }
  document.body.classList.toggle("is-zen", preferences.zen);
}

recallOptions();
await new Page().start();
// What this browser keeps of other pages comes after the board.
setTimeout(() => import("../../config/waiting.js").catch(() => null), 5_000);
