/** Keeps what somebody has unfolded open when the server renders the format again. */

document.addEventListener(
  "toggle",
  ({ target }) => {
    const field = target.closest("form")?.elements[target.dataset?.remember];
    if (field) field.value = target.open ? "1" : "";
  },
  true,
);
