// Puts times right for a reader whose time zone the server does not know, since public pages are the same for everybody:
// times of the site are written on the reader's clock, and to times of an event elsewhere the reader's is added. That is
// done while the page is read, before it is shown, so that nothing moves.
{
  const { timeForYou } = document.documentElement.dataset;
  const SHORT = { day: "numeric", month: "short" };
  const STYLES = { short: SHORT, long: { ...SHORT, weekday: "short", year: "numeric" } };
  const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

  /**
   * Write an instant like the server does: in English `20 Nov, 19:30` or `Fri 20 Nov 2026, 19:30`, whatever the English of
   * the browser is; elsewhere the day as the page's language does, and the time the same, where Danish would say 19.30.
   */
  function written(at, style) {
    const { lang } = document.documentElement;
    const format = new Intl.DateTimeFormat(lang, STYLES[style]);
    const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const inEnglish = [part.weekday, part.day, part.month, part.year].filter(Boolean).join(" ");
    return `${lang.startsWith("en") ? inEnglish : format.format(at)}, ${at.toLocaleTimeString("en-GB", CLOCK)}`;
  }

  /** Whether an element may still get content from the page that is being read. */
  function isOpen(element) {
    for (let node = element; node; node = node.parentNode) if (node.nextSibling) return false;
    return true;
  }

  function putRight(root) {
    for (const element of root.querySelectorAll("time[data-clock]")) {
      if (document.readyState === "loading" && isOpen(element)) continue;
      const { clock, offset, plain } = element.dataset;
      const at = new Date(element.dateTime);
      const here = written(at, clock);
      if (-at.getTimezoneOffset() === Number(offset)) element.textContent = plain || here;
      else if (plain) {
        element.textContent = timeForYou.replace("{there}", element.textContent.trim()).replace("{here}", here);
      } else element.textContent = here;
      delete element.dataset.clock;
    }
  }

  const reading = new MutationObserver(() => putRight(document));
  reading.observe(document, { childList: true, subtree: true });
  document.addEventListener("DOMContentLoaded", () => {
    reading.disconnect();
    putRight(document);
  });
  document.addEventListener("htmx:load", ({ target }) => putRight(target.parentNode ?? target));
}
