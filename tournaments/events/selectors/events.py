"""Lists of events, and what the home of one shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from core.names import fold
from core.pagination import page_of
from matches.models import Match, Result
from players import access as people
from players.access import RANK, Role, Visitor
from players.models import Club, Membership, Player, User
from tournaments.access import VISIBLE
from tournaments.formats.settings import ELIMINATION
from tournaments.models import Division, Entry, Fixture, Round, Stage, Tournament
from tournaments.standings.rounds import round_names
from tournaments.standings.selectors.brackets import mark_of
from tournaments.standings.selectors.champions import champions
from tournaments.state.format_labels import stages_name
from tournaments.state.names import shown
from tournaments.state.plans import settings_of
from tournaments.state.stage_rows import UNPLAYED

NEXT_SHOWN = 12
"""Matches listed on the home of an event; the divisions show all."""
ON_A_PAGE = 30
ENDED = (Tournament.Status.FINISHED, Tournament.Status.CANCELLED)


class Counted(NamedTuple):
    """A division with its figures."""

    division: Division
    entered: int
    waiting: int
    played: int
    walkovers: int
    """Matches decided without being played: walkovers and forfeits."""
    open: int
    format: str = ""
    """How it is played, stage after stage."""

    @property
    def decided(self) -> int:
        """Matches that are over, played or not."""
        return self.played + self.walkovers

    @property
    def total(self) -> int:
        """Matches in the draw."""
        return self.decided + self.open

    @property
    def has_bracket(self) -> bool:
        """Whether it is shown as a bracket; else as standings."""
        stages = list(self.division.stages.all())
        return not stages or stages[0].format in ELIMINATION

    @property
    def free(self) -> int | None:
        """Places left, where they are limited."""
        capacity = self.division.capacity
        return None if capacity is None else max(0, capacity - self.entered)


@dataclass(frozen=True, slots=True)
class Meeting:
    """A match of an event as one line."""

    fixture: Fixture
    division: Division
    round: str
    names: tuple[str, str]
    state: str

    @property
    def match(self) -> Match | None:
        """The match, once its players are known."""
        return self.fixture.match


class Mine(NamedTuple):
    """One's own next match."""

    meeting: Meeting
    opponent: str
    side: int


def visible(user: Visitor) -> QuerySet[Tournament]:
    """Events somebody may know of: published ones, and drafts of the clubs he helps in."""
    found = Tournament.objects.select_related("club")
    if not isinstance(user, User):
        return found.filter(status__in=VISIBLE)
    helps = [role for role, rank in RANK.items() if rank >= RANK[Role.ASSISTANT]]
    theirs = Membership.objects.filter(club=OuterRef("club"), player__user=user, left_at__isnull=True, role__in=helps)
    return found.filter(Q(status__in=VISIBLE) | Exists(theirs))


def listed(user: Visitor, club: str = "", status: str = "") -> QuerySet[Tournament]:
    """Events with `entered`, the number of entries in all their divisions."""
    found = visible(user).annotate(
        entered=Count("divisions__entries", filter=Q(divisions__entries__status=Entry.Status.IN))
    )
    if club:
        found = found.filter(club__slug=club)
    if status in Tournament.Status.values:
        found = found.filter(status=status)
    return found


def events_page(user: Visitor, club: str, number: str | None) -> dict[str, Any]:
    """Running and coming events in full, what is over by pages."""
    found = listed(user, club)
    running = list(found.filter(status=Tournament.Status.RUNNING).order_by("starts_at")[:ON_A_PAGE])
    coming = list(found.filter(status__in=["draft", "published"]).order_by("starts_at", "name")[:ON_A_PAGE])
    over = page_of(found.filter(status__in=ENDED).order_by("-starts_at", "name"), number, ON_A_PAGE)
    clubs = list(Club.objects.filter(Exists(Tournament.objects.filter(club=OuterRef("pk"), status__in=VISIBLE)))[:200])
    return {"running": running, "coming": coming, "over": over, "clubs": clubs, "club": club}


def on_show(count: int) -> list[Tournament]:
    """Public events that are running, then those to come, the next one first."""
    found = listed(AnonymousUser()).filter(status__in=[Tournament.Status.RUNNING, Tournament.Status.PUBLISHED])
    # "running" comes after "published" in the alphabet.
    return list(found.order_by("-status", "starts_at", "name")[:count])


def divisions_of(tournament: Tournament) -> list[Counted]:
    """Every division with its figures: four queries."""
    divisions = list(tournament.divisions.prefetch_related("stages"))
    entries = {
        pk: (entered, waiting)
        for pk, entered, waiting in Entry.objects.filter(division__tournament=tournament)
        .order_by()
        .values_list("division")
        .annotate(
            entered=Count("pk", filter=Q(status=Entry.Status.IN)),
            waiting=Count("pk", filter=Q(status=Entry.Status.WAITING)),
        )
    }
    newest = Result.objects.filter(match=OuterRef("match")).order_by("-version").values("kind")[:1]
    unplayed = Q(status="walkover") | Q(status="decided", newest_kind__in=list(UNPLAYED))
    fixtures = {
        pk: (decided - walkovers, walkovers, open_)
        for pk, decided, walkovers, open_ in Fixture.objects.filter(stage__division__tournament=tournament)
        .order_by()
        .annotate(newest_kind=Subquery(newest))
        .values_list("stage__division")
        .annotate(
            decided=Count("pk", filter=Q(status__in=["decided", "walkover"])),
            walkovers=Count("pk", filter=unplayed),
            open=Count("pk", filter=Q(status__in=["waiting", "ready"])),
        )
    }
    made = []
    for division in divisions:
        division.tournament = tournament
        figures = (*entries.get(division.pk, (0, 0)), *fixtures.get(division.pk, (0, 0, 0)))
        made.append(Counted(division, *figures, stages_name([settings_of(one) for one in division.stages.all()])))
    return made


