// What the reader switches in the menu of the page: sounds, the plain view, notifications. Members keep it in their
// preferences, everybody else in the browser. Loaded when the menu is opened.

import { ask } from "../../config/ours.js";
import { playSound } from "./alerts.js";
import { keep } from "./kept.js";

export class Options {
  constructor(settings) {
    this.settings = settings;
    this.preferences = settings.preferences;
    for (const name of ["sound", "zen"]) {
      const toggle = this.#toggle(name);
      toggle.disabled = false;
      toggle.addEventListener("click", () => this.#switch(name));
    }
    this.#offerNotifications();
    this.#draw();
  }

  #toggle(name) {
    return document.getElementById(`toggle-${name}`);
  }

  #switch(name) {
    this.preferences[name] = !this.preferences[name];
    this.#draw();
    if (name === "sound" && this.preferences.sound) playSound("turn");
    const { preferencesUrl, csrf } = this.settings;
    if (!preferencesUrl) return void keep("local", `barpoint-${name}`, String(this.preferences[name]));
    ask(preferencesUrl, {
      method: "PATCH",
      headers: { "Content-Type": "application/json", "X-CSRFToken": csrf },
      body: JSON.stringify({ [name]: this.preferences[name] }),
    }).catch(() => {}); // Without a connection the choice holds until the page is closed.
    return undefined;
  }

  #draw() {
    for (const name of ["sound", "zen"]) {
      this.#toggle(name).setAttribute("aria-pressed", String(this.preferences[name]));
    }
    document.body.classList.toggle("is-zen", this.preferences.zen);
  }

  /** Browsers ask for the permission themselves, once; a refusal cannot be changed from here. */
  #offerNotifications() {
    const toggle = this.#toggle("notify");
    if (this.settings.side === null || globalThis.Notification?.permission !== "default") return;
    toggle.hidden = false;
    toggle.addEventListener("click", async () => {
      await Notification.requestPermission();
      toggle.hidden = true;
    });
  }
}
