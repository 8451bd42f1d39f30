/** The chat of a match: of the players, or of the spectators, whichever the reader may see. */

import { follow } from "../../config/follow.js";

const POLL_EVERY = 10_000; // ms, while there is no stream
const LONGEST = 200;

class Chat {
  #stop = () => {};
  #topics = "";
  #phrases = {};
  #drawn = "";
  #isSending = false;
  #read = null; // The messages that were there when the page was opened or the chat was open last.

  constructor(element) {
    this.element = element;
    this.rooms = element.querySelector("[data-rooms]");
    this.status = element.querySelector("[data-status]");
    this.seen = {};
    element.addEventListener("toggle", () => this.load());
    this.load();
  }

  async load() {
    const data = await this.#request("");
    if (data) this.#take(data);
  }

  #take({ rooms, phrases, ticket }) {
    this.#phrases = phrases;
    this.ticket = ticket;
    this.element.hidden = !rooms.some((room) => room.may_write || room.messages.length > 0);
    for (const room of rooms) this.seen[room.topic] = room.seq;
    const drawn = JSON.stringify(rooms.map(({ seq, ...room }) => room));
    // What somebody is typing stays where it is while nothing is new.
    if (drawn !== this.#drawn) this.#draw(rooms);
    this.#drawn = drawn;
    this.#countUnread(rooms);
    this.#watch(rooms.map((room) => room.topic));
  }

  /** Show how many messages of others have come while the chat was closed. */
  #countUnread(rooms) {
    const others = rooms.flatMap((room) => room.messages.filter((message) => !message.mine));
    if (this.element.open || this.#read === null) this.#read = new Set(others.map((message) => message.public_id));
    const unread = others.filter((message) => !this.#read.has(message.public_id)).length;
    const badge = this.element.querySelector("[data-unread]");
    badge.textContent = String(unread);
    badge.hidden = unread === 0;
  }

  #watch(topics) {
    if (this.#topics === topics.join()) return;
    this.#topics = topics.join();
    this.#stop();
    this.#stop = follow(topics, {
      ticket: () => this.ticket,
      change: (topic, seq) => seq > this.seen[topic] && this.load(),
      load: () => this.load(),
      every: POLL_EVERY,
    });
  }

  #draw(rooms) {
    const typed = new Map([...this.rooms.querySelectorAll("input")].map((input) => [input.name, input.value]));
    const focused = this.rooms.contains(document.activeElement) ? labelOf(document.activeElement) : "";
    this.rooms.replaceChildren(...rooms.map((room) => this.#room(room)));
    for (const input of this.rooms.querySelectorAll("input")) input.value = typed.get(input.name) ?? "";
    // The focus must not fall to the page, where the space bar rolls.
    const same = focused && [...this.rooms.querySelectorAll("input, button")].find((each) => labelOf(each) === focused);
    if (focused) (same || this.rooms.querySelector(".chat-list")).focus();
    for (const list of this.rooms.querySelectorAll(".chat-list")) list.scrollTop = list.scrollHeight;
  }

  #room(room) {
    const { players, spectators, empty, mute, unmute } = this.element.dataset;
    const part = make("div", { className: "chat-room" });
    part.append(make("h3", { textContent: room.room === "players" ? players : spectators }));
    const list = make("ol", { className: "chat-list", tabIndex: 0, ariaLive: "polite" });
    list.append(...room.messages.map((message) => this.#message(message, room.may_remove)));
    if (room.messages.length === 0) list.append(make("li", { className: "muted small", textContent: empty }));
    part.append(list);
    if (!room.may_write) return part;
    part.append(room.free_text ? this.#form(room) : this.#choice(room));
    if (room.room === "players") {
      const button = make("button", { type: "button", className: "button button-small" });
      button.textContent = room.muted ? unmute : mute;
      button.addEventListener("click", async () => {
        const data = await this.#request("mute/", { muted: !room.muted });
        if (data) this.#take(data);
      });
      part.append(button);
    }
    return part;
  }

  #message(message, mayRemove) {
    const { removed, remove, restore, report } = this.element.dataset;
    const row = make("li");
    row.append(make("strong", { textContent: message.name }));
    row.append(
      message.removed
        ? make("span", { className: "chat-text muted", textContent: removed })
        : make("span", { className: "chat-text", textContent: message.text }),
    );
    const button = make("button", { type: "button", className: "button-plain small" });
    if (mayRemove) {
      button.textContent = message.removed ? restore : remove;
      button.addEventListener("click", () => this.#decide(message, !message.removed));
    } else if (!message.mine && !message.removed) {
      button.textContent = report;
      button.addEventListener("click", () => this.#report(message));
    } else {
      return row;
    }
    row.append(button);
    return row;
  }

  /** Remove a message, or put it back. */
  async #decide(message, removed) {
    if (await this.#request(`${message.public_id}/decision/`, { removed })) await this.load();
  }

  async #report(message) {
    const reason = prompt(this.element.dataset.why);
    if (reason === null) return;
    const answer = await this.#request(`${message.public_id}/report/`, { reason: reason.slice(0, 300) });
    if (answer) this.status.textContent = this.element.dataset.reported;
  }

  #choice(room) {
    const choice = make("div", { className: "chat-phrases" });
    for (const [phrase, text] of Object.entries(this.#phrases)) {
      const button = make("button", { type: "button", className: "button button-small", textContent: text });
      button.addEventListener("click", () => this.#send({ room: room.room, phrase }));
      choice.append(button);
    }
    return choice;
  }

  #form(room) {
    const { placeholder, send } = this.element.dataset;
    const form = make("form", { className: "chat-form" });
    const input = make("input", { name: room.room, maxLength: LONGEST, required: true, placeholder, autocomplete: "off" });
    input.setAttribute("aria-label", placeholder);
    form.append(input, make("button", { className: "button button-small", textContent: send }));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const text = input.value.trim();
      if (text && (await this.#send({ room: room.room, text }))) input.value = "";
    });
    return form;
  }

  async #send(message) {
    if (this.#isSending) return false;
    this.#isSending = true;
    const sent = await this.#request("", message);
    this.#isSending = false;
    if (sent) await this.load();
    return sent !== null;
  }

  /** Return the answer, or null after showing why there is none. */
  async #request(path, body) {
    const { api, link, csrf, failed } = this.element.dataset;
    const headers = { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": csrf };
    if (link) headers["Match-Link"] = link;
    const options = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
    try {
      const response = await fetch(api + path, options);
      const data = response.status === 204 ? {} : await response.json();
      this.status.textContent = response.ok || !body ? "" : (data.detail ?? failed);
      return response.ok ? data : null;
    } catch (error) {
      if (!["TypeError", "SyntaxError", "AbortError"].includes(error.name)) throw error;
      if (body) this.status.textContent = failed;
      return null;
    }
  }
}

/** What tells a field or a button from the others. */
function labelOf(element) {
  return element.name || element.textContent;
}

function make(tag, properties = {}) {
  return Object.assign(document.createElement(tag), properties);
}

const element = document.getElementById("chat");
if (element) new Chat(element);