def open_fixtures(tournament: Tournament) -> QuerySet[Fixture]:
    """Fixtures whose two players are known and who have not finished, those being played first."""
    return (
        Fixture.objects.filter(stage__division__tournament=tournament, status=Fixture.Status.READY)
        .select_related("match__player_0", "match__player_1", "round__bracket", "stage__division")
        .order_by("match__begun_at", "stage__division__order", "number")
    )


def names_of_rounds(tournament: Tournament) -> dict[int, str]:
    """What every round of an event is called."""
    return round_names(Round.objects.filter(bracket__stage__division__tournament=tournament))


def meeting(fixture: Fixture, rounds: Mapping[int, str], staff: bool) -> Meeting:
    """A fixture of `open_fixtures` as a line; `rounds` are the names of all rounds."""
    match = fixture.match
    names = (shown(match.player_0, staff), shown(match.player_1, staff)) if match else ("", "")
    return Meeting(fixture, fixture.stage.division, rounds[fixture.round_id], names, state_of(match))


def state_of(match: Match | None) -> str:
    """ready, live, claimed, disputed, settled or void."""
    if match is None:
        return ""
    return mark_of(match) or ("ready" if match.state == Match.State.OPEN else match.state)


def my_matches(tournament: Tournament, rounds: Mapping[int, str], user: Visitor) -> list[Mine]:
    """What somebody has to play next in an event, by deadline."""
    if not isinstance(user, User):
        return []
    mine = open_fixtures(tournament).filter(Q(match__player_0__user=user) | Q(match__player_1__user=user))
    found = []
    for fixture in mine.order_by("due_at", "number")[:NEXT_SHOWN]:
        line = meeting(fixture, rounds, staff=False)
        assert fixture.match is not None  # noqa: S101, the query asks for its players
        side = 0 if fixture.match.player_0.user_id == user.pk else 1
        found.append(Mine(line, line.names[1 - side], side))
    return found


def my_entries(tournament: Tournament, user: Visitor) -> dict[int, Entry]:
    """Division -> one's own entry that stands."""
    if not isinstance(user, User):
        return {}
    own = Entry.objects.filter(division__tournament=tournament, player__user=user).exclude(status=Entry.Status.OUT)
    return {entry.division_id: entry for entry in own}


def event_home(user: Visitor, tournament: Tournament, now: datetime) -> dict[str, Any]:
    """The home of an event."""
    role = people.role_in(user, tournament.club)
    staff = people.is_at_least(role, Role.ASSISTANT)
    divisions = divisions_of(tournament)
    winners = champions(user, [counted.division for counted in divisions])
    own = my_entries(tournament, user)
    directs = people.is_at_least(role, Role.DIRECTOR)
    rounds = names_of_rounds(tournament)
    lines = [meeting(fixture, rounds, staff) for fixture in open_fixtures(tournament)[:NEXT_SHOWN]]
    return {
        "tournament": tournament,
        "club": tournament.club,
        "role": role,
        "staff": staff,
        "may_direct": directs,
        "next_season": directs and tournament.status == Tournament.Status.FINISHED and has_league(tournament),
        "divisions": [
            (
                counted,
                own.get(counted.division.pk),
                can_register(counted.division, now),
                winners.get(counted.division.pk, ""),
            )
            for counted in divisions
        ],
        "several": len(divisions) > 1,
        "live": [line for line in lines if line.state != "ready"],
        "next": [line for line in lines if line.state == "ready"],
        "more": open_fixtures(tournament).count() - len(lines) if len(lines) == NEXT_SHOWN else 0,
        "mine": my_matches(tournament, rounds, user),
        "my_player": my_player(user),
        "entered": sum(counted.entered for counted in divisions),
    }


def has_league(tournament: Tournament) -> bool:
    """Whether a next season can follow."""
    return Stage.objects.filter(division__tournament=tournament, format=Stage.Format.LEAGUE).exists()


def can_register(division: Division, now: datetime) -> bool:
    """Whether players may enter themselves just now."""
    open_ = division.self_registration and division.status == Division.Status.ENTRIES
    in_time = division.closes_at is None or now < division.closes_at
    return open_ and in_time and division.tournament.status in ("published", "running")


def my_player(user: Visitor) -> Player | None:
    """The player behind the account."""
    return Player.objects.filter(user=user).first() if isinstance(user, User) else None


def find_player(tournament: Tournament, text: str, staff: bool) -> list[tuple[Entry, Division]]:
    """Entries of an event whose name has this in it."""
    key = fold(text)
    found = (
        Entry.objects.filter(division__tournament=tournament, player__name_key__contains=key)
        .exclude(status=Entry.Status.OUT)
        .select_related("player", "division")
        .order_by("division__order", "player__name_key")
    )
    if not staff:
        found = found.filter(player__initials_only=False, player__erased_at=None)
    return [(entry, entry.division) for entry in found[:50]] if key else []


def club_events(user: Visitor, club: Club, most: int = 10) -> Sequence[Tournament]:
    """The newest events of a club."""
    return list(listed(user, club.slug).order_by("-starts_at")[:most])
