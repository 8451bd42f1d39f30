"""The demonstration club: people, a finished event, and running ones with open, disputed and rejected reports."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from engine.simulation import play_out
from engine.transcript import Transcript
from matches.models import Match, RatingPool, Submission
from matches.ratings import services as ratings
from matches.records.submissions import RecordFile
from matches.reporting.records import adjudicate_submission, submit_for_match
from matches.reporting.reports import ScoreReport, confirm, report_score
from players.accounts.services import ensure_player, register_user, verify_email
from players.actors import Actor
from players.clubs.services import add_player, create_club, set_role
from players.models import Club, Membership, Player, User
from players.people.services import find_or_add_players, remember_alias
from tournaments.demo.cast import ACCOUNTS, ASSISTANT, DIRECTOR, NICKNAMES, PLAYERS
from tournaments.demo.records import DIALECTS, Record, with_an_illegal_play, written
from tournaments.demo.weekend import load_weekend
from tournaments.demo.weekend_floor import load_floor
from tournaments.draws.services import draws
from tournaments.entries.services import entries
from tournaments.events.services import events
from tournaments.models import Division, Fixture
from tournaments.state.settle import settle_division
from tournaments.state.stages import first_stage

SLUG = "harbour"
ZONE = "Europe/Copenhagen"
LENGTH = 5


class Login(NamedTuple):
    """An account that can sign in, and its role."""

    email: str
    role: str


def is_loaded() -> bool:
    """Whether the club exists already."""
    return Club.objects.filter(slug=SLUG).exists()


def accounts() -> QuerySet[User]:
    """The accounts of the demo that are in its club; none if that is another club with the same slug."""
    emails = [email_of(name) for name in ACCOUNTS]
    return User.objects.filter(email__in=emails, player__memberships__club__slug=SLUG)


def director() -> User | None:
    """Return the account that owns and directs the club; None without a demo."""
    return accounts().filter(email=email_of("alice")).first()


def email_of(name: str) -> str:
    """Return the e-mail address of one of ACCOUNTS."""
    return f"{name}@example.org"


def logins_file() -> Path:
    """Return the file with the passwords of the demo's accounts."""
    return Path(settings.VAR_DIR) / "demo-logins.txt"


def load(*, password: str, now: datetime) -> list[Login]:
    """Create the club with its events up to `now`, in one transaction, and return the accounts."""
    with transaction.atomic():
        users = {
            name: register_user(email=email_of(name), password=password, display_name=full, time_zone=ZONE, now=now)
            for name, full in ACCOUNTS.items()
        }
        for user in users.values():
            verify_email(user=user, email=user.email, by=Actor.of(user), now=now)
        by = Actor.of(users["alice"])
        club = create_club(name="Harbour Backgammon", slug=SLUG, city="Copenhagen", time_zone=ZONE, by=by)
        people = _create_people(club, users, by)
        _finished_event(club, people, by, now)
        _running_event(club, people, users, by, now)
        assistant = Actor.of(next(user for name, user in users.items() if ACCOUNTS[name] == ASSISTANT))
        weekend = load_weekend(club, [people[name] for name in PLAYERS], by, now, assistant=assistant)
        load_floor(weekend, by, now)
    for pool in RatingPool.objects.all():
        ratings.replay_pool(pool_id=pool.pk, now=now)
    roles = {"alice": "owner and director", "erik": "assistant"}
    return [Login(email_of(name), roles.get(name, "player")) for name in ACCOUNTS]


def _create_people(club: Club, users: dict[str, User], by: Actor) -> dict[str, Player]:
    """Create all players, those with accounts first, and return them by name."""
    people = {ACCOUNTS[name]: ensure_player(user=user, by=by) for name, user in users.items()}
    for name, player in people.items():
        if name != DIRECTOR:
            membership = add_player(club=club, player=player, by=by)
            if name == ASSISTANT:
                set_role(membership=membership, role=Membership.Role.ASSISTANT, by=by)
    others = [name for name in PLAYERS if name not in people]
    for match in find_or_add_players(club=club, names=others, by=by):
        assert match.player is not None  # noqa: S101, every name is new to the club
        people[match.name] = match.player
    for name, nickname in NICKNAMES.items():
        remember_alias(player=people[name], name=nickname, by=by)
    return people


