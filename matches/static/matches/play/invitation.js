// A board to which not both players have come: says so, lets the player come, and invite or claim again. Loaded only there.

import { duration, words } from "./fill.js";
import { forget, keep, recall } from "./kept.js";
import { invitationOf } from "./view.js";

export class Invitation {
  constructor(store, settings, showError) {
    this.store = store;
    this.settings = settings;
    this.showError = showError;
    this.keptAs = `barpoint-coming:${settings.match}:${settings.side}`;
    this.noShow = document.getElementById("claim-no-show");
    this.noShow.addEventListener("click", () => this.#claimNoShow());
    document.getElementById("invite-again").addEventListener("click", () => this.#inviteAgain());
  }

  /** Whether this tab is to be ready as soon as both players are here. */
  get isComing() {
    return recall("session", this.keptAs) !== null;
  }

  /** Say that the player is here. */
  async come() {
    keep("session", this.keptAs, "1");
    if (!(await this.store.act("here"))) this.end();
  }

  end() {
    forget("session", this.keptAs);
  }

  /** Add what the banners say as long as not both are here. */
  draw(shown, values) {
    const { state, now } = this.store;
    const { side, names } = this.settings;
    const invitation = invitationOf(state);
    if (!invitation) return;
    if (state.is_called_off) shown.add("calledOff");
    else if (!invitation.is_open) shown.add("lapsed");
    else if (state.here[side]) shown.add("invited");
    const left = Date.parse(invitation.claim_from) - now;
    values.invited = names[1 - side];
    values.until = invitation.until ? momentOf(invitation.until, now) : "";
    values.noShow = words(left > 0 ? "noShowIn" : "noShow", { time: duration(left) });
    this.noShow.hidden = !invitation.claim_from;
    this.noShow.disabled = !(left <= 0);
  }

  /** Invite the opponent once more, after nobody has come. */
  async #inviteAgain() {
    const { ok, data } = await this.#post("open/");
    if (ok) this.store.apply(data);
    else this.showError(data.detail ?? words("disconnected"));
    await this.store.load();
  }

  /** Claim the match because the opponent, whom a director called to the board, has not come. */
  async #claimNoShow() {
    const { ok, data } = await this.#post("../no-show/");
    if (ok) location.assign(document.querySelector(".play-back").href);
    else this.showError(data.detail ?? words("disconnected"));
  }

  async #post(path) {
    return this.store.post(path, {}).catch((error) => {
      if (error.constructor.name !== "Unreachable") throw error;
      return { ok: false, data: {} };
    });
  }
}

/** Return a time of day, with its date where that is not today. */
function momentOf(time, now) {
  const date = new Date(time);
  const isToday = date.toDateString() === new Date(now).toDateString();
  const style = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  const { lang } = document.documentElement;
  // The site's English writes days before months.
  const locale = lang === "en" ? "en-GB" : lang;
  return date.toLocaleString(locale, isToday ? style : { ...style, day: "numeric", month: "short" });
}
