"""The demonstration club: people, a finished event, a weekend, and running events with open reports."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from random import Random
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from PIL import Image, ImageDraw

from demo.analyses import evening_records, load_analyses
from engine.records import write, write_mat
from engine.simulation import play_out
from engine.transcript import Event, Kind, Move, Transcript
from formats.settings import DOUBLE, GROUPS, KNOCKOUT, LEAGUE, PROGRESSIVE, SWISS, StageSettings
from matches.lifecycle.finish import ResultInput
from matches.lifecycle.own_match import OwnMatchRuling, own_match_ruling
from matches.models import Match, RatingPool, Result, Submission
from matches.ratings import services as ratings
from matches.records.submissions import RecordFile
from matches.reporting.records import adjudicate_submission, submit_for_match
from matches.reporting.reports import ScoreReport, confirm, report_score
from players.accounts.services import ensure_player, register_user, update_preferences, verify_email
from players.actors import Actor
from players.clubs.emblems import set_emblem
from players.clubs.services import add_player, create_club, set_role, update_club
from players.models import Club, Membership, Notification, Player, User
from players.people.services import find_or_add_players, remember_alias
from seasons import services as seasons
from seasons.services import SeriesInput
from seasons.tables import season_table as season_standing
from seasons.titles import award_title, proposals_left
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.floor import calls
from tournaments.floor.evening import open_floor
from tournaments.floor.selectors import floor
from tournaments.ledger.accounts import account_of
from tournaments.ledger.payments import PaymentInput, add_float, receive
from tournaments.models import Correction, Division, Draw, Fixture, Series, Tournament
from tournaments.results.corrections import CorrectionInput, apply_correction
from tournaments.results.services import enter_result
from tournaments.state.settle import settle_division
from tournaments.state.stages import first_stage, set_stages

# The players of the demonstration club.


DIRECTOR, ASSISTANT = "Alice Andersen", "Erik Nyström"
ACCOUNTS = {
    "alice": DIRECTOR,
    "erik": ASSISTANT,
    "bob": "Bob Bergmann",
    "carol": "Carol Csonka",
}
"""People with an account, by the local part of their e-mail; the first two run the club."""

PLAYERS = (
    "Bob Bergmann",
    "Carol Csonka",
    DIRECTOR,
    ASSISTANT,
    "Mei Hashimoto",
    "Omar Haddad",
    "Jörg Weißmüller",
    "Zoë Ballard",
    "Γιώργος Παπαδόπουλος",
    "Nino Beridze",
    "Siobhán O’Neill",
    "Luca De Santis",
    "Anaïs Lefèvre",
    "Tomáš Dvořák",
    "山本 健",
    "Fatma Yıldız",
    "Gus Weinberg",
    "Ingrid Solheim",
    "Paweł Wójcik",
    "Rosa Maria del Carmen Fernández-Villaverde y Ortega",
    "Kit Trent",
    "Uma Levermann",
    "Victor Gulyás",
    "Quinn Olsen",
    "Dalia Katz",
    "Samir Nassar",
    "Hana Novák",
    "Ben Wright",
    "Elif Aydın",
    "Mads Kragh",
    "Olga Petrova",
    "Theo Marchetti",
)
"""In order of strength: players further up win a little more often."""

NICKNAMES = {"Bob Bergmann": "bobby_b", "Carol Csonka": "csonka77", "Mei Hashimoto": "mei-go"}
"""Names under which some play on other sites; their records use these."""


# What the club says about itself, and its emblem: a sailing boat.


FACE = {
    "tagline": "Every Tuesday on the quay in Copenhagen since 1987. Beginners welcome.",
    "meets": "Café Havnen, back room\nToldkajen 9, Copenhagen\nTuesdays from 19:00, step-free, metro 4 min",
    "contact": "harbour@example.org",
    "year_fee": "200 kr. a year",
    "colour": Club.Colour.RED,
    "board": Club.Board.FELT,
}


def _emblem() -> bytes:
    """Draw the emblem of the club as a PNG, four times as large as it is kept, so that its edges are smooth."""
    large = Image.new("RGBA", (1024, 1024))
    draw = ImageDraw.Draw(large)
    draw.ellipse((8, 8, 1016, 1016), fill="#f6eedb", outline="#3a2b22", width=36)
    draw.ellipse((104, 104, 920, 920), outline="#c9b88f", width=24)
    draw.polygon(((560, 200), (560, 600), (780, 600)), fill="#25584a")
    draw.polygon(((500, 260), (500, 600), (300, 600)), fill="#a5382f")
    draw.line(((530, 180), (530, 660)), fill="#3a2b22", width=24)
    draw.polygon(((260, 640), (800, 640), (720, 740), (340, 740)), fill="#3a2b22")
    for left in range(220, 800, 146):
        draw.arc((left, 730, left + 146, 850), 0, 180, fill="#1f5fbf", width=28)
    file = BytesIO()
    large.resize((384, 384)).save(file, "PNG")
    return file.getvalue()


# Match records as other programs write them, and one with an illegal play.


DIALECTS = ("gnubg", "xg", "galaxy", "studio", "xg-text", "sgf", "canonical", "json")


class DemoRecord(NamedTuple):
    file_name: str
    data: bytes


def written(transcript: Transcript, dialect: str, stem: str) -> DemoRecord:
    """Write a transcript to a file in the format of another program."""
    if dialect in ("sgf", "json"):
        return DemoRecord(f"{stem}.{dialect}", write(transcript, dialect))
    return DemoRecord(f"{stem}.{'txt' if dialect != 'gnubg' else 'mat'}", write_mat(transcript, dialect))


def with_an_illegal_play(transcript: Transcript) -> Transcript:
    """Return the same match with one illegal play, a checker moved 13 points."""
    game = transcript.games[0]
    plays = [index for index, event in enumerate(game.events) if event.kind is Kind.PLAY and event.moves]
    illegal = plays[len(plays) // 2]
    events = tuple(_make_illegal(event) if index == illegal else event for index, event in enumerate(game.events))
    return replace(transcript, games=(replace(game, events=events), *transcript.games[1:]))


def _make_illegal(event: Event) -> Event:
    assert event.moves  # noqa: S101, only plays with moves are chosen
    first = event.moves[0].points[0]
    return event._replace(moves=(Move((first, max(1, first - 13))), *event.moves[1:]))


# The floor and the cash desk of the demo's weekend: matches at the tables, others called, some players have paid.


SCORES = ((3, 1), (2, 2), (0, 4), None)
"""Running scores of the matches at the first tables; the last one has just begun."""
CALLED = len(SCORES) + 1
"""How many matches are called; the last one has not started."""
FLOAT = 40
PAID = 6


def load_floor(tournament: Tournament, by: Actor, now: datetime) -> None:
    """Open the floor of the event, call and start matches, and take some fees."""
    opened_at = now - timedelta(minutes=45)
    open_floor(tournament=tournament, by=by, now=opened_at)
    calls.take_out_of_use(
        table=tournament.floor_tables.order_by("-order")[0], reason="Lamp broken", by=by, now=opened_at
    )
    for number in range(CALLED):
        at = opened_at + timedelta(minutes=10 * number)
        suggestions = floor(tournament, at).state.suggestions
        if not suggestions:
            break
        fixture = Fixture.objects.select_related("stage__division").get(pk=suggestions[0].fixture)
        calls.call(fixture=fixture, by=by, now=at)
        if number < len(SCORES):
            calls.start(fixture=fixture, by=by, now=at + timedelta(minutes=2))
            score = SCORES[number]
            if score is not None:
                calls.set_running_score(fixture=fixture, score=score, by=by, now=now - timedelta(minutes=3))
    _take_fees(tournament, by, opened_at)


def _take_fees(tournament: Tournament, by: Actor, now: datetime) -> None:
    """Put a float into the box, and take the fees of the players who came first."""
    add_float(tournament=tournament, payment=PaymentInput(FLOAT, "demo-float"), by=by, now=now)
    players = Player.objects.filter(pk__in=tournament.divisions.values("entries__player")).order_by("pk")
    for player in players[:PAID]:
        owed = sum(max(0, line.owes) for line in account_of(tournament, player).lines)
        receive(tournament=tournament, player=player, payment=PaymentInput(owed, f"demo-{player.pk}"), by=by, now=now)


# A club weekend: an event with a division of every format, each at a different stage of play.


TABLES = 8
STRONGER_WINS = 0.65
FINISHED = 1.0
OWN_MATCH_REASON = "Both players have signed the score sheet."
Staff = tuple[Actor, Actor]
"""The director and the assistant."""
WEEKEND: Sequence[tuple[str, int, int, Sequence[StageSettings], float]] = (
    ("Championship", 13, 7, (StageSettings(PROGRESSIVE, last_chance="", lower_lengths=(5,), last_lengths=(3,)),), 0.6),
    ("Double trouble", 8, 5, (StageSettings(DOUBLE, second_final=True),), FINISHED),
    ("Swiss", 12, 5, (StageSettings(SWISS, rounds=5),), 0.5),
    ("Groups", 9, 5, (StageSettings(GROUPS, groups=3, qualifiers=2), StageSettings(KNOCKOUT)), 0.7),
    ("League", 6, 7, (StageSettings(LEAGUE),), 0.5),
    ("Sunday speedgammon", 7, 3, (StageSettings(PROGRESSIVE),), 0.0),
)
"""Name, players, match length, stages, and the share that is played; the last division has no draw yet."""


def load_weekend(club: Club, players: Sequence[Player], by: Actor, now: datetime, *, assistant: Actor) -> Tournament:
    """Create the event and play its share of each division.

    The assistant enters the results of matches that `by` plays in.
    """
    starts = now - timedelta(hours=9)
    tournament = events.create_tournament(
        club=club, by=by, now=starts, name="Harbour Weekend", starts_at=starts, venue="Café Havnen", tables=TABLES
    )
    for name, count, length, stages, share in WEEKEND:
        division = events.create_division(
            tournament=tournament, by=by, now=starts, name=name, match_length=length, fee=2
        )
        entries.enter(division=division, players=players[:count], by=by, now=starts)
        division.refresh_from_db()
        set_stages(division=division, stages=stages, after=division.seq, by=by, now=starts)
        if tournament.status == Tournament.Status.DRAFT:
            events.publish_tournament(tournament=tournament, by=by, now=starts)
            tournament.refresh_from_db()
        if share:
            publish_draw(division, by, starts)
            play_share(division, share, players, (by, assistant), starts)
        if share == FINISHED:
            _correct(division, (by, assistant), now - timedelta(minutes=30))
    return tournament


def publish_draw(division: Division, by: Actor, now: datetime) -> None:
    draw = draws.request_draw(division=division, by=by, now=now)
    draws.make_draft(draw_id=draw.pk, now=now)
    division.refresh_from_db()
    draws.publish_draw(division=division, after=division.seq, by=by, now=now)


def play_share(division: Division, share: float, players: Sequence[Player], staff: Staff, at: datetime) -> None:
    """Enter results until `share` of the matches are played; draws of later rounds are published as they fall due."""
    chance = Random(division.name)  # noqa: S311, invented results
    strength = {player.pk: rank for rank, player in enumerate(players)}
    entered = 0
    while True:
        for draw in Draw.objects.filter(stage__division=division, state=Draw.State.REQUESTED):
            draws.make_draft(draw_id=draw.pk, now=at)
            division.refresh_from_db()
            draws.publish_draw(division=division, after=division.seq, by=staff[0], now=at)
        open_ = Fixture.objects.filter(stage__division=division, status=Fixture.Status.READY)
        first = open_.select_related("stage", "match").order_by("round__number", "number").first()
        count = _planned_matches(division)
        if first is None or first.match is None or entered >= share * count:
            return
        at, entered = at + timedelta(minutes=4), entered + 1
        stronger = 0 if strength[first.match.player_0_id] < strength[first.match.player_1_id] else 1
        winner = stronger if chance.random() < STRONGER_WINS else 1 - stronger
        lost = chance.randrange(first.match.length)
        score = (first.match.length, lost) if winner == 0 else (lost, first.match.length)
        by = _impartial_director(first.match, staff)
        enter_result(fixture=first, result=ResultInput(winner, score), by=by, now=at, reason=_reason(first.match, by))


def _impartial_director(match: Match, staff: Staff) -> Actor:
    """Return a director who does not play in the match, or the first if both do."""
    return next(
        (director for director in staff if own_match_ruling(match, director) == OwnMatchRuling.IMPARTIAL), staff[0]
    )


def _reason(match: Match, by: Actor) -> str:
    """Return the reason for deciding one's own match; empty if it is not one's own."""
    return "" if own_match_ruling(match, by) == OwnMatchRuling.IMPARTIAL else OWN_MATCH_REASON


def _correct(division: Division, staff: Staff, now: datetime) -> None:
    """Swap the points of the first result, which was misread, after everyone has played on; the bracket is kept."""
    first = Fixture.objects.filter(stage__division=division).select_related("stage", "match").order_by("number")[0]
    assert first.match is not None  # noqa: S101, it was played
    standing = Result.objects.get(match=first.match)
    assert standing.score is not None  # noqa: S101, it was played
    division.refresh_from_db()
    correction = CorrectionInput(
        ResultInput.played(standing.score[::-1]), Correction.Choice.KEEP_BRACKET, reason="The points had been swapped."
    )
    by = _impartial_director(first.match, staff)
    apply_correction(fixture=first, correction=correction, after=division.seq, by=by, now=now)


def _planned_matches(division: Division) -> int:
    """Return the number of planned matches, including rounds that are not paired yet."""
    fixtures = Fixture.objects.filter(stage__division=division)
    planned = fixtures.exclude(status__in=[Fixture.Status.BYE, Fixture.Status.EMPTY]).count()
    stage = division.stages.order_by("number")[0]
    if stage.format != SWISS:
        return planned
    in_round = fixtures.filter(round__number=1).count()
    return in_round * int(stage.settings["rounds"])


# The demonstration club: people, a finished event, and running ones with open, disputed and rejected reports.


SLUG = "harbour"
ZONE = "Europe/Copenhagen"
LENGTH = 5


def is_loaded() -> bool:
    return Club.objects.filter(slug=SLUG).exists()


def accounts() -> QuerySet[User]:
    """The accounts of the demo that are in its club; none if that is another club with the same slug."""
    emails = [email_of(name) for name in ACCOUNTS]
    return User.objects.filter(email__in=emails, player__memberships__club__slug=SLUG)


def director() -> User | None:
    """Return the account that owns and directs the club; None without a demo."""
    return accounts().filter(email=email_of("alice")).first()


def email_of(name: str) -> str:
    return f"{name}@example.org"


def logins_file() -> Path:
    """Return the file with the passwords of the demo's accounts."""
    return Path(settings.VAR_DIR) / "demo-logins.txt"


