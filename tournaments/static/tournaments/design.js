/**
 * A form that the server renders again with each change: what somebody has unfolded stays open, and an answer that was
 * overtaken by another change is not shown, since it would put the old values back. Its own answer is on the way.
 */

const sent = new WeakMap();

document.addEventListener(
  "toggle",
  ({ target }) => {
    const field = target.closest("form")?.elements[target.dataset?.remember];
    if (field) field.value = target.open ? "1" : "";
  },
  true,
);

/** What somebody has entered in the form around an element; hidden fields are not entered. */
function entered(element) {
  const form = element.closest("form[data-recomputed]");
  if (!form) return null;
  const fields = [...form.elements].filter((field) => field.name && field.type !== "hidden" && field.type !== "submit");
  return JSON.stringify(fields.map((field) => [field.name, field.value, field.checked]));
}

document.addEventListener("htmx:beforeSend", ({ detail }) => sent.set(detail.xhr, entered(detail.elt)));
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (sent.get(detail.xhr) !== entered(detail.requestConfig.elt)) detail.shouldSwap = false;
});
