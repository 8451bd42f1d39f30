/**
 * Links with `data-share` hand the address in it to the device's own menu for sharing or, without one, to the clipboard.
 * Without scripts, or if neither is allowed, they lead to a page with the address and its QR code. There a button does
 * the same on devices that have such a menu.
 */

const CONFIRMED_FOR = 2000; // milliseconds

async function share(element) {
  const url = new URL(element.dataset.share, location.href).href;
  try {
    if (navigator.share) {
      await navigator.share({ title: document.title, url });
      return;
    }
    await navigator.clipboard.writeText(url);
  } catch (error) {
    // Whoever closes the menu has changed their mind.
    if (error.name !== "AbortError" && element.href) location.assign(element.href);
    return;
  }
  const label = element.querySelector("[aria-live]");
  label.dataset.label ??= label.textContent;
  label.textContent = element.dataset.copied;
  setTimeout(() => (label.textContent = label.dataset.label), CONFIRMED_FOR);
}

document.addEventListener("click", (event) => {
  const element = event.target.closest("[data-share]");
  const opensElsewhere = event.ctrlKey || event.metaKey || event.shiftKey;
  if (!element || opensElsewhere || !(navigator.share || navigator.clipboard)) return;
  event.preventDefault();
  share(element);
});

for (const button of document.querySelectorAll("[data-share][hidden]")) button.hidden = !navigator.share;