def load(*, password: str, now: datetime, with_year: bool = False, language: str = "") -> list[tuple[str, str]]:
    """Create the club with its events up to `now`, in one transaction; return each account's address and role.

    `language` is that of its wall and paper, and of its pages for readers who want none in particular.

    With its year, it has two seasons and finished analyses, and takes some seconds longer.
    """
    with transaction.atomic():
        users = {
            name: register_user(email=email_of(name), password=password, display_name=full, time_zone=ZONE, now=now)
            for name, full in ACCOUNTS.items()
        }
        for user in users.values():
            verify_email(user=user, email=user.email, by=Actor.of(user), now=now)
        by = Actor.of(users["alice"])
        name, city = "Harbour Backgammon", "Copenhagen"
        club = create_club(name=name, slug=SLUG, city=city, time_zone=ZONE, language=language, by=by, accepted=True)
        set_emblem(club=update_club(club=club, by=by, **FACE), data=_emblem(), by=by)
        people = _create_people(club, users, by)
        _finished_event(club, people, by, now)
        _running_event(club, people, users, by, now)
        assistant = Actor.of(next(user for name, user in users.items() if ACCOUNTS[name] == ASSISTANT))
        weekend = load_weekend(club, [people[name] for name in PLAYERS], by, now, assistant=assistant)
        load_floor(weekend, by, now)
        if with_year:
            load_year(club, [people[name] for name in PLAYERS], (by, assistant), now)
        _next_evening(club, [people[name] for name in PLAYERS[2:16]], by, now)
        for user in users.values():
            update_preferences(user=user, analysis_visibility=Player.AnalysisVisibility.PUBLIC, by=Actor.of(user))
        if with_year:
            load_analyses(club)
    for pool in RatingPool.objects.all():
        ratings.replay_pool(pool_id=pool.pk, now=now)
    roles = {"alice": "owner and director", "erik": "assistant"}
    return [(email_of(name), roles.get(name, "player")) for name in ACCOUNTS]


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


