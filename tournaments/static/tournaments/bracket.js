// Hovering over a player marks the player's path through the bracket; without scripts ?player= does the same.

const markedLines = [];

function markPath(entry) {
  for (const line of document.querySelectorAll(`.bracket [data-e="${CSS.escape(entry)}"]`)) {
    line.classList.add("here");
    line.closest("li").classList.add("path");
    markedLines.push(line);
  }
}

function unmarkPath() {
  for (const line of markedLines.splice(0)) {
    line.classList.remove("here");
    line.closest("li").classList.remove("path");
  }
}

if (!new URLSearchParams(location.search).get("player")) {
  document.addEventListener("pointerover", (event) => {
    const line = event.pointerType === "mouse" && event.target.closest(".bracket [data-e]");
    unmarkPath();
    if (line) markPath(line.dataset.e);
  });
}

// After a search the player's latest match is scrolled into view.
const lastMarked = [...document.querySelectorAll(".bracket .here")].at(-1);
lastMarked?.closest("li").scrollIntoView({ block: "nearest", inline: "center" });

// A phone shows one round at a time and begins with the one that is played, as its style sheet asks of newer browsers.
if (!lastMarked && !location.hash && matchMedia("(width < 48rem)").matches) {
  for (const round of document.querySelectorAll(".bracket > .is-current")) {
    const [{ left }, bracket] = [round.getBoundingClientRect(), round.parentElement];
    bracket.scrollLeft += left - bracket.getBoundingClientRect().left;
  }
}

// When htmx replaces the brackets, open sections and scroll positions are kept.
const savedState = new Map();

document.body.addEventListener("htmx:beforeSwap", (event) => {
  if (event.target.id !== "brackets") return;
  unmarkPath();
  savedState.clear();
  for (const section of event.target.querySelectorAll("details[id]")) savedState.set(section.id, section.open);
  event.target.querySelectorAll(".bracket").forEach((bracket, at) => savedState.set(at, bracket.scrollLeft));
});

document.body.addEventListener("htmx:afterSwap", () => {
  const brackets = document.getElementById("brackets");
  for (const section of brackets?.querySelectorAll("details[id]") ?? []) {
    section.open = savedState.get(section.id) ?? section.open;
  }
  brackets?.querySelectorAll(".bracket").forEach((bracket, at) => (bracket.scrollLeft = savedState.get(at) ?? 0));
});
