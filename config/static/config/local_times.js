// Puts times right for a reader whose time zone the server does not know, since public pages are the same for everybody:
// times of the site are written on the reader's clock, and to times of an event elsewhere the reader's is added.
const { timeForYou } = document.documentElement.dataset;
const SHORT = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const STYLES = { short: SHORT, long: { ...SHORT, weekday: "short", year: "numeric" } };

/** Write an instant like the server does: `20 Nov, 19:30` or `Fri 20 Nov 2026, 19:30`. */
function written(at, style) {
  const parts = new Intl.DateTimeFormat(document.documentElement.lang, STYLES[style]).formatToParts(at);
  const part = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  const day = [part.weekday, part.day, part.month, part.year].filter(Boolean).join(" ");
  return `${day}, ${part.hour}:${part.minute}`;
}

function putRight(root) {
  for (const element of root.querySelectorAll("time[data-clock]")) {
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

putRight(document);
document.addEventListener("htmx:load", ({ target }) => putRight(target.parentNode ?? target));