def _send_record(
    division: Division, match: Match, seed: int, by: Actor, now: datetime, played: Transcript | None = None
) -> None:
    """Submit the record of a match, a simulated one in a format that depends on `seed`, unless it is `played`."""
    dialect = DIALECTS[seed % len(DIALECTS)] if played is None else "canonical"
    transcript = simulate(seed, match) if played is None else replace(played, players=_names(match, seed))
    _submit(division, match, written(transcript, dialect, f"match-{seed}"), by, now)


def _submit(division: Division, match: Match, record: DemoRecord, by: Actor, now: datetime) -> None:
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
    """Create an event of 32 players with a record for every match; the ratings come from it."""
    starts = now - timedelta(days=40)
    players = [people[name] for name in PLAYERS]
    division = _create_drawn_division(club, "Autumn Cup", players, by, starts, [])
    number, at = 100, starts
    while matches := _ready_matches(division):
        for match in matches:
            number, at = number + 1, at + timedelta(hours=3)
            _send_record(division, match, number, by, at)


def _next_evening(club: Club, players: list[Player], by: Actor, now: datetime) -> None:
    """Create the next club night, which players enter themselves: on Tuesday at half past seven."""
    today = now.astimezone(ZoneInfo(ZONE))
    day = today + timedelta(days=(1 - today.weekday()) % 7 or 7)
    starts = day.replace(hour=19, minute=30, second=0, microsecond=0)
    event = events.create_tournament(
        club=club, by=by, now=now, name=CLUB_NIGHT, starts_at=starts, ends_at=starts + timedelta(hours=3.5),
        venue="Café Havnen, back room", tables=11,
    )  # fmt: skip
    division = events.create_division(
        tournament=event, by=by, now=now, name="Open", match_length=LENGTH, fee=2, self_registration=True
    )
    entries.enter(division=division, players=players, by=by, now=now)
    events.publish_tournament(tournament=event, by=by, now=now)


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


