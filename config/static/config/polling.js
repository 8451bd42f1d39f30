// Parts of a page that refresh themselves (hx-trigger="every …") do not disturb what somebody is doing there:
// a form in use is never replaced, what is open stays open, and the focus and the scrolling stay where they are.

const FIELDS = "input, textarea, select, [contenteditable]";
const KEPT_OPEN = "details";

const polls = (element) => element?.getAttribute?.("hx-trigger")?.includes("every ") ?? false;

// A form is in use while one of its fields has the focus or a value that differs from the initial one.
function isInUse(root) {
  const dialog = document.querySelector("dialog[open]");
  if (dialog && !dialog.contains(root)) return true;
  const focused = document.activeElement;
  if (root.contains(focused) && focused.matches(FIELDS)) return true;
  return [...root.querySelectorAll("input, textarea, select")].some(isChanged);
}

function isChanged(field) {
  if (field.type === "hidden") return false;
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field.tagName !== "SELECT") return field.value !== field.defaultValue;
  const chosen = [...field.options];
  if (!chosen.some((option) => option.defaultSelected)) return field.selectedIndex > 0;
  return chosen.some((option) => option.selected !== option.defaultSelected);
}

// Find an element in the next version of a part: by its id, or else by its tag, text and position among equal ones.
function nameOf(element) {
  if (element.id) return `#${element.id}`;
  // The text of a summary may change with the rest.
  if (element.tagName === "SUMMARY" && element.parentElement.id) return `#${element.parentElement.id} summary`;
  const label = element.querySelector("summary")?.textContent ?? element.textContent;
  const target = element.getAttribute("href") ?? element.getAttribute("name") ?? element.className;
  return `${element.tagName} ${target} ${label.trim().slice(0, 80)}`;
}

function numbered(root, selector) {
  const seen = new Map();
  return [...root.querySelectorAll(selector)].map((element) => {
    const name = nameOf(element);
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return [`${name} ${seen.get(name)}`, element];
  });
}

function find(root, selector, name) {
  return numbered(root, selector).find(([other]) => other === name)?.[1];
}

function stateOf(root) {
  const focused = root.contains(document.activeElement) ? document.activeElement : null;
  const named = focused ? numbered(root, focused.tagName).find(([, element]) => element === focused) : null;
  const details = new Map(numbered(root, KEPT_OPEN).map(([name, element]) => [name, element.open]));
  const scrolled = [...root.querySelectorAll("*")]
    .map((element, at) => [at, element.scrollLeft, element.scrollTop])
    .filter(([, left, top]) => left || top);
  return { focused: named && { tag: focused.tagName, name: named[0] }, details, scrolled };
}

function restore(root, { focused, details, scrolled }) {
  for (const [name, element] of numbered(root, KEPT_OPEN)) {
    if (details.has(name)) element.open = details.get(name);
  }
  const all = root.querySelectorAll("*");
  for (const [at, left, top] of scrolled) {
    if (all[at]) [all[at].scrollLeft, all[at].scrollTop] = [left, top];
  }
  if (focused) find(root, focused.tag, focused.name)?.focus({ preventScroll: true });
}

const states = new Map();

document.addEventListener("htmx:beforeRequest", (event) => {
  if (polls(event.detail.elt) && isInUse(event.detail.elt)) event.preventDefault();
});

// The response may arrive after somebody has begun to type.
document.addEventListener("htmx:beforeSwap", (event) => {
  const root = event.detail.requestConfig?.elt;
  if (!polls(root) || event.detail.target !== root) return;
  if (isInUse(root)) event.detail.shouldSwap = false;
  else if (root.id) states.set(root.id, stateOf(root));
});

document.addEventListener("htmx:afterSettle", () => {
  for (const [id, state] of states) {
    const root = document.getElementById(id);
    if (root) restore(root, state);
  }
  states.clear();
});
