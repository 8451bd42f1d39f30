"""For whom each message is, from where it stands: `python -m tools.audiences` counts them for each language.

Pages of players and viewers, the wall, paper, mail and push, and everything that several audiences read, are for
players. A language is offered when all of these are translated and reviewed; what directors and operators alone read
may follow, and is English until then.
"""

import io
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from core.languages import NAMES
from tools import messages

REVIEWED = 0.98
"""The share of what players read that stays reviewed while a language is offered; at first all of it is."""
LONGEST = 5


class ReadBy(StrEnum):
    """Who reads a message; of several, the first."""

    PLAYER = "player"
    DIRECTOR = "director"
    OPERATOR = "operator"


ALONE: Mapping[ReadBy, tuple[str, ...]] = {
    ReadBy.OPERATOR: (
        "clubhouse/acceptance.py", "demo/", "players/admin.py",
        "templates/admin/", "templates/clubhouse/waiting_clubs.html", "templates/clubhouse/ownerless.html",
        "templates/config/api_docs.html",
        "templates/config/api_reference.html", "templates/demo/", "templates/matches/play/reported_messages.html",
        "templates/players/people/suspend.html",
    ),
    ReadBy.DIRECTOR: (
        "clubhouse/console.py", "clubhouse/copies.py", "clubhouse/divisions.py", "clubhouse/steps.py",
        "clubhouse/tonight.py", "formats/errors.py", "formats/forecast/", "formats/series/presets.py",
        "formats/series/warnings.py", "matches/models/ratings.py", "matches/rankings/pools.py", "players/kept/",
        "prizes/forms.py", "prizes/page/cash.py", "prizes/refusals.py", "display/paper/cash.py",
        "display/paper/snapshot.py", "seasons/actions.py", "seasons/changes.py", "seasons/finals.py",
        "seasons/forms.py", "seasons/page/match_imports.py", "seasons/page/past.py", "seasons/plan_form.py",
        "seasons/preview.py",
        "seasons/refusals.py", "templates/clubhouse/_confirm_all.html", "templates/clubhouse/_console",
        "templates/clubhouse/_need.html", "templates/clubhouse/_next_evening.html", "templates/clubhouse/_quick",
        "templates/clubhouse/_status.html", "templates/clubhouse/_tonight.html", "templates/clubhouse/_undo_start.html",
        "templates/clubhouse/close.html", "templates/clubhouse/console.html", "templates/clubhouse/division_form.html",
        "templates/clubhouse/log.html", "templates/clubhouse/next_season.html", "templates/clubhouse/status.html",
        "templates/clubhouse/tonight.html", "templates/clubhouse/_home_first_steps.html",
        "templates/config/help_directors.html", "templates/display/paper/_snapshot", "templates/display/paper/snapshot",
        "templates/display/paper/_keep_snapshot.html", "templates/display/paper/cash_report.html",
        "templates/display/paper/paper.html", "templates/display/wall/settings.html",
        "templates/matches/play/_director.html", "templates/matches/rankings/_import_preview.html",
        "templates/matches/rankings/_pool_changes.html",
        "templates/matches/rankings/join_requests.html", "templates/matches/rankings/pool.html",
        "templates/matches/rankings/pools.html", "templates/matches/reporting/hand_out.html",
        "templates/players/clubs/_list_", "templates/players/clubs/list_preview.html",
        "templates/players/clubs/_member_name.html", "templates/players/clubs/_merges.html",
        "templates/players/clubs/club_form.html", "templates/players/clubs/give_up.html",
        "templates/players/clubs/invited.html", "templates/players/clubs/member.html",
        "templates/players/privacy/member_data.html", "templates/prizes/", "templates/seasons/_final.html",
        "templates/seasons/_import", "templates/seasons/_matches_preview.html", "templates/seasons/_moved.html",
        "templates/seasons/_own_", "templates/seasons/_past_preview.html", "templates/seasons/_pool.html",
        "templates/seasons/_preview.html", "templates/seasons/_title_award.html", "templates/seasons/_view_form.html",
        "templates/seasons/edit.html", "templates/seasons/new.html", "templates/seasons/past_season.html",
        "templates/seasons/past_seasons.html", "templates/tournaments/_take_back.html",
        "templates/tournaments/draws/", "templates/tournaments/entries/", "templates/tournaments/events/_copy.html",
        "templates/tournaments/events/_division_", "templates/tournaments/events/_event_actions.html",
        "templates/tournaments/events/_event_change.html", "templates/tournaments/events/_helpers_can.html",
        "templates/tournaments/events/cancel.html", "templates/tournaments/events/event_form.html",
        "templates/tournaments/events/helper", "templates/tournaments/events/helping.html",
        "templates/tournaments/events/mail/helper.txt", "templates/tournaments/events/venue.html",
        "templates/tournaments/floor/", "templates/tournaments/results/", "tournaments/draws/",
        "tournaments/entries/arrivals.py", "tournaments/entries/forms.py", "tournaments/entries/kiosks.py",
        "tournaments/entries/previews.py", "tournaments/events/dates.py", "tournaments/events/forms.py",
        "tournaments/events/helpers.py", "tournaments/floor/", "tournaments/models/batches.py", "tournaments/results/",
        "tournaments/standings/changes.py", "tournaments/state/forms.py",
        "tournaments/state/log.py",
    ),
}  # fmt: skip
"""The audiences that read a folder or a file alone, by how its path begins."""

