// Hints in practice: the server is asked again until a program has answered.

import { number, words } from "./fill.js";

const AGAIN_AFTER = 1000; // Milliseconds.
const PATIENCE = 3; // Questions until a guest is told for whom the computer thinks.
const CHOICES = { double: "hintDouble", no_double: "hintNoDouble", take: "hintTake", drop: "hintDrop" };

/**
 * Ask for a hint and show it in a banner, until the position is another one. `show` draws `{title, note}`, or null once
 * there is nothing to show; the choices are listed here. `fail` says why there is no hint.
 */
export async function showHint(store, { isGuest, show, fail }) {
  const asked = store.state.changed_by;
  list([]);
  const isSame = () => store.state.changed_by === asked;
  for (let count = 1; isSame(); count += 1) {
    if (count > 1) show({ title: words(isGuest && count > PATIENCE ? "hintOthers" : "hintWait"), note: "" });
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
  list(choices);
  const isRated = choices.some(({ loss }) => loss);
  const title = program ? words("hintBy", { program }) : words("hintByClubBot");
  return { title, note: isRated ? words("hintNote") : "" };
}

function list(choices) {
  const rows = choices.map(({ choice, loss }) => {
    const row = document.createElement("li");
    const [text, lost] = [document.createElement("span"), document.createElement("span")];
    text.className = "mono";
    text.textContent = choice in CHOICES ? words(CHOICES[choice]) : choice || words("dance");
    lost.className = "muted small";
    lost.textContent = loss ? words("hintLoses", { loss: number(loss, { minimumFractionDigits: 3, maximumFractionDigits: 3 }) }) : "";
    row.append(text, " ", lost);
    return row;
  });
  document.getElementById("hint-choices").replaceChildren(...rows);
}
