"""The demo club with something in every state, and an account for each role."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from demo import club as demo
from demo.club import FINISHED, PLAYERS, play_share, publish_draw
from engine.actions import Act
from formats.settings import DOUBLE, KNOCKOUT, LEAGUE, LIVES, PROGRESSIVE, ROUND_ROBIN, StageSettings
from matches.lifecycle.finish import ResultInput
from matches.models import ChatMessage, ChatReport, Match, PoolSettings
from matches.play.acting import ActionInput, act
from matches.play.lobby import services as lobby
from matches.play.lobby.services import ChallengeInput
from matches.play.starting import PlaySettings, start
from matches.rankings.imports import apply_import
from matches.ratings.pools import create_pool
from matches.reporting import appointments
from players.accounts.services import register_user
from players.actors import SYSTEM, Actor
from players.models import Club, Membership, Player, User
from players.people.services import invite
from prizes.services import PlanInput, SidePoolInput, save_plan
from prizes.services import create_pool as create_side_pool
from seasons.services import SeriesInput, create_series
from tests.matches.analysis.rows import analysis_of
from tournaments.draws import services as draws
from tournaments.entries import late, reentries, substitutions
from tournaments.entries import services as entries
from tournaments.entries.substitutions import SubstituteInput
from tournaments.events import services as events
from tournaments.events.helpers import accept_helping, add_helper
from tournaments.ledger.shares import Pot
from tournaments.models import Division, Fixture, Tournament
from tournaments.results.services import enter_result
from tournaments.state.stages import set_stages

PASSWORD = "crawford-1969"
Cast = dict[str, User | None]


def load(now: datetime) -> Cast:
    """Load the demo club and the states that it lacks; return who has each role in it."""
    demo.load(password=PASSWORD, now=now)
    club = Club.objects.get(slug=demo.SLUG)
    alice, erik, bob = (User.objects.get(email=f"{name}@example.org") for name in ("alice", "erik", "bob"))
    grete, helga = _account("grete", now), _account("helga", now)
    Membership.objects.create(club=club, player=_player(grete), role=Membership.Role.DIRECTOR)
    weekend = Tournament.objects.get(name="Harbour Weekend")
    for event in (weekend, Tournament.objects.get(name="Winter Knockout")):
        invited = add_helper(tournament=event, email=helga.email, by=SYSTEM, now=now, link=str)
        accept_helping(helper=invited.helper, user=helga, by=Actor.of(helga), now=now)
    _Events(club, (Actor.of(grete), Actor.of(erik)), now).load()
    _offer_prizes(weekend, now)
    _a_season(club, Actor.of(grete), now)
    _play_here(alice, bob, now)
    _analyse_a_match(now)
    _agree_on_a_time(bob, now)
    jens = Player.objects.create(name="Jens")
    invite(membership=Membership.objects.create(club=club, player=jens), by=SYSTEM, now=now, link=str)
    pool = create_pool(club=club, settings=PoolSettings("Ladder"), by=SYSTEM)
    apply_import(pool=pool, kind="starts", text="name,rating\nJens,1600", by=SYSTEM, now=now)
    return {
        "anonymous": None,
        "stranger": _account("dave", now),
        "player": bob,
        "assistant": erik,
        "helper": helga,
        "director": grete,
        "owner": alice,
    }


def _a_season(club: Club, by: Actor, now: datetime) -> None:
    """A season with the events of the last weeks, one of which is over."""
    days = SeriesInput("The season", (now - timedelta(days=50)).date(), (now + timedelta(days=30)).date())
    create_series(club=club, series=days, by=by, now=now)


def _analyse_a_match(now: datetime) -> None:
    """Analyse the record of a match; a player of it, who has an account, lets everybody see how they play."""
    topic = Division.objects.get(tournament__name="Autumn Cup").topic
    has_account = Q(player_0__user__isnull=False) | Q(player_1__user__isnull=False)
    match = Match.objects.filter(has_account, parent_topic=topic, submissions__isnull=False).order_by("pk")[0]
    Player.objects.filter(pk__in=(match.player_0_id, match.player_1_id)).update(
        analysis_visibility=Player.AnalysisVisibility.PUBLIC
    )
    analysis_of(match.submissions.all()[0], match=match, now=now)


def _agree_on_a_time(user: User, now: datetime) -> None:
    """Accept an appointment for an open match of the user."""
    players = Q(player_0__user=user) | Q(player_1__user=user)
    match = Match.objects.filter(players, state=Match.State.OPEN, begun_at=None).order_by("pk")[0]
    times = [(now + timedelta(days=1)).replace(second=0, microsecond=0)]
    offered = appointments.propose(match=match, side=0, offer=appointments.Dates(times), by=SYSTEM, now=now)
    appointments.accept(proposal=offered, side=1, time=times[0], by=SYSTEM, now=now)


def _account(name: str, now: datetime) -> User:
    return register_user(email=f"{name}@example.org", password=PASSWORD, display_name=name.title(), now=now)


def _player(user: User) -> Player:
    return Player.objects.get_or_create(user=user, defaults={"name": user.display_name})[0]


class _Events:
    """The events that the demo club lacks."""

    def __init__(self, club: Club, staff: tuple[Actor, Actor], now: datetime) -> None:
        self.club, self.staff, self.now = club, staff, now
        self.by = staff[0]
        self.players = [Player.objects.get(name=name) for name in PLAYERS]

    def load(self) -> None:
        """Create a draft, a cancelled, a coming, a running and a finished event."""
        self._division(self._event("Spring Open", 30), "Open", 10, KNOCKOUT, fee=2)
        cancelled = self._event("Rained off", -2)
        self._division(cancelled, "Open", 3, KNOCKOUT)
        events.publish_tournament(tournament=cancelled, by=self.by, now=self.now)
        events.cancel_tournament(tournament=cancelled, by=self.by, now=self.now)
        coming = self._event("Next Thursday", 0.1)
        self._division(coming, "Open", 4, PROGRESSIVE, self_registration=True)
        drafted = self._division(coming, "Double", 10, DOUBLE)
        events.publish_tournament(tournament=coming, by=self.by, now=self.now)
        draft = draws.request_draw(division=drafted, by=self.by, now=self.now)
        draws.make_draft(draw_id=draft.pk, now=self.now)
        season = self._event("Last season", -60)
        self._play(self._division(season, "League", 4, LEAGUE), FINISHED)
        self._running()

    def _running(self) -> None:
        evening = self._event("Thursday evening", -0.1)
        self._play(self._division(evening, "Lives", 6, LIVES), 0.5)
        self._play(self._division(evening, "Everybody", 4, ROUND_ROBIN), 0.5)
        for name in ("Online", "Live"):
            here = self._division(evening, name, 2, KNOCKOUT, play_mode="here")
            self._play(here, 0.0)
            match = Match.objects.get(parent_topic=here.topic)
            start(match=match, settings=PlaySettings(server_chains=True), by=SYSTEM, now=self.now)
            if name == "Online":
                act(match=match, side=0, request=ActionInput(Act.CONCEDE, 0), by=SYSTEM, now=self.now)
        until = self.now + timedelta(hours=2)
        knockout = self._division(evening, "Knockout", 12, KNOCKOUT, fee=2, reentry_until=until)
        self._withdraw(knockout, 11)
        self._play(knockout, 0.0)
        self._substitute(knockout)
        first, second, *_others = Fixture.objects.filter(stage__division=knockout, status="ready").order_by("number")
        for fixture in (first, second):
            enter_result(fixture=fixture, result=ResultInput.played((5, 2)), by=SYSTEM, now=self.now)
        loser = knockout.entries.get(player=first.match.player_1)
        reentries.reenter(entry=loser, after=self._seq(knockout), by=SYSTEM, now=self.now)
        late.enter_late(division=knockout, players=self.players[20:21], by=SYSTEM, now=self.now)
        waiting = Fixture.objects.filter(stage__division=knockout, status="ready").order_by("-number")[0]
        entries.withdraw(
            entry=knockout.entries.get(player=waiting.match.player_0, status="in"), by=self.by, now=self.now
        )

    def _substitute(self, division: Division) -> None:
        ready = Fixture.objects.filter(stage__division=division, status="ready").order_by("-number")[0]
        entry = division.entries.get(player=ready.match.player_1)
        substitutions.substitute(
            entry=entry,
            substitute=SubstituteInput("Sub Stitute"),
            after=self._seq(division),
            by=SYSTEM,
            now=self.now,
        )

    def _withdraw(self, division: Division, index: int) -> None:
        entries.withdraw(entry=division.entries.order_by("pk")[index], by=self.by, now=self.now)

    def _seq(self, division: Division) -> int:
        division.refresh_from_db()
        return division.seq

    def _event(self, name: str, days: float) -> Tournament:
        starts = self.now + timedelta(days=days)
        return events.create_tournament(club=self.club, by=self.by, now=self.now, name=name, starts_at=starts, tables=4)

    def _division(self, event: Tournament, name: str, count: int, format_: str, **values: Any) -> Division:
        division = events.create_division(
            tournament=event, by=self.by, now=self.now, name=name, match_length=5, **values
        )
        entries.enter(division=division, players=self.players[:count], by=self.by, now=self.now)
        set_stages(
            division=division, stages=[StageSettings(format_)], after=self._seq(division), by=self.by, now=self.now
        )
        return division

    def _play(self, division: Division, share: float) -> None:
        if division.tournament.status == Tournament.Status.DRAFT:
            events.publish_tournament(tournament=division.tournament, by=self.by, now=self.now)
        publish_draw(division, self.by, self.now)
        if share:
            play_share(division, share, self.players, self.staff, self.now)


def _offer_prizes(event: Tournament, now: datetime) -> None:
    """Publish the prizes of the first division, with a side pool."""
    division = event.divisions.order_by("order", "pk")[0]
    save_plan(division=division, plan=PlanInput([Pot("main", (6000, 4000))]), publish=True, by=SYSTEM, now=now)
    create_side_pool(division=division, pool=SidePoolInput("Jackpot", 5, (10_000,), (("main", 1),)), by=SYSTEM, now=now)


def _play_here(alice: User, bob: User, now: datetime) -> None:
    """Let Bob and Alice play two friendly matches on the site, one of them to its end, and talk."""
    players = [_player(alice), _player(bob)]
    for length in (3, 5):
        wish = ChallengeInput(length, clock="none", rated=True)
        offered = lobby.make_challenge(player=players[1], wish=wish, by=Actor.of(bob), now=now)
        match = lobby.accept(challenge=offered, player=players[0], by=Actor.of(alice), now=now)
        message = ChatMessage.objects.create(match=match, room="players", side=0, user=bob, text="Good luck!")
        if length == 3:
            ChatReport.objects.create(message=message, side=1, user=alice, reason="Rude")
            act(match=match, side=0, request=ActionInput(Act.CONCEDE, 0), by=SYSTEM, now=now)
    lobby.make_challenge(player=players[1], wish=ChallengeInput(7), by=Actor.of(bob), now=now)
