// Sends the match that was begun without an account, and goes to its board.

import { ask } from "../../config/ours.js";
import { KEPT_AS } from "./guest.js";
import { forget, recall } from "./kept.js";

const form = document.getElementById("keep");
const token = recall("local", KEPT_AS);
const failed = document.getElementById("keep-failed");

document.getElementById(token ? "keep-found" : "keep-none").hidden = false;
form.addEventListener("click", async () => {
  form.disabled = true;
  try {
    const response = await ask(form.dataset.api, {
      method: "POST",
      headers: { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": form.dataset.csrf },
      body: JSON.stringify({ token }),
    });
    const data = await response.json();
    if (response.ok) {
      forget("local", KEPT_AS);
      location.assign(new URL(data.page).pathname);
      return;
    }
    failed.textContent = data.detail;
  } catch {
    failed.textContent = failed.dataset.offline;
  }
  failed.hidden = false;
  form.disabled = false;
});
