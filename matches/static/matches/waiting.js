/** Reload a waiting page when the match changes, but never while a form on it is in use. */

function isChanged(field) {
  if (field.type === "hidden") return false;
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field.tagName === "SELECT") return [...field.options].some((option) => option.selected !== option.defaultSelected);
  return field.value !== field.defaultValue;
}

function isInUse() {
  const fields = [...document.querySelectorAll("main input, main textarea, main select")];
  return fields.some((field) => field === document.activeElement || isChanged(field));
}

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target.matches("[data-waiting]") && isInUse()) event.preventDefault();
});
