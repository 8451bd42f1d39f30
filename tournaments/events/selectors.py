"""Lists of events, of their divisions and of their matches."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from core.pagination import page_of
from formats.settings import ELIMINATION
from matches.lifecycle.where import Where
from matches.models import Match
from matches.play.watching import where_of
from matches.presentation.visibility import NOBODY, Viewer
from players.access import RANK, Role, Visitor
from players.models import Club, Membership, Player, User
from players.people.rows import PersonId, side_columns, side_of
from tournaments.access import VISIBLE
from tournaments.models import Division, Entry, Fixture, Helper, Round, Slot, Tournament
from tournaments.standings.rounds import RoundNames
from tournaments.state.figures import Figures, figures_of, takes_part
from tournaments.state.format_labels import stages_name
from tournaments.state.names import match_names
from tournaments.state.plans import settings_of

# Reading a page together with the `seq` that its forms send back.


Page = TypeVar("Page")
TRIES = 3


def read_with_seq(division: Division, read: Callable[[], Page]) -> Page:
    """Return the result of `read`, after setting `division.seq` to its value at that time.

    A worker may finish a draft while its page is read. The page would then show the draft with the `seq` from before
    it, and publishing would be refused as stale. So the page is read again until its `seq` is current.
    """
    page = read()
    for _ in range(TRIES):
        seq = Division.objects.values_list("seq", flat=True).get(pk=division.pk)
        if seq == division.seq:
            break
        division.seq = seq
        page = read()
    return page


EVENINGS_SHOWN = 3
ON_A_PAGE = 30
ENDED = (Tournament.Status.FINISHED, Tournament.Status.CANCELLED)


class DivisionCounts(NamedTuple):
    division: Division
    figures: Figures
    format: str = ""
    """The formats of its stages in words."""

    @property
    def has_bracket(self) -> bool:
        """Whether its first stage is shown as a bracket; otherwise as standings."""
        stages = list(self.division.stages.all())
        return not stages or stages[0].format in ELIMINATION

    @property
    def free(self) -> int | None:
        """Places left; None if they are not limited."""
        capacity = self.division.capacity
        return None if capacity is None else max(0, capacity - self.figures.entered)


@dataclass(frozen=True, slots=True)
class ListedMatch:
    fixture: Fixture
    division: Division
    round: str
    names: tuple[str, str]
    where: Where | None
    """Where it is, as the reader may see it, in lists that say so."""

    @property
    def match(self) -> Match | None:
        """The match; None until its players are known."""
        return self.fixture.match

    @property
    def is_to_come(self) -> bool:
        """Whether it is neither called nor being played."""
        return self.where is None or self.where.is_to_come


def visible(user: Visitor) -> QuerySet[Tournament]:
    """Return the events a user may see: published ones, and drafts that they help at or are on the staff of."""
    events = Tournament.objects.select_related("club")
    if not isinstance(user, User):
        return events.filter(status__in=VISIBLE)
    staff_roles = [role for role, rank in RANK.items() if rank >= RANK[Role.ASSISTANT]]
    theirs = Membership.objects.filter(
        club=OuterRef("club"), player__user=user, left_at__isnull=True, role__in=staff_roles
    )
    return events.filter(Q(status__in=VISIBLE) | Exists(theirs) | Exists(_helped_by(user)))


def _helped_by(user: User) -> QuerySet[Helper]:
    """Return the rows that make a user a helper of the event of an outer query."""
    return Helper.objects.filter(tournament=OuterRef("pk"), user=user, removed_at=None)


def listed(user: Visitor, club: str = "", status: str = "") -> QuerySet[Tournament]:
    """Return visible events with `in_divisions`, how many divisions they have; lists of side events do not count."""
    played = Division.objects.filter(offer=None).exclude(status=Division.Status.CANCELLED)
    divisions = played.filter(tournament=OuterRef("pk")).order_by()
    count = divisions.values("tournament").annotate(number=Count("pk")).values("number")
    events = visible(user).annotate(in_divisions=Coalesce(Subquery(count), 0))
    if club:
        events = events.filter(club__slug=club)
    if status in Tournament.Status.values:
        events = events.filter(status=status)
    return events


def _count_players(events: Collection[Tournament]) -> None:
    """Set `players` of events that are listed, how many people are in their divisions; one query."""
    people: dict[int, set[PersonId]] = {event.pk: set() for event in events}
    entries = Entry.objects.filter(takes_part(), division__tournament__in=people).order_by()
    for event, *player in entries.values_list("division__tournament", *side_columns("player")):
        people[event].update(side_of(player))
    for event in events:
        event.players = len(people[event.pk])  # type: ignore[attr-defined]


def events_page(user: Visitor, club: str, number: str | None) -> dict[str, Any]:
    """Return running and coming events, and one page of past events."""
    events = listed(user, club)
    running = list(events.filter(status=Tournament.Status.RUNNING).order_by("starts_at", "pk")[:ON_A_PAGE])
    coming = list(events.filter(status__in=["draft", "published"]).order_by("starts_at", "name", "pk")[:ON_A_PAGE])
    over = page_of(events.filter(status__in=ENDED).order_by("-starts_at", "name", "-pk"), number, ON_A_PAGE)
    with_events = Exists(Tournament.objects.filter(club=OuterRef("pk"), status__in=VISIBLE))
    clubs = list(Club.objects.filter(with_events).order_by("search_key", "pk")[:200])
    _count_players([*running, *coming, *over])
    return {"running": running, "coming": coming, "over": over, "clubs": clubs, "club": club}


def on_show(count: int) -> list[Tournament]:
    """Return public events: running ones first, then those to come by date."""
    events = listed(AnonymousUser()).filter(status__in=[Tournament.Status.RUNNING, Tournament.Status.PUBLISHED])
    # "running" comes after "published" in the alphabet.
    shown = list(events.order_by("-status", "starts_at", "name", "pk")[:count])
    _count_players(shown)
    return shown


def run_by(user: User, clubs: Collection[int]) -> list[Tournament]:
    """Return the events that are not over and that a user helps at or, once they are published, runs in these clubs."""
    run = Q(club__in=clubs, status__in=[Tournament.Status.RUNNING, Tournament.Status.PUBLISHED])
    events = Tournament.objects.filter(run | Exists(_helped_by(user))).exclude(status__in=ENDED)
    return list(events.select_related("club").order_by("-status", "starts_at", "name", "pk")[:ON_A_PAGE])


def evenings_now(players: Collection[int], run: Collection[Tournament]) -> list[Tournament]:
    """Return the running events with an open floor that these players take part in, or that are among `run`."""
    entered = Entry.objects.filter(takes_part(), division__tournament=OuterRef("pk"), player__in=players)
    events = Tournament.objects.filter(status=Tournament.Status.RUNNING, floor__isnull=False)
    mine = events.filter(Q(pk__in=[event.pk for event in run]) | Exists(entered))
    return list(mine.select_related("club").order_by("-starts_at", "name", "pk")[:EVENINGS_SHOWN])


LATEST_PLAYED = 100
"""Among so many matches of events that were played on this site a final is looked for."""


def match_to_replay() -> Match | None:
    """Return the last final of a knockout that was played on this site and that everybody may see.

    Without one among the latest matches, it is the last match of an event; None if no such match was played here.
    """
    public = Match.objects.filter(NOBODY.visible(), state=Match.State.SETTLED, provisional=False, live__isnull=False)
    latest = public.exclude(parent_topic="").order_by("-finished_at", "-pk").values_list("pk", flat=True)
    fixtures = Fixture.objects.filter(match__in=list(latest[:LATEST_PLAYED]), match__live__last__gt=0)
    fixtures = fixtures.filter(stage__division__tournament__status__in=VISIBLE)
    fixtures = fixtures.select_related("match__player_0__merged_into", "match__player_1__merged_into").order_by(
        "-match__finished_at", "-pk"
    )
    later = Slot.objects.filter(
        fixture__stage=OuterRef("stage"), source=Slot.Source.WINNER, source_fixture=OuterRef("number")
    )
    finals = fixtures.filter(stage__format__in=ELIMINATION, round__bracket__key__in=FINAL_BRACKETS)
    fixture = finals.exclude(Exists(later)).first() or fixtures.first()
    return fixture.match if fixture is not None else None


FINAL_BRACKETS = ("main", "final")
"""Keys of the brackets whose last match decides who wins."""


def divisions_of(tournament: Tournament) -> list[DivisionCounts]:
    """Return every division with its figures, in six queries at most."""
    divisions = list(tournament.divisions.select_related("offer").prefetch_related("stages"))
    figures = figures_of(divisions)
    for division in divisions:
        division.tournament = tournament
    return [
        DivisionCounts(division, figures[division.pk], stages_name([settings_of(row) for row in division.stages.all()]))
        for division in divisions
    ]


def open_fixtures(tournament: Tournament) -> QuerySet[Fixture]:
    """Return fixtures with two known players and no result, those being played first."""
    return (
        Fixture.objects.filter(stage__division__tournament=tournament, status=Fixture.Status.READY)
        .select_related(
            "match__player_0__merged_into", "match__player_1__merged_into", "round__bracket", "stage__division"
        )
        .order_by(F("match__begun_at").asc(nulls_last=True), "stage__division__order", "number")
    )


def names_of_rounds(tournament: Tournament) -> dict[int, str]:
    """Return the name of every round of an event by its id."""
    return RoundNames(Round.objects.filter(bracket__stage__division__tournament=tournament))


def match_lines(
    fixtures: Collection[Fixture], rounds: Mapping[int, str], viewer: Viewer, now: datetime, *, staff: bool
) -> list[ListedMatch]:
    """Return fixtures of `open_fixtures` as lines; `rounds` are the names of all rounds."""
    where = where_of([row.match for row in fixtures if row.match is not None], viewer, now)
    return [match_line(row, rounds, where.get(row.match_id or 0), staff=staff) for row in fixtures]


def match_line(fixture: Fixture, rounds: Mapping[int, str], where: Where | None = None, *, staff: bool) -> ListedMatch:
    """Return a fixture as a line, for a list that says where the match is only if `where` is given."""
    names = match_names(fixture, staff=staff)
    return ListedMatch(fixture, fixture.stage.division, rounds[fixture.round_id], names, where)


def can_register(division: Division, now: datetime) -> bool:
    open_ = division.self_registration and division.status == Division.Status.ENTRIES
    in_time = division.closes_at is None or now < division.closes_at
    return open_ and in_time and division.tournament.status in ("published", "running")


def my_player(user: Visitor) -> Player | None:
    return Player.objects.filter(user=user).first() if isinstance(user, User) else None
