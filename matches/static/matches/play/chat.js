/** The chat of a match: of the players, or of the spectators, whichever the reader may see. */

import { ask } from "../../config/ours.js";
import { follow } from "../../config/stream.js";

const POLL_EVERY = 10_000; // ms, while there is no stream

class Chat {
  #stop = () => {};
  #topics = "";
  #drawn = "";
  #read = null; // The messages that were there when the page was opened or the chat was open last.

  constructor(element) {
    this.element = element;
    this.status = element.querySelector("[data-status]");
    this.seen = {};
    element.addEventListener("toggle", () => this.load());
    this.opener = document.getElementById("open-chat");
    this.opener?.addEventListener("click", () => (this.isCalled = element.open = true));
    this.load();
  }

  async load() {
    const data = await this.request("");
    if (data) this.take(data);
  }

  take({ rooms, phrases, ticket }) {
    this.ticket = ticket;
    this.element.hidden = !rooms.some((room) => room.may_write || room.messages.length > 0);
    if (this.opener) this.opener.hidden = this.element.hidden;
    for (const room of rooms) this.seen[room.topic] = room.seq;
    if (this.element.open) this.#draw(rooms, phrases);
    this.#countUnread(rooms);
    this.#watch(rooms.map((room) => room.topic));
  }

  async #draw(rooms, phrases) {
    const { Rooms } = await import("./chat_rooms.js");
    this.rooms ??= new Rooms(this, this.element);
    const drawn = JSON.stringify(rooms.map(({ seq, ...room }) => room));
    // What somebody is typing stays where it is while nothing is new.
    if (drawn !== this.#drawn) this.rooms.draw(rooms, phrases);
    this.#drawn = drawn;
    // Its link was followed before there was anything in it.
    if (this.isCalled) this.element.scrollIntoView();
    this.isCalled = false;
  }

  /** Show how many messages of others have come while the chat was closed. */
  #countUnread(rooms) {
    const others = rooms.flatMap((room) => room.messages.filter((message) => !message.mine));
    if (this.element.open || this.#read === null) this.#read = new Set(others.map((message) => message.public_id));
    const unread = others.filter((message) => !this.#read.has(message.public_id)).length;
    for (const badge of document.querySelectorAll("[data-unread]")) {
      badge.textContent = unread;
      badge.hidden = unread === 0;
    }
    const latest = rooms.find((room) => room.messages.length)?.messages.findLast((message) => !message.removed);
    this.element.querySelector("[data-latest]").textContent = latest && !this.element.open ? `${latest.name}: ${latest.text}` : "";
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

  /** Return the answer, or null after showing why there is none. */
  async request(path, body) {
    const { api, link, csrf, failed } = this.element.dataset;
    const headers = { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": csrf };
    if (link) headers["Match-Link"] = link;
    const options = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
    try {
      const response = await ask(api + path, options);
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

const element = document.getElementById("chat");
if (element) new Chat(element);
