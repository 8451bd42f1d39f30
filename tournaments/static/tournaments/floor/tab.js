// On a phone one part of the floor is shown at a time: the one that was chosen last, from the first paint on.
{
  let chosen = null;
  try {
    chosen = sessionStorage.getItem("floor-tab");
  } catch {
    // Storage is switched off.
  }
  document.querySelector(".floor-main").dataset.tab = chosen ?? "tables";
}
