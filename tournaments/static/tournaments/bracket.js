// Pointing at a player marks his path; the same is done by ?player= without scripts.

const marked = [];

function mark(entry) {
  for (const line of document.querySelectorAll(`.bracket [data-e="${CSS.escape(entry)}"]`)) {
    line.classList.add("here");
    line.closest("li").classList.add("path");
    marked.push(line);
  }
}

function unmark() {
  for (const line of marked.splice(0)) {
    line.classList.remove("here");
    line.closest("li").classList.remove("path");
  }
}

if (!new URLSearchParams(location.search).get("player")) {
  document.addEventListener("pointerover", (event) => {
    const line = event.pointerType === "mouse" && event.target.closest(".bracket [data-e]");
    unmark();
    if (line) mark(line.dataset.e);
  });
}

// Whoever looked for a player sees him: his furthest match comes into view.
const here = [...document.querySelectorAll(".bracket .here")].at(-1);
here?.closest("li").scrollIntoView({ block: "nearest", inline: "center" });

// A bracket that renews itself keeps what was open and where it was scrolled to.
const kept = new Map();

document.body.addEventListener("htmx:beforeSwap", (event) => {
  if (event.target.id !== "brackets") return;
  unmark();
  kept.clear();
  for (const part of event.target.querySelectorAll("details[id]")) kept.set(part.id, part.open);
  event.target.querySelectorAll(".bracket").forEach((one, at) => kept.set(at, one.scrollLeft));
});

document.body.addEventListener("htmx:afterSwap", () => {
  const brackets = document.getElementById("brackets");
  for (const part of brackets?.querySelectorAll("details[id]") ?? []) part.open = kept.get(part.id) ?? part.open;
  brackets?.querySelectorAll(".bracket").forEach((one, at) => (one.scrollLeft = kept.get(at) ?? 0));
});
