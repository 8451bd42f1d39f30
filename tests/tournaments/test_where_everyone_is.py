"""Every page, e-mail and endpoint says the same of where each match is, whatever happens on an evening.

Two divisions share tables and players; in a third, matches are played here with a delay for spectators. After every
step, what spectators, players and staff are told is compared with what was done.
"""

import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from html import unescape
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from engine.actions import Act
from engine.errors import Refused
from matches.lifecycle.finish import ResultInput
from matches.models import CalendarFeed, LiveMatch, Match, PlayMode
from matches.play.acting import ActionInput, act
from matches.play.directing import Ruling, rule
from matches.play.live import EventKind
from matches.play.starting import PlaySettings, commit_chain, start
from matches.reporting import calendars, reports
from matches.reporting.reports import ScoreReport
from players.actors import Actor
from players.models import Club, Membership, Notification, Player, User
from players.notifications.kinds import kind_of
from tests.event_cast import club
from tests.integrity import differences_left
from tests.pages import html
from tests.tiers import TEST_SEED, TIER, TIER_NAME
from tests.tournaments.support.played_stages import STAGES
from tournaments.draws import services as draws
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.floor import calls, evening, undo
from tournaments.floor.notifications import CALLED
from tournaments.models import Division, Fixture, Floor, FloorEvent, Table, Tournament
from tournaments.results import corrections
from tournaments.results import services as results
from tournaments.results.corrections import CorrectionInput
from tournaments.standings import context
from tournaments.state.preview import Choice
from tournaments.state.stages import set_stages

__all__ = ["club"]
pytestmark = pytest.mark.django_db

FIRST_CALLS = 2
LABELS = ("11", "12", "13", "14")
"""No board of a round has such a number."""
AT_TABLES = ("Bob", "Carol", "Erik", "Frida Bergmann", "Gus", "Hana")
AT_BOARDS = ("Ines", "Jan", "Kim", "Lea")
HIDDEN = "Bergmann"
DELAY = 10
"""Minutes. Nothing happens here within two minutes of it, so that it does not end while pages are read."""
AT_TABLE = ("called", "playing", "reported", "disputed")
IN_PLAY = ("playing", "here")
WORDS = {"called": "Called to table {}", "playing": "Playing at table {}", "without": "Being played", "here": "Live",
         "adjourned": "Adjourned", "reported": "Reported", "disputed": "Disputed"}  # fmt: skip
TILES = {"called": "Called", "playing": "Playing", "reported": "Reported", "disputed": "Reported"}
Score = tuple[int, int]


@dataclass
class Known:
    """What was done with a match."""

    state: str = "ready"
    table: str = ""
    score: Score | None = None
    public_score: Score | None = None
    """What spectators may know of the score of a match that is played here."""

    @property
    def label(self) -> str:
        is_without = self.state == "playing" and not self.table
        return WORDS["without" if is_without else self.state].format(self.table)

    @property
    def text(self) -> str:
        """As lists show it to spectators."""
        score = self.public_score if self.state == "here" else self.score
        is_shown = score is not None and self.state in ("playing", "here", "adjourned")
        return f"{self.label}, {score[0]}–{score[1]}" if is_shown and score is not None else self.label


READY = Known()


