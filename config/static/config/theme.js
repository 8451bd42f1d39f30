// The theme of a visitor without an account, which their browser keeps: public pages are the same for everybody.
// A classic script in the head, so that the page is never painted in the other theme first.
(() => {
  const KEY = "theme";
  const root = document.documentElement;
  const buttons = () => document.querySelectorAll("[data-themes] button");

  function kept() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // Storage is off in this browser.
    }
  }

  function keep(theme) {
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Then the choice holds for this page.
    }
  }

  function show(theme) {
    root.dataset.theme = theme;
    for (const button of buttons()) button.setAttribute("aria-pressed", String(button.value === theme));
  }

  const theme = kept();
  if (["light", "dark"].includes(theme)) root.dataset.theme = theme;
  document.addEventListener("DOMContentLoaded", () => {
    show(root.dataset.theme);
    document.querySelector("[data-themes]")?.removeAttribute("hidden");
    for (const button of buttons()) {
      button.addEventListener("click", () => {
        keep(button.value);
        show(button.value);
      });
    }
  });
})();
