/** The rooms of a chat with their messages, and what is written and reported there; loaded once a chat is opened. */

import { loadStyle } from "../board/board.js";

const LONGEST = 200;

export class Rooms {
  #chat;
  #phrases = {};
  #isSending = false;

  constructor(chat, element) {
    this.#chat = chat;
    this.element = element;
    loadStyle(element.dataset.style);
    this.rooms = element.querySelector("[data-rooms]");
  }

  draw(rooms, phrases) {
    this.#phrases = phrases;
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
        const data = await this.#chat.request("mute/", { muted: !room.muted });
        if (data) this.#chat.take(data);
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
    if (await this.#chat.request(`${message.public_id}/decision/`, { removed })) await this.#chat.load();
  }

  async #report(message) {
    const reason = prompt(this.element.dataset.why);
    if (reason === null) return;
    const answer = await this.#chat.request(`${message.public_id}/report/`, { reason: reason.slice(0, 300) });
    if (answer) this.#chat.status.textContent = this.element.dataset.reported;
    this.#chat.status.scrollIntoView({ block: "nearest" });
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
    const sent = await this.#chat.request("", message);
    this.#isSending = false;
    if (sent) await this.#chat.load();
    else this.#chat.status.scrollIntoView({ block: "nearest" });
    return sent !== null;
  }
}

/** What tells a field or a button from the others. */
function labelOf(element) {
  return element.name || element.textContent;
}

function make(tag, properties = {}) {
  return Object.assign(document.createElement(tag), properties);
}