ALSO_PLAYERS = (
    "templates/prizes/_prize_table.html", "templates/prizes/prizes.html", "templates/prizes/_split.html",
    "templates/tournaments/draws/_provenance.html", "templates/tournaments/draws/commitments.html",
    "templates/tournaments/entries/_enter.html", "templates/tournaments/entries/_everybody.html",
    "templates/tournaments/entries/_kiosk.html", "templates/tournaments/entries/_own_check_in.html",
    "templates/tournaments/entries/_public_entries.html", "templates/tournaments/entries/_register.html",
    "templates/tournaments/entries/_substitutes.html", "templates/tournaments/entries/arrive.html",
    "templates/tournaments/entries/event_link.html", "templates/tournaments/entries/kiosk.html",
    "templates/tournaments/entries/kiosk_off.html", "templates/tournaments/entries/kiosk_pair.html",
    "templates/tournaments/entries/kiosk_welcome.html", "templates/tournaments/events/_division_link.html",
    "tournaments/draws/lists.py", "tournaments/floor/waiting.py",
    "tournaments/floor/notifications.py", "tournaments/floor/sentences.py",
)  # fmt: skip
"""Of these what players read, too."""


def audience_of(path: str) -> ReadBy:
    """Return for whom the messages of a file are.

    >>> str(audience_of("templates/matches/play/play.html")), str(audience_of("tournaments/floor/undo.py"))
    ('player', 'director')
    """
    if not path.startswith(ALSO_PLAYERS):
        for audience, starts in ALONE.items():
            if path.startswith(starts):
                return audience
    return ReadBy.PLAYER


def audience(message: Message) -> ReadBy:
    """Return for whom a message of a catalogue is."""
    order = list(ReadBy)
    return min((audience_of(path) for path, _line in message.locations), key=order.index, default=ReadBy.PLAYER)


@cache
def sources(root: Path) -> Mapping[str, Catalog]:
    """Return the English messages of the project in a folder, by app; they take some seconds to find."""
    return messages.source_catalogues()


def translations(language: str) -> Iterator[Message]:
    """Yield the messages of the catalogues of a language, with and without a translation, and where they stand."""
    for app, source in sources(messages.ROOT).items():
        translated = source
        if language != messages.SOURCE_LANGUAGE:
            path = messages.ROOT / app / "locale" / language / "LC_MESSAGES" / "django.po"
            translated = read_po(io.BytesIO(path.read_bytes() if path.exists() else b""), locale=language)
        for row in source:
            if row.id:
                message = translated.get(row.id, row.context) or Message(row.id, context=row.context)
                message.locations = row.locations
                yield message


def is_translated(message: Message) -> bool:
    """Return whether a message has a translation, be it a draft, with all plural forms."""
    return all([message.string] if isinstance(message.string, str) else message.string)


def offer_faults(language: str) -> Iterator[str]:
    """Yield why a language may not be offered, as lines; what players read has to be there."""
    reviewed = total = 0
    for row in translations(language):
        if audience(row) == ReadBy.PLAYER:
            total += 1
            reviewed += is_translated(row) and not row.fuzzy
            if not is_translated(row):
                yield f"{language}: {row.locations[0][0]}: not translated, not even as a draft: {row.id!r}"
    if reviewed < REVIEWED * total or not total:
        yield f"{language}: {reviewed} of {total} messages that players read are reviewed; {REVIEWED:.0%} have to be."


def counts() -> Iterator[str]:
    """Yield how many messages and words each audience reads, and how many of them each language has, as lines."""
    rows = list(translations(messages.SOURCE_LANGUAGE))
    for wanted in ReadBy:
        texts = [messages.singular(row.id) for row in rows if audience(row) == wanted]
        yield f"{wanted:9}{len(texts):6} messages{sum(len(text.split()) for text in texts):7} words"
    longest = sorted((messages.singular(row.id) for row in rows), key=len, reverse=True)[:LONGEST]
    yield from (f"{len(text):9} characters: {text}" for text in longest)
    for language in sorted(set(NAMES) - {messages.SOURCE_LANGUAGE}):
        message = Counter(
            f"{audience(row)} {'draft' if row.fuzzy else 'reviewed'}"
            if is_translated(row)
            else f"{audience(row)} missing"
            for row in translations(language)
        )
        yield ", ".join([language, *(f"{kind} {number}" for kind, number in sorted(message.items()))])


def _state(message: Message) -> str:
    if not is_translated(message):
        return "missing"
    return "draft" if message.fuzzy else "reviewed"


if __name__ == "__main__":
    print(*counts(), sep="\n")
