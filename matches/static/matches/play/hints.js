// Hints in practice: the server is asked again until a program has answered.

import { words } from "./fill.js";

const AGAIN_AFTER = 1000; // Milliseconds.
const PATIENCE = 3; // Questions until a guest is told for whom the computer thinks.
const CHOICES = { double: "hintDouble", no_double: "hintNoDouble", take: "hintTake", drop: "hintDrop" };

/**
 * Ask for a hint and show it in a banner, until the position is another one. `show` draws `{title, note, choices}`, or
 * null once there is nothing to show; `fail` says why there is no hint.
 */
export async function showHint(store, { isGuest, show, fail }) {
  const asked = store.state.changed_by;
  const isSame = () => store.state.changed_by === asked;
  for (let count = 1; isSame(); count += 1) {
    if (count > 1) show({ title: words(isGuest && count > PATIENCE ? "hintOthers" : "hintWait"), note: "", choices: [] });
    const { ok, data } = await store.post("hint/", {}).catch(() => ({ ok: false, data: {} }));
    if (!isSame()) return;
    if (!ok) {
      show(null);
      return void fail(data.detail ?? words("disconnected"));
    }
    if (data.hint) return void show(shown(data.hint));
    await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER));
  }
}

function shown({ program, choices }) {
  const rows = choices.map(({ choice, loss }) => ({
    text: choice in CHOICES ? words(CHOICES[choice]) : choice || words("dance"),
    loss: loss ? words("hintLoses", { loss: loss.toFixed(3) }) : "",
  }));
  const isRated = choices.some(({ loss }) => loss);
  const title = program ? words("hintBy", { program }) : words("hintByClubBot");
  return { title, note: isRated ? words("hintNote") : "", choices: rows };
}