def _create_drawn_division(
    club: Club, name: str, players: list[Player], by: Actor, starts: datetime, deadlines: list[datetime]
) -> Division:
    """Create an event with one division and publish its draw."""
    tournament = events.create_tournament(
        club=club, by=by, now=starts, name=name, starts_at=starts, venue="Café Havnen, back room"
    )
    division = events.create_division(
        tournament=tournament, by=by, now=starts, name="Open", match_length=LENGTH, fee=2, deadline_rule="extend"
    )
    entries.enter(division=division, players=players, by=by, now=starts)
    events.publish_tournament(tournament=tournament, by=by, now=starts)
    stage = first_stage(division)
    stage.settings = {"deadlines": [instant.isoformat() for instant in deadlines]}
    stage.save(update_fields=["settings"])
    draw = draws.request_draw(division=division, by=by, now=starts)
    draws.make_draft(draw_id=draw.pk, now=starts)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=by, now=starts)
    return division


def _ready_matches(division: Division) -> list[Match]:
    """Return the matches that can be played now, by number."""
    rows = Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY).select_related(
        "match__player_0", "match__player_1"
    )
    return [
        row.match for row in rows.order_by("number") if row.match is not None and row.match.state == Match.State.OPEN
    ]


def simulate(seed: int, match: Match) -> Transcript:
    """Play the match with the engine's simple players."""
    return play_out(seed, match.length, players=_names(match, seed))


def _names(match: Match, seed: int) -> tuple[str, str]:
    """Return the names as a record has them: nicknames, and sometimes swapped sides."""
    left, right = (NICKNAMES.get(player.name, player.name) for player in match.players)
    return (left, right) if seed % 3 else (right, left)


def _send_record(division: Division, match: Match, seed: int, by: Actor, now: datetime) -> None:
    """Submit the record of a match; the format of the file depends on `seed`."""
    dialect = DIALECTS[seed % len(DIALECTS)]
    _submit(division, match, written(simulate(seed, match), dialect, f"match-{seed}"), by, now)


def _submit(division: Division, match: Match, record: Record, by: Actor, now: datetime) -> None:
    """Submit a record, adjudicate it as a worker would, and let the other player confirm it."""
    submitted = submit_for_match(
        match=match,
        side=0,
        file=RecordFile(record.data, Submission.Source.UPLOAD, record.file_name),
        by=by,
        now=now,
    )
    adjudicate_submission(submission_id=submitted.submission.pk, now=now)
    match.refresh_from_db()
    if match.state == Match.State.CLAIMED:
        confirm(match=match, side=1, by=Actor.link(1), now=now)
    settle_division(division_id=division.pk, now=now)


def _finished_event(club: Club, people: dict[str, Player], by: Actor, now: datetime) -> None:
    """Create an event of 32 players in which every match has a record; the ratings come from it."""
    starts = now - timedelta(days=40)
    players = [people[name] for name in PLAYERS]
    division = _create_drawn_division(club, "Autumn Cup", players, by, starts, [])
    number, at = 100, starts
    while matches := _ready_matches(division):
        for match in matches:
            number, at = number + 1, at + timedelta(hours=3)
            _send_record(division, match, number, by, at)


def _running_event(club: Club, people: dict[str, Player], users: dict[str, User], by: Actor, now: datetime) -> None:
    """Create an event of 16 players with a dispute, a rejected record and a deadline that is near."""
    starts = now - timedelta(days=6)
    deadlines = [now + timedelta(days=days) for days in (1, 8, 15, 22)]
    players = [people[name] for name in PLAYERS[:16]]
    division = _create_drawn_division(club, "Winter Knockout", players, by, starts, deadlines)
    waiting, disputed, rejected, *others = _ready_matches_of_users_first(division, users)
    for number, match in enumerate(others, start=1):
        _send_record(division, match, 200 + number, by, starts + timedelta(hours=20 * number))
    _dispute(disputed, by, now - timedelta(hours=5))
    illegal = with_an_illegal_play(simulate(301, rejected))
    _submit(division, rejected, written(illegal, "gnubg", "kitchen-table"), by, now - timedelta(hours=2))
    first_quarter_final = next(match for match in _ready_matches(division) if match.pk not in (waiting.pk, rejected.pk))
    _send_record(division, first_quarter_final, 302, by, now - timedelta(hours=1))


def _ready_matches_of_users_first(division: Division, users: dict[str, User]) -> list[Match]:
    """Return the first round, matches of people with accounts first; those stay open for visitors to try."""
    ids = {user.pk for user in users.values()}
    return sorted(_ready_matches(division), key=lambda match: -sum(player.user_id in ids for player in match.players))


def _dispute(match: Match, by: Actor, now: datetime) -> None:
    """Let both players report that they have won."""
    report_score(match=match, side=0, report=ScoreReport(0, (5, 3)), by=Actor.link(0), now=now)
    match.refresh_from_db()
    report_score(match=match, side=1, report=ScoreReport(1, (4, 5)), by=Actor.link(1), now=now + timedelta(minutes=7))
