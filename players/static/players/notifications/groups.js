/** The checkbox of a group ticks those of its kinds, and shows whether they differ. */

for (const all of document.querySelectorAll("[data-all]")) {
  const { all: group, channel } = all.dataset;
  const kinds = [...document.querySelectorAll(`[data-group="${group}"][data-channel="${channel}"]`)];

  const show = () => {
    const ticked = kinds.filter((kind) => kind.checked).length;
    all.indeterminate = ticked > 0 && ticked < kinds.length;
    all.toggleAttribute("data-mixed", all.indeterminate);
    all.checked = ticked === kinds.length;
  };

  all.addEventListener("change", () => {
    for (const kind of kinds) kind.checked = all.checked;
    show();
  });
  for (const kind of kinds) kind.addEventListener("change", show);
  show();
}