# The Tuesdays of a year: a season with its final, which is closed and awarded, and the one that is on.


TUESDAYS = 24
"""Of the year of the club."""
CLOSED = 12
"""Evenings of the closed season; its final is a week later, and the other season begins after that."""
QUALIFY = 8
CLUB_NIGHT = "Tuesday Club Night"
SEASONS = ("Winter", "Spring", "Summer", "Autumn")


def load_year(club: Club, players: Sequence[Player], staff: Staff, now: datetime) -> None:
    """Play 24 Tuesdays: a season with its final, which is closed and whose winners have titles, and one that is on.

    Of the last one there are records.
    """
    known = Notification.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    today = now.astimezone(ZoneInfo(ZONE))
    last = (today - timedelta(days=(today.weekday() - 1) % 7 or 7)).replace(hour=19, minute=30, second=0, microsecond=0)
    tuesdays = [last - timedelta(weeks=weeks) for weeks in reversed(range(TUESDAYS))]
    first, final, second = tuesdays[:CLOSED], tuesdays[CLOSED], tuesdays[CLOSED + 1 :]
    for day in first:
        _play_tuesday(club, players, staff, day)
    before = _season(club, staff[0], first[0], final - timedelta(days=1))
    _play_final(before, players, staff, final)
    for day in second[:-1]:
        _play_tuesday(club, players, staff, day)
    _play_last_tuesday(club, players, staff, last)
    _season(club, staff[0], second[0], last + timedelta(weeks=3))
    # They are months old.
    Notification.objects.filter(pk__gt=known).update(read_at=now)


