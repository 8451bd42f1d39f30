"""The names of rounds, the call order of open matches, and the boards of a round."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from formats.elimination.places import FIRST_PLACES
from formats.graph import CONSOLATION, FINAL, LAST_CHANCE, LOWER
from formats.settings import DOUBLE, GROUPS, ROUND_ROBIN, PairingMode
from matches.lifecycle.begun import has_begun
from matches.models import Match
from tournaments.models import Fixture, Floor, Round, Slot
from tournaments.standings.brackets import round_in_words, round_name
from tournaments.state.format_labels import FORMAT_NAMES

CALLED_AFTER = {LOWER: 1, CONSOLATION: 1, LAST_CHANCE: 2, FINAL: 3} | dict.fromkeys(FIRST_PLACES, 1)
"""Brackets whose matches are called after those of the main draw, in ascending order."""
IN_ORDER = (ROUND_ROBIN, GROUPS)
"""Formats whose matches are all open from the start and are played round by round."""


class RoundFacts(NamedTuple):
    """What the name of a round is made of, as plain values that can be stored."""

    format: str
    """Of a stage without rounds, which has one name for all of its matches; else empty."""
    key: str
    number: int
    fixtures: int
    rounds: int
    upper: bool
    starts: int
    byes: int = 0

    def name(self, *, in_words: bool) -> str:
        """Return the name in the active language; `in_words` without the letters of brackets."""
        if self.format:
            return str(FORMAT_NAMES.get(self.format, self.format))
        name = round_in_words if in_words else round_name
        return name(
            self.key,
            self.number,
            self.fixtures,
            self.rounds,
            upper=self.upper,
            starts=self.starts,
            byes=self.byes,
        )


def facts_of_rounds(rounds: QuerySet[Round]) -> dict[int, RoundFacts]:
    """Return what the names of rounds are made of, by their ids; whole brackets are needed. One query."""
    rows = list(
        rounds.annotate(
            count=Count("fixtures", distinct=True),
            byes=Count("fixtures", filter=Q(fixtures__slots__source=Slot.Source.BYE)),
        )
        .order_by()
        .values_list(
            "pk",
            "bracket",
            "bracket__key",
            "bracket__stage__format",
            "number",
            "count",
            "byes",
            "bracket__stage__settings",
        )
    )
    sizes = Counter(row[1] for row in rows)
    return {
        pk: RoundFacts(
            format_ if settings.get("pairing") == PairingMode.CONTINUOUS else "",
            key,
            number,
            count,
            sizes[bracket],
            upper=format_ == DOUBLE,
            starts=len(settings.get("starts") or ()),
            byes=byes,
        )
        for pk, bracket, key, format_, number, count, byes, settings in rows
    }


class RoundNames(dict[int, str]):
    """Round id -> its name, or what it means without the letters of brackets.

    A stage without rounds has one name for all of its matches. A round that is drawn while a page is put together,
    after the names and before the matches were read, is read when its name is asked for.
    """

    def __init__(self, rounds: QuerySet[Round], *, in_words: bool = False) -> None:
        self._rounds, self._in_words = rounds, in_words
        super().__init__(self._read())

    def __missing__(self, round_id: int) -> str:
        self.update(self._read())
        # get, since a round that is still missing would be asked for again and again.
        name = self.get(round_id)
        if name is None:
            raise KeyError(round_id)
        return name

    def _read(self) -> dict[int, str]:
        """Return all names, by one query."""
        return {pk: facts.name(in_words=self._in_words) for pk, facts in facts_of_rounds(self._rounds).items()}


def called_in_order(fixtures: Iterable[Fixture]) -> list[Fixture]:
    """Sort open matches by call order: main draw, lower bracket or consolation, last chance; earlier rounds first."""
    return sorted(fixtures, key=_call_order)


def _call_order(fixture: Fixture) -> tuple[int, int, int, int, int]:
    stage, round_ = fixture.stage, fixture.round
    rank = CALLED_AFTER.get(round_.bracket.key, 0)
    return (stage.division.order, stage.number, rank, round_.number, fixture.number)


def playable(fixtures: Sequence[Fixture]) -> list[Fixture]:
    """Return the open matches that can begin, in call order; in a round robin only each player's next one."""
    busy: set[tuple[int, int]] = set()
    ready = []
    for fixture in fixtures:
        match = fixture.match
        if match is None:
            continue
        players = {(fixture.stage_id, match.player_0_id), (fixture.stage_id, match.player_1_id)}
        must_wait = fixture.stage.format in IN_ORDER and bool(players & busy)
        if match.state != Match.State.CLAIMED:
            # A reported match has been played: its players are free for their next one.
            busy |= players
        if not must_wait or has_begun(match):
            ready.append(fixture)
    return ready


# The boards of a round: its matches, counted, where no floor says at which table each is played.


def has_open_floor(tournament_id: int) -> bool:
    """Whether the floor of an event is open, so that its matches are called to tables."""
    return Floor.objects.filter(tournament=tournament_id).exists()


def board_name(number: int) -> str:
    return _("Board %(number)d") % {"number": number}


def boards_of(rounds: Collection[int]) -> dict[int, int]:
    """Return fixture id -> its board, counted over the fixtures of the round with two players, without open floors."""
    boards: dict[int, int] = {}
    counted: dict[int, int] = {}
    fixtures = Fixture.objects.filter(round__in=rounds, match__isnull=False, stage__division__tournament__floor=None)
    for pk, round_ in fixtures.order_by("number").values_list("pk", "round"):
        counted[round_] = boards[pk] = counted.get(round_, 0) + 1
    return boards
