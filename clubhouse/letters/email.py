"""The e-mail with the letters about the events of one morning: plain text."""

import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from clubhouse.clubs import NextEvening
from clubhouse.letters.coming import coming_path, day_and_time
from clubhouse.letters.contents import LetterContents
from players.models import User

MAX_LINES, WIDTH = 60, 78
FOOTER = 6
"""Lines of the settings and of unsubscribing."""


class EmailSection(NamedTuple):
    contents: LetterContents
    is_correction: bool


def email_text(user: User, sections: Sequence[EmailSection]) -> tuple[str, str]:
    """Return the subject, which is that of the first event, and the text of an e-mail."""
    most = (MAX_LINES - FOOTER) // len(sections)
    parts = [_section(user, section, most, is_titled=len(sections) > 1) for section in sections]
    first = sections[0]
    subject = first.contents.title
    if first.is_correction:
        subject = _("Corrected: %(title)s") % {"title": subject}
    choose = _("Choose what is sent to you: %(url)s") % {"url": _url("notification-settings")}
    return subject, "\n".join([*(line for part in parts for line in part), choose])


def _section(user: User, section: EmailSection, most: int, *, is_titled: bool) -> list[str]:
    """Return the lines about one event, at most `most`: where there are more, the end of its text is on the page."""
    contents = section.contents
    end = [*_wrapped(_next(user, contents.next_evening)), _url("letter", contents.event.public_id), ""]
    text = _wrapped([*([contents.title, ""] if is_titled else []), *_sentences(section)])
    room = most - len(end)
    return [*(text if len(text) <= room else [*text[: room - 1], "…"]), *end]


def _sentences(section: EmailSection) -> Iterator[str]:
    """Yield sentences, and empty ones between parts."""
    contents = section.contents
    if section.is_correction:
        yield _("A result was corrected after your letter was sent.")
        yield from contents.changes
        yield ""
    yield from (match.line for match in contents.matches)
    yield from filter(None, [*contents.places, contents.rating])
    if not section.is_correction:
        for season in contents.seasons:
            yield f"{season.name}: {season.text}"
            yield from season.outlook
        yield ""
        yield from filter(None, [*contents.lines, contents.unsettled])
        yield ""
        yield from (decision.text for decision in contents.decisions)
        if contents.is_analysed_later:
            yield _("Your matches are still being analysed.")
    yield ""


def _next(user: User, evening: NextEvening | None) -> Iterator[str]:
    if evening is None:
        return
    event = evening.line.event
    values = {"event": event.name, "when": day_and_time(evening)}
    yield _("Next: %(event)s, %(when)s.") % values
    if evening.way in ("join", "wait"):
        url = settings.SITE_URL + coming_path(user, event)
        if evening.way == "join":
            yield _("I come: %(url)s") % {"url": url}
        else:
            yield _("Join the waiting list, place %(place)s: %(url)s") % {"place": evening.place, "url": url}
    elif evening.way == "in":
        yield _("You’re in.")
    yield ""


def _url(name: str, *args: str) -> str:
    return settings.SITE_URL + reverse(name, args=args)


def _wrapped(sentences: Iterator[str] | Sequence[str]) -> list[str]:
    """Return the sentences in lines of WIDTH characters, with one empty line between parts.

    A URL that is longer has a line of its own.
    """
    lines: list[str] = []
    for sentence in sentences:
        text = " ".join(sentence.split())
        if text or (lines and lines[-1]):
            lines += textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False) or [""]
    return lines