def _season(club: Club, by: Actor, first: datetime, last: datetime) -> Series:
    middle = first + (last - first) / 2
    name = f"{SEASONS[middle.month % 12 // 3]} Tuesdays {middle.year}"
    days = SeriesInput(name, first.date(), last.date(), "usual")
    season = seasons.create_series(club=club, series=days, by=by, now=first)
    for other in season.counted.exclude(tournament__name=CLUB_NIGHT).select_related("tournament"):
        seasons.leave_out(series=season, event=other.tournament, by=by)
    season.refresh_from_db()
    return season


def _play_tuesday(club: Club, players: Sequence[Player], staff: Staff, day: datetime) -> None:
    chance = Random(f"{day:%U}")  # noqa: S311, invented evenings
    came = sorted(chance.sample(range(16), chance.randint(7, 10)))
    event = _tuesday(club, CLUB_NIGHT, [players[index] for index in came], staff, day, KNOCKOUT)
    play_share(event.divisions.get(), FINISHED, players, staff, day)


def _play_last_tuesday(club: Club, players: Sequence[Player], staff: Staff, day: datetime) -> None:
    """Play it with records, so that whoever has an account can read in the morning how they played."""
    event = _tuesday(club, CLUB_NIGHT, [*players[: len(ACCOUNTS)], *players[5:9]], staff, day, KNOCKOUT)
    division, records, number = event.divisions.get(), iter(evening_records()), 400
    while matches := _ready_matches(division):
        for match in matches:
            number, day = number + 1, day + timedelta(minutes=25)
            _send_record(division, match, number, staff[0], day, next(records))