@dataclass
class Evening:
    """Alice's event, and what was done at it."""

    club: Club
    alice: User
    chance: Random
    began: datetime = field(default_factory=timezone.now)
    known: dict[int, Known] = field(default_factory=dict)
    steps: int = 0
    visitor: Client = field(default_factory=Client)

    def __post_init__(self) -> None:
        self.now = self.began - timedelta(minutes=60)
        self.by = Actor.of(self.alice)
        self.staff = Client()
        self.staff.force_login(self.alice)
        self.event = events.create_tournament(
            club=self.club, name="Winter Open", starts_at=self.now, tables=len(LABELS), **self.acts
        )
        at_tables, at_boards = self._players(AT_TABLES), self._players(AT_BOARDS)
        Player.objects.filter(name__contains=HIDDEN).update(initials_only=True)
        self.divisions = [
            self._drawn("Open", "knockout", at_tables),
            self._drawn("Rounds", "swiss", at_tables),
            self._drawn("Online", "knockout", at_boards, play_mode=PlayMode.HERE),
        ]
        self.event.refresh_from_db()
        evening.open_floor(tournament=self.event, **self.acts)
        Floor.objects.update(rest_minutes=0)
        for table, label in zip(Table.objects.order_by("order"), LABELS, strict=True):
            Table.objects.filter(pk=table.pk).update(label=label)
        for number, delay in ((1, DELAY), (2, None)):
            self._open_board(self.fixture(self.divisions[2], number), delay)
        Match.objects.filter(parent_topic=self.divisions[1].topic).update(due_at=self.began + timedelta(days=2))

    @property
    def acts(self) -> dict[str, Any]:
        return {"by": self.by, "now": self.now}

    def _players(self, names: tuple[str, ...]) -> list[Player]:
        for number, name in enumerate(names):
            user = User.objects.create(email=f"{name[:3].lower()}{number}@example.org", display_name=name)
            player = Player.objects.create(name=name, user=user)
            Membership.objects.create(club=self.club, player=player)
        return list(Player.objects.filter(name__in=names).order_by("pk"))

    def _drawn(self, name: str, stages: str, players: list[Player], **settings: Any) -> Division:
        event = Tournament.objects.get(pk=self.event.pk)
        division = events.create_division(tournament=event, name=name, match_length=7, **settings, **self.acts)
        entries.enter(division=division, players=players, **self.acts)
        division.refresh_from_db()
        set_stages(division=division, stages=STAGES[stages], after=division.seq, **self.acts)
        if event.status == Tournament.Status.DRAFT:
            events.publish_tournament(tournament=event, **self.acts)
        draw = draws.request_draw(division=division, **self.acts)
        draws.make_draft(draw_id=draw.pk, now=self.now)
        division.refresh_from_db()
        draws.publish_draw(division=division, after=division.seq, **self.acts)
        division.refresh_from_db()
        return division

    def _open_board(self, fixture: Fixture, delay: int | None) -> None:
        assert fixture.match is not None
        start(match=fixture.match, settings=PlaySettings(server_chains=True, spectators_delay=delay), **self.acts)
        for side in (0, 1):
            commit_chain(match=fixture.match, side=side, anchor="", **self.acts)
        self._begin_game(fixture.match)
        shown = (0, 0) if delay is not None else None
        self.known[fixture.match.pk] = Known("here", score=(0, 0), public_score=shown)

    def _begin_game(self, match: Match) -> None:
        for side in (0, 1):
            ready = ActionInput(EventKind.READY, LiveMatch.objects.get(pk=match.pk).last)
            act(match=match, side=side, request=ready, **self.acts)

    def fixture(self, division: Division, number: int) -> Fixture:
        rows = Fixture.objects.filter(stage__division=division, match__isnull=False).select_related("match")
        return rows.order_by("number")[number - 1]

    # What happens

    def step(self, total: int) -> None:
        """Something happens, first before the delay of the matches that are played here, then after it."""
        self.steps += 1
        before = timedelta(minutes=40 - 27 * self.steps / (total / 2 + 1))
        after = timedelta(minutes=7 - 6 * (self.steps - total / 2) / (total / 2 + 1))
        self.is_late = self.steps > total // 2
        self.now = self.began - (after if self.is_late else before)
        self.before = deepcopy(self.known)
        happened = self.steps == total // 2 + 1 and self.score_here()
        while not happened:
            actions = {self.call: 1} if self.steps <= FIRST_CALLS else self.actions
            [action] = self.chance.choices(list(actions), list(actions.values()))
            try:
                happened = action()
            except Refused:
                self.known = deepcopy(self.before)

    @property
    def actions(self) -> dict[Callable[[], bool], int]:
        """What can happen, and how often."""
        return {
            self.call: 4, self.start: 2, self.score: 4, self.move: 2, self.free: 1, self.adjourn: 2, self.let_go_on: 2,
            self.undo: 1, self.pause: 1, self.report: 3, self.result: 2, self.correct: 2, self.score_here: 1,
        }  # fmt: skip

    def pick(self, *states: str) -> tuple[Fixture, Match, Known] | None:
        """A match at the tables in one of these states."""
        rows = Fixture.objects.filter(stage__division__in=self.divisions[:2], match__isnull=False)
        rows = rows.exclude(match__state__in=[Match.State.SETTLED, Match.State.VOID])
        fitting = []
        for fixture in rows.select_related("match", "stage__division__tournament").order_by("pk"):
            assert fixture.match is not None
            known = self.known.setdefault(fixture.match.pk, Known())
            if known.state in states:
                fitting.append((fixture, fixture.match, known))
        return self.chance.choice(fitting) if fitting else None

    def _free(self) -> Table | None:
        taken = {known.table for known in self.known.values()}
        return self.chance.choice(list(Table.objects.exclude(label__in=taken)) or [None])  # type: ignore[list-item]

    def call(self) -> bool:
        if (picked := self.pick("ready")) is None or (table := self._free()) is None:
            return False
        calls.call(fixture=picked[0], table=table, **self.acts)
        self._seat(picked[2], "called", table)
        return True

    def _seat(self, known: Known, state: str, table: Table) -> None:
        known.state, known.table = state, table.label

    def start(self) -> bool:
        if (picked := self.pick("called")) is None:
            return False
        calls.start(fixture=picked[0], **self.acts)
        picked[2].state = "playing"
        return True

    def score(self) -> bool:
        if (picked := self.pick("called", "playing")) is None:
            return False
        fixture, _match, known = picked
        score = (self.chance.randrange(7), self.chance.randrange(7))
        side = self.chance.choice([0, 1, None])
        if side is None:
            calls.set_running_score(fixture=fixture, score=score, **self.acts)
        else:
            calls.set_players_score(fixture=fixture, side=side, score=score, by=Actor.link(side), now=self.now)
        known.state, known.score = "playing", score
        return True

    def move(self) -> bool:
        if (picked := self.pick("called", "playing")) is None or (table := self._free()) is None:
            return False
        calls.move(fixture=picked[0], table=table, **self.acts)
        picked[2].table = table.label
        return True

    def free(self) -> bool:
        if (picked := self.pick("called", "playing")) is None or not picked[2].table:
            return False
        known = picked[2]
        calls.free_table(table=Table.objects.get(label=known.table), **self.acts)
        known.table, known.state = "", "ready" if known.state == "called" else known.state
        return True

    def adjourn(self) -> bool:
        if (picked := self.pick("playing")) is None:
            return False
        evening.adjourn(fixture=picked[0], **self.acts)
        known = picked[2]
        known.state, known.table, known.score = "adjourned", "", known.score or (0, 0)
        return True

    def let_go_on(self) -> bool:
        if (picked := self.pick("adjourned")) is None:
            return False
        evening.let_go_on(fixture=picked[0], **self.acts)
        picked[2].state = "playing"
        return True

    def undo(self) -> bool:
        """Take back the call that was made just before."""
        if not self.call():
            return False
        last = undo.last_act(self.event, self.by)
        assert last is not None
        assert isinstance(last.fact, FloorEvent)
        undo.undo(tournament=self.event, act=last, **self.acts)
        for known in self.known.values():
            if last.fact.table is not None and known.table == last.fact.table.label:
                known.state, known.table = "ready", ""
        return True

    def pause(self) -> bool:
        evening.pause(tournament=self.event, until=None, **self.acts)
        if self.chance.randrange(2):
            evening.resume(tournament=self.event, **self.acts)
        return True

    def report(self) -> bool:
        """The winner of a match reports it, and sometimes the other player contests that."""
        if (picked := self.pick("called", "playing")) is None:
            return False
        _fixture, match, known = picked
        reports.report_score(match=match, side=0, report=ScoreReport(0, (7, 5)), by=Actor.link(0), now=self.now)
        known.state = "reported"
        if self.chance.randrange(2):
            reports.contest(match=match, side=1, by=Actor.link(1), now=self.now)
            known.state = "disputed"
        return True

    def result(self) -> bool:
        if (picked := self.pick("called", "playing", "reported")) is None:
            return False
        results.enter_result(fixture=picked[0], result=ResultInput.played((3, 7)), **self.acts)
        del self.known[picked[1].pk]
        return True

    def correct(self) -> bool:
        rows = Fixture.objects.filter(stage__division__in=self.divisions[:2], match__state=Match.State.SETTLED)
        settled = list(rows.select_related("stage__division", "match").order_by("pk"))
        if not settled:
            return False
        fixture = self.chance.choice(settled)
        right = ResultInput.played((7, self.chance.randrange(7)))
        correction = CorrectionInput(right, Choice.CORRECT_ALL, "Typed wrongly.")
        after = Division.objects.get(pk=fixture.stage.division_id).seq
        corrections.apply_correction(fixture=fixture, correction=correction, after=after, **self.acts)
        void = set(Match.objects.filter(state=Match.State.VOID).values_list("pk", flat=True))
        self.known = {pk: known for pk, known in self.known.items() if pk not in void}
        return True

    def score_here(self) -> bool:
        """A game that is played here ends, and the next begins; spectators with a delay do not see it yet."""
        here = sorted(pk for pk, known in self.known.items() if known.state == "here")
        match, side = Match.objects.get(pk=self.chance.choice(here)), self.chance.choice([0, 1])
        live, known = LiveMatch.objects.get(pk=match.pk), self.known[match.pk]
        assert known.score is not None
        if known.score[side] + 1 == match.length:
            return False
        rule(match=match, ruling=Ruling(Act.END_GAME, live.last, side, 1, reason="They agree."), **self.acts)
        self._begin_game(match)
        known.score = (known.score[0] + (side == 0), known.score[1] + (side == 1))
        if live.spectators_delay is not None and not self.is_late:
            known.public_score = known.score
        return True

    # What is said

    @property
    def url(self) -> str:
        return f"/events/{self.club.slug}/{self.event.slug}/"

    def under_way(self, division: Division | None = None) -> dict[Match, Known]:
        """The matches that are neither to come nor over."""
        pks = [pk for pk, known in self.known.items() if known.state != "ready"]
        rows = Match.objects.filter(pk__in=pks).select_related("player_0__user", "player_1__user")
        if division is not None:
            rows = rows.filter(parent_topic=division.topic)
        return {match: self.known[match.pk] for match in rows}

    def page(self, path: str, client: Client | None = None) -> str:
        client = client or self.visitor
        response = client.get(path)
        assert response.status_code == 200, path
        page = html(response)
        if client is self.visitor:
            assert HIDDEN not in page, path
        if client is not self.staff:
            assert "Board " not in page, f"{path}: the floor is open, so boards are not numbered"
        return page

    def api(self, path: str, client: Client | None = None) -> Any:
        response = (client or self.visitor).get(f"/api/v1/{path}")
        assert response.status_code == 200, path
        return response.json()

    def check(self, *, everything: bool) -> None:
        """Compare what is said with what was done: in lists of all matches, else of each or of those that changed."""
        of_event = Match.objects.filter(parent_topic__in=[division.topic for division in self.divisions])
        still_open = of_event.exclude(state__in=[Match.State.SETTLED, Match.State.VOID]).order_by("pk")
        chosen = list(still_open.select_related("player_0__user", "player_1__user"))
        if not everything:
            changed = [row for row in chosen if self.known.get(row.pk, READY) != self.before.get(row.pk, READY)]
            chosen = changed or [self.chance.choice(chosen)]
        self.check_lists()
        self.check_screens()
        self.check_matches(chosen)
        for player in {player.pk: player for match in chosen for player in match.players}.values():
            self.check_player(player)
        self.check_notifications()
        self.check_staff(chosen)

    def check_lists(self) -> None:
        home = played_now_on(self.page(self.url))
        now_live = {match.public_id for match, known in self.under_way().items() if known.state == "here"}
        expected = {match.public_id: known.text for match, known in self.under_way().items()}
        assert home == {match: text for match, text in expected.items() if match not in now_live}
        for division in self.divisions:
            expected = {match.public_id: known.text for match, known in self.under_way(division).items()}
            assert places_on(self.page(f"{self.url}{division.public_id}/pairings/")) == expected
            listed = {
                row["match"]: row["where"] for row in self.api(f"divisions/{division.public_id}/pairings/")["pairings"]
            }
            self.compare(division, listed)
        for division in (self.divisions[0], self.divisions[2]):
            boxes = said_in_bracket(self.page(f"{self.url}{division.public_id}/"))
            assert boxes == {
                match.public_id: (known.label, points_shown(known)) for match, known in self.under_way(division).items()
            }
            rounds = [
                row
                for tree in self.api(f"divisions/{division.public_id}/bracket/")["brackets"]
                for row in tree["rounds"]
            ]
            self.compare(division, {row["match"]: row["where"] for round_ in rounds for row in round_["fixtures"]})

    def compare(self, division: Division, where: dict[str | None, dict[str, Any] | None]) -> None:
        """Compare `where` of a division's matches, as spectators get it."""
        for match, known in self.under_way(division).items():
            assert where[match.public_id] is not None, match.public_id
            assert_says(where[match.public_id], known, is_inside=False)

    def check_screens(self) -> None:
        called = {known.table for known in self.under_way().values() if known.state == "called"}
        wall = self.page(f"{self.url}wall/")
        calls, _heading, tables = self.page(f"{self.url}embed/calls/").partition("<h2>Tables</h2>")
        embedded, framed = (re.findall(r'class="embed-table">(\w+)<', part) for part in (calls, tables))
        assert set(re.findall(r'class="wall-call-table"><span>Table</span> ?<b>(\w+)</b>', wall)) == called
        assert set(embedded) == called
        assert set(framed) == set(LABELS)
        tiles = dict(re.findall(r'<li class="is-\w+"><span>(\w+)</span> ?<b>([^<]+)</b>', wall))
        expected = {label: self.tile(label) for label in LABELS}
        assert tiles.items() <= expected.items()
        assert tiles == expected or "is-fresh" in wall
        strip = re.findall(r"M(\d+) ?<span[^>]*>([^<]+)</span>", self.page(f"{self.url}tv/").partition("tv-strip")[2])
        numbers = dict(Fixture.objects.filter(match__isnull=False).values_list("number", "match"))
        assert {int(number): text.strip() for number, text in strip}.items() <= {
            number: self.known[pk].label
            for number, pk in numbers.items()
            if pk in self.known and self.known[pk].state != "ready"
        }.items()

    def tile(self, label: str) -> str:
        at = next((known for known in self.known.values() if known.table == label and known.state in AT_TABLE), None)
        if at is None:
            return "Free"
        is_scored = at.state == "playing" and at.score is not None
        return "{}–{}".format(*at.score) if is_scored and at.score is not None else TILES[at.state]

    def check_matches(self, chosen: list[Match]) -> None:
        """The page and the endpoint of a match, to a spectator, to a player and to Alice; and lists of the API."""
        event = self.event.public_id
        floors = {
            client: {row["number"]: row for row in self.api(f"tournaments/{event}/floor/", client)["matches"]}
            for client in (self.visitor, self.staff)
        }
        listed = {row["public_id"]: row["where"] for row in self.api("matches/?page_size=100")["results"]}
        numbers = dict(Fixture.objects.filter(match__isnull=False).values_list("match", "number"))
        for match in chosen:
            known = self.known.get(match.pk, READY)
            player = self.client_of(match.player_0)
            for client in (self.visitor, player, self.staff):
                where = self.api(f"matches/{match.public_id}/", client)["where"]
                assert_says(where, known, is_inside=client is not self.visitor)
                if client in floors and numbers[match.pk] in floors[client]:
                    assert floors[client][numbers[match.pk]]["where"] == where
                page = self.page(f"/matches/{match.public_id}/", client)
                assert tables_in(page) <= {known.table}
                if known.state != "ready":
                    assert places_on(page)[match.public_id] == known.label
                if client is player and known.state == "called":
                    assert f"You are called to table {known.table}." in page
                if client is self.visitor:
                    assert listed[match.public_id] == where
                    assert known.state != "here" or scores_in(page) <= {known.public_score}

    def client_of(self, player: Player) -> Client:
        client = Client()
        assert player.user is not None
        client.force_login(player.user)
        return client

    def check_player(self, player: Player) -> None:
        client = self.client_of(player)
        page = self.page("/my/", client)
        assert HIDDEN not in page or HIDDEN in player.name
        matches = self.under_way().items()
        mine = {match: known for match, known in matches if player.pk in (match.player_0_id, match.player_1_id)}
        assert tables_in(page) <= {known.table for known in mine.values()}
        sentences, home = places_on(page), places_on(self.page(self.url, client)) if mine else {}
        for match, known in mine.items():
            sentence = to_player(known, side=0 if match.player_0_id == player.pk else 1)
            if sentence is not None:
                assert sentences[match.public_id] == home[match.public_id] == sentence
        ranks = [self.rank(public_id) for public_id in sentences]
        assert ranks == sorted(ranks), "matches in play come first, then those to which the player is called"
        assert player.user is not None
        self.check_calendar(player.user, mine)

    def rank(self, public_id: str) -> int:
        known = self.known.get(Match.objects.get(public_id=public_id).pk, READY)
        return 0 if known.state in IN_PLAY else 1 if known.state == "called" else 2

    def check_calendar(self, user: User, mine: dict[Match, Known]) -> None:
        feed, _created = CalendarFeed.objects.get_or_create(user=user)
        response = self.visitor.get(f"/calendar/{calendars.token_of(feed)}.ics")
        text = response.content.decode().replace("\r\n ", "")
        for match, known in mine.items():
            if match.due_at is not None and known.state in ("called", "playing", "adjourned"):
                division = next(row.name for row in self.divisions if row.topic == match.parent_topic)
                detail = f"{division} · 7-point match · {known.text}".replace(",", "\\,")
                part = text.partition(f"UID:deadline-{match.public_id}")[2].partition("END:VEVENT")[0]
                assert f"DESCRIPTION:{detail}\r\n" in part

    def check_notifications(self) -> None:
        """An e-mail or push that calls to a table is sent only while that is true, and there is one to each player."""
        current: dict[str, set[int]] = {}
        for row in Notification.objects.filter(kind=CALLED):
            if kind_of(CALLED).is_current(row.params):
                match = Match.objects.get(public_id=row.params["match"])
                known = self.known.get(match.pk, READY)
                assert known.state == "called" or (row.params["variant"] == "moved" and known.state == "playing")
                assert row.params["table"] == known.table
                current.setdefault(match.public_id, set()).add(row.user_id)
        for match, known in self.under_way().items():
            if known.state == "called":
                assert len(current.get(match.public_id, ())) == 2

    def check_staff(self, chosen: list[Match]) -> None:
        numbers = dict(Fixture.objects.filter(match__isnull=False).values_list("match", "number"))
        cards = re.findall(r'Table (\w+), [^"]*?\bM(\d+), ([^"]*)"', self.page(f"{self.url}floor/", self.staff))
        at = {match.pk: known for match, known in self.under_way().items() if known.state in AT_TABLE and known.table}
        assert {(label, int(number)) for label, number, _names in cards} == {
            (known.table, numbers[pk]) for pk, known in at.items()
        }
        points = {int(number): tuple(map(int, re.findall(r" (\d+)(?: –|,)", names))) for _label, number, names in cards}
        for pk, known in at.items():
            is_scored = known.state == "playing" and known.score is not None
            assert points[numbers[pk]] == (known.score if is_scored else ())
        for match in chosen:
            fixture = Fixture.objects.get(match=match)
            sheet = places_on(self.page(f"{self.url}fixtures/{fixture.public_id}/", self.staff))
            known = self.known.get(match.pk, READY)
            assert known.state == "ready" or sheet[match.public_id] == known.label