def _play_final(season: Series, players: Sequence[Player], staff: Staff, day: datetime) -> None:
    """Play the final of the first eight, close the season and award its title."""
    ranked = [row.player for row in season_standing(season).season.rows if row.rank is not None][:QUALIFY]
    finalists = sorted(Player.objects.filter(public_id__in=ranked), key=lambda player: ranked.index(player.public_id))
    event = _tuesday(season.club, f"Final of the {season.name}", finalists, staff, day, KNOCKOUT)
    play_share(event.divisions.get(), FINISHED, players, staff, day)
    Series.objects.filter(pk=season.pk).update(final=event)
    season.refresh_from_db()
    seasons.close_series(series=season, after=season.seq, by=staff[0], now=day + timedelta(hours=4))
    for proposal in proposals_left(season):
        kind, player = proposal.kind, proposal.player
        award_title(club=season.club, kind=kind, player=player, of=season, by=staff[0], now=day + timedelta(hours=4))


def _tuesday(
    club: Club, name: str, came: Sequence[Player], staff: Staff, day: datetime, format_name: str
) -> Tournament:
    by = staff[0]
    event = events.create_tournament(
        club=club, by=by, now=day, name=name, starts_at=day, ends_at=day + timedelta(hours=3.5),
        venue="Café Havnen, back room",
    )  # fmt: skip
    division = events.create_division(tournament=event, by=by, now=day, name="Open", match_length=LENGTH)
    entries.enter(division=division, players=came, by=by, now=day)
    division.refresh_from_db()
    set_stages(division=division, stages=[StageSettings(format_name)], after=division.seq, by=by, now=day)
    events.publish_tournament(tournament=event, by=by, now=day)
    publish_draw(division, by, day)
    return event