def places_on(page: str) -> dict[str, str]:
    """Return what a page says of each match, in its order."""
    places = re.findall(r'data-where="(\w+)"[^>]*>(.*?)</(?:span|p)>', page)
    return {match: unescape(re.sub(r"<[^>]+>", "", text)).strip() for match, text in places}


def played_now_on(page: str) -> dict[str, str]:
    """Return what the home of an event says of each match at a table, with its points."""
    rows = re.findall(r'<a href="/matches/(\w+)/">(.*?)</a>.*?data-where="\1"[^>]*>(.*?)</span>', page, re.DOTALL)
    said = {}
    for match, sides, where in rows:
        points = [side for side in re.findall("<strong>(.*?)</strong>", sides) if side != "–"]
        said[match] = ", ".join(filter(None, (unescape(where).strip(), "–".join(points))))
    return said


def said_in_bracket(page: str) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Return the words and the points in the boxes of a bracket that say where their match is."""
    boxes = {}
    for box in re.findall(r'<li class="is-[\w ]+"><div>(.*?)</div></li>', page):
        head, *lines = box.split("<p ")
        words = re.search(r'<a href="/matches/(\w+)/">M\d+(?:<span[^>]*>[^<]*</span>)?</a><b>([^<]+)</b>', head)
        if words:
            points = [int(number) for line in lines for number in re.findall(r"<b>(\d+)</b>", line)]
            boxes[words[1]] = (words[2], tuple(points))
    return boxes


def points_shown(known: Known) -> tuple[int, ...]:
    score = known.public_score if known.state == "here" else known.score
    return score if score is not None and known.state in ("playing", "here", "adjourned") else ()


def tables_in(page: str) -> set[str]:
    """Return the tables that the main part of a page mentions."""
    main = page.partition("<main")[2].partition("</main>")[0]
    return set(re.findall(r"\b[Tt]able (\w+)", re.sub(r"<[^>]+>", " ", main)))


def scores_in(page: str) -> set[Score]:
    main = re.sub(r"<[^>]+>", " ", page.partition("<main")[2].partition("</main>")[0])
    return {(int(left), int(right)) for left, right in re.findall(r"\b(\d)–(\d)\b", main)}


def assert_says(where: dict[str, Any] | None, known: Known, *, is_inside: bool) -> None:
    """Compare `where` of the API with what was done."""
    assert where is not None
    states = {"ready", "waiting"} if known.state == "ready" and is_inside else {known.state}
    assert where["state"] in states
    assert where["table"] == ((known.table or None) if known.state in AT_TABLE else None)
    score = known.public_score if known.state == "here" and not is_inside else known.score
    expected = list(score) if score is not None and known.state in ("playing", "here", "adjourned") else None
    assert where["score"] == expected
    assert bool(where["waits_for"]) == (where["state"] == "waiting")


def to_player(known: Known, side: int) -> str | None:
    """Return the sentence for the player on a side; None where the report decides what it says."""
    if known.state == "called":
        return f"You are called to table {known.table}."
    if known.state == "here":
        return "The board of your match is open"
    if known.state in ("playing", "adjourned"):
        if known.score is None:
            return known.label
        return f"{known.label}, {known.score[side]}–{known.score[1 - side]}"
    return None


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("number", range(1, TIER.evenings + 1))
def test_everybody_is_told_the_same(number: int, club: Club, alice: User) -> None:
    world = Evening(club, alice, Random(f"{TEST_SEED} {number}"))
    for _step in range(TIER.evening_steps):
        world.step(TIER.evening_steps)
        world.check(everything=TIER_NAME == "soak")
    assert differences_left() == []


def test_the_boards_of_a_round_taken_for_tables_are_noticed(
    club: Club, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tables_of(rounds: Any) -> dict[int, int]:
        rows = Fixture.objects.filter(round__in=rounds, match__isnull=False).order_by("number")
        return {pk: position for position, pk in enumerate(rows.values_list("pk", flat=True), start=1)}

    world = Evening(club, alice, Random(1))
    bob = Player.objects.get(name="Bob")
    world.check_player(bob)
    monkeypatch.setattr(context, "boards_of", tables_of)
    monkeypatch.setattr(context, "board_name", lambda number: f"Table {number}")
    with pytest.raises(AssertionError, match=r"\{'\d'\} <= "):
        world.check_player(bob)
