"""Bob and Carol agree on a shorter match while they play at a table; Alice directs, Erin assists."""

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from engine.errors import Refused
from matches.lifecycle import links
from matches.models import Match
from matches.reporting import reports
from players.actors import Actor
from players.models import LogEntry, User
from tests.event_cast import RunningEvent
from tests.pages import html
from tests.tiers import first_in_make_test
from tests.tournaments.floor.test_players_scores import AtTable, at_table
from tournaments.entries.event_links import path_for
from tournaments.floor import calls, evening, length_offers, selectors
from tournaments.floor.undo import last_act, undo
from tournaments.models import FloorEvent, Tournament
from tournaments.state.integrity import differences

__all__ = ["at_table"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def playing(at_table: AtTable) -> AtTable:
    """M1 to seven points stands 3–1; the event should be over, and shortens matches that still run."""
    calls.start(fixture=at_table.running.fixture, by=at_table.alice, now=timezone.now())
    calls.set_running_score(fixture=at_table.running.fixture, score=(3, 1), by=at_table.alice, now=timezone.now())
    should_be_over(at_table)
    return at_table


def should_be_over(table: AtTable, *, rule: str = "shorten", minutes: int = 5) -> None:
    ends_at = timezone.now() - timedelta(minutes=minutes)
    starts_at = ends_at - timedelta(hours=3)
    Tournament.objects.filter(pk=table.running.tournament.pk).update(
        starts_at=starts_at, ends_at=ends_at, closing_rule=rule
    )
    table.running.tournament.refresh_from_db()


def offer(table: AtTable, side: int, length: int) -> FloorEvent:
    row = selectors.floor(table.running.tournament, timezone.now()).state.matches[table.running.fixture.pk]
    return length_offers.offer_length(
        fixture=table.running.fixture,
        side=side,
        length=length,
        score=row.score or (0, 0),
        by=Actor.link(side),
        now=timezone.now(),
    )


def accept(table: AtTable, side: int, number: int) -> FloorEvent:
    return length_offers.accept_length(
        fixture=table.running.fixture, side=side, offer=number, by=Actor.link(side), now=timezone.now()
    )


def decline(table: AtTable, side: int | None, number: int) -> FloorEvent:
    by = table.alice if side is None else Actor.link(side)
    return length_offers.decline_length(
        fixture=table.running.fixture, side=side, offer=number, by=by, now=timezone.now()
    )


def propose(table: AtTable, length: int) -> FloorEvent:
    return length_offers.propose_length(
        fixture=table.running.fixture, length=length, by=table.alice, now=timezone.now()
    )


def standing(table: AtTable) -> int:
    """The number of the offer that stands."""
    row = selectors.floor(table.running.tournament, timezone.now()).state.matches[table.running.fixture.pk]
    assert row.offer is not None
    return row.offer.number


def refusal(action: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    with pytest.raises(Refused) as refused:
        action(*args, **kwargs)
    return refused.value.code


def post(table: AtTable, side: int, action: str, **fields: int) -> HttpResponse:
    url = f"{table.link(side)}length/{action}/"
    return Client(enforce_csrf_checks=True).post(url, fields, follow=True)


def kinds() -> list[str]:
    shown = FloorEvent.objects.filter(kind__startswith="length_") | FloorEvent.objects.filter(kind="shortened")
    return list(shown.order_by("pk").values_list("kind", flat=True))


@pytest.mark.slow
def test_a_match_is_shorter_only_once_the_other_player_agrees_and_alice_can_take_it_back(
    playing: AtTable, alice_client: Client
) -> None:
    bob, carol = (player.name for player in playing.match.players)
    assert "Shorten the match" in html(Client().get(playing.link(0)))
    for _ in range(2):
        page = html(post(playing, 0, "offer", length=5, score_0=3, score_1=1))
        assert f"You want to play to 5 points instead of 7. {carol} has not answered yet." in page
        assert "Play to 5" not in page
    number = FloorEvent.objects.get(kind="length_offered").pk
    for _ in range(2):  # A partner of Bob's at the same link, or Bob again.
        post(playing, 0, "accept", offer=number)
    assert playing.match.length == 7
    carols_page = html(Client().get(playing.link(1)))
    assert f"{bob} wants to play to 5 points instead of 7. Do you agree?" in carols_page
    assert "Play to 5" in carols_page
    for _ in range(2):
        agreed = html(post(playing, 1, "accept", offer=number))
        assert "This match was shortened from 7 to 5 points." in agreed
    assert playing.match.length == 5
    assert kinds() == ["length_offered", "length_accepted", "shortened"]
    [entry] = LogEntry.objects.filter(verb="floor_shortened")
    assert (entry.by, entry.params["side"]) == (LogEntry.By.LINK, 1)

    floor = f"{playing.running.url}floor/"
    fixture = playing.running.fixture.public_id
    fact = FloorEvent.objects.get(kind="shortened")
    assert "The players agreed to play to 5 points instead of 7." in html(
        alice_client.get(f"{floor}matches/{fixture}/")
    )
    assert "to 5 points" in html(alice_client.get(floor))
    for _ in range(2):
        posted = {"fixture": fixture, "fact": fact.pk}
        assert "Undone: M1" in html(alice_client.post(f"{floor}do/take-back-length/", posted, follow=True))
        assert playing.match.length == 7
    assert refusal(accept, playing, 1, number) == "offer_gone", "the consent was for then"
    assert list(differences()) == []


def test_both_who_offer_the_same_length_agree_and_another_length_takes_its_place(playing: AtTable) -> None:
    first = offer(playing, 0, 5)
    second = offer(playing, 1, 6)
    assert refusal(accept, playing, 1, first.pk) == "offer_gone"
    assert refusal(decline, playing, 1, first.pk) == "offer_gone"
    assert playing.match.length == 7
    offer(playing, 0, 6)
    assert playing.match.length == 6
    assert offer(playing, 0, 6).kind == accept(playing, 0, second.pk).kind == "shortened", "harmless to repeat"
    assert kinds() == ["length_offered", "length_offered", "length_accepted", "shortened"]


def test_an_offer_is_declined_or_withdrawn_by_the_players_and_ended_by_alice(playing: AtTable) -> None:
    for side, kind in ((1, "length_declined"), (0, "length_withdrawn"), (None, "length_withdrawn")):
        number = offer(playing, 0, 5).pk
        for _ in range(2):
            assert decline(playing, side, number).kind == kind
        assert refusal(accept, playing, 1, number) == "offer_gone"
    assert playing.match.length == 7


def test_a_length_that_is_no_shorter_or_already_reached_is_refused(playing: AtTable) -> None:
    for length in (3, 7, 9):
        assert refusal(offer, playing, 0, length) == "not_shorter"
        assert refusal(propose, playing, length) == "not_shorter"
    stale = post(playing, 0, "offer", length=5, score_0=2, score_1=1)
    assert "stands 3–1 now. Look at it again." in html(stale)
    assert "between" not in html(post(playing, 0, "offer", length=0, score_0=3, score_1=1))
    assert kinds() == []


def new_score(table: AtTable) -> None:
    calls.set_running_score(fixture=table.running.fixture, score=(4, 1), by=table.alice, now=timezone.now())


def reported(table: AtTable) -> None:
    report = reports.ScoreReport(0, (7, 1))
    reports.report_score(match=table.match, side=0, report=report, by=Actor.link(0), now=timezone.now())


def adjourned(table: AtTable) -> None:
    evening.adjourn(fixture=table.running.fixture, by=table.alice, now=timezone.now())


def shortened(table: AtTable) -> None:
    evening.shorten(fixture=table.running.fixture, length=6, by=table.alice, now=timezone.now())


def played_here(table: AtTable) -> None:
    Match.objects.filter(pk=table.match.pk).update(state=Match.State.LIVE)


@pytest.mark.parametrize(
    ("what", "code"),
    [
        (new_score, "offer_gone"),
        (shortened, "offer_gone"),
        (reported, "match_finished"),
        (adjourned, "match_adjourned"),
        (played_here, "match_live"),
    ],
)
def test_an_offer_lapses_when_the_match_goes_on(playing: AtTable, what: Callable[[AtTable], None], code: str) -> None:
    number = offer(playing, 0, 5).pk
    what(playing)
    length = playing.match.length
    assert "Do you agree?" not in html(Client().get(playing.link(1), follow=True))
    assert refusal(accept, playing, 1, number) == code
    assert playing.match.length == length


def test_players_offer_by_themselves_only_after_the_end_of_an_event_that_shortens(playing: AtTable) -> None:
    for rule, minutes in (("adjourn", 5), ("leader", 5), ("director", 5), ("shorten", -5)):
        should_be_over(playing, rule=rule, minutes=minutes)
        assert refusal(offer, playing, 0, 5) == "players_may_not_offer"
        assert "Shorten the match" not in html(Client().get(playing.link(0)))
    Tournament.objects.filter(pk=playing.running.tournament.pk).update(ends_at=None)
    assert refusal(offer, playing, 0, 5) == "players_may_not_offer"


def test_an_open_page_hears_that_the_end_of_the_event_has_come(playing: AtTable) -> None:
    should_be_over(playing, minutes=-5)
    version = html(Client().get(playing.link(0))).split("?after=")[1].split('"')[0]
    poll = Client(headers={"HX-Request": "true"})
    assert poll.get(f"{playing.link(0)}?after={version}").status_code == 204
    should_be_over(playing)
    assert poll.get(f"{playing.link(0)}?after={version}").headers["HX-Refresh"] == "true"


@pytest.mark.slow
def test_alice_asks_both_players_at_any_time_and_needs_both(
    playing: AtTable, alice_client: Client, erin: User, as_user: Callable[[User], Client]
) -> None:
    should_be_over(playing, rule="adjourn", minutes=-60)
    url = f"{playing.running.url}floor/do/propose-length/"
    posted = {"fixture": playing.running.fixture.public_id, "length": 5}
    assert as_user(erin).post(url, posted).status_code == 403
    for _ in range(2):
        assert "are asked whether they agree to 5 points." in html(alice_client.post(url, posted, follow=True))
    [number] = FloorEvent.objects.filter(kind="length_offered").values_list("pk", flat=True)
    assert "Both of you have to agree." in html(Client().get(playing.link(0)))
    assert refusal(offer, playing, 0, 6) == "players_may_not_offer", "only what is on offer"
    for _ in range(2):
        assert "Your opponent has not answered yet." in html(post(playing, 0, "accept", offer=number))
    assert playing.match.length == 7
    sheet = f"{playing.running.url}floor/matches/{playing.running.fixture.public_id}/"
    assert "wants to play to 5 points." in html(alice_client.get(sheet))
    assert "Both of you have to agree." in html(Client().get(playing.link(1)))
    offer(playing, 1, 5)
    assert playing.match.length == 5


def test_alice_undoes_what_she_proposed_until_somebody_has_answered(playing: AtTable) -> None:
    def undo_last() -> None:
        tournament = playing.running.tournament
        last = last_act(tournament, playing.alice)
        assert last is not None
        undo(tournament=tournament, act=last, by=playing.alice, now=timezone.now())

    number = propose(playing, 5).pk
    undo_last()
    assert refusal(accept, playing, 0, number) == "offer_gone"
    accept(playing, 0, propose(playing, 5).pk)
    assert refusal(undo_last) == "floor_built_on"
    assert playing.match.length == 7


def test_my_matches_the_event_link_and_the_api_have_the_offer_too(playing: AtTable, bob: User) -> None:
    bobs, carols = playing.side_of_bob, 1 - playing.side_of_bob
    url = f"/api/v1/matches/{playing.match.public_id}/length-offers/"
    carol = Client(headers={"Match-Link": links.token_for(playing.match, carols)})
    account = Client()
    account.force_login(bob)
    assert carol.get(url).json() == {"length": 7, "offer": None, "may_offer": True}
    offered = carol.post(url, {"length": 4, "score": [3, 1]}, content_type="application/json").json()
    assert offered["offer"] | {"offer": 0} == {"offer": 0, "length": 4, "side": carols, "agreed": [carols]}
    for page in (
        account.get("/my/"),
        Client().get(path_for(playing.running.tournament, playing.match.players[bobs], 0)),
    ):
        assert "Do you agree?" in html(page)
    answer = {"offer": offered["offer"]["offer"]}
    assert account.post(f"{url}decline/", answer, content_type="application/json").json()["offer"] is None
    again = carol.post(url, {"length": 4, "score": [3, 1]}, content_type="application/json").json()["offer"]
    agreed = account.post(f"{url}accept/", {"offer": again["offer"]}, content_type="application/json").json()
    assert agreed == {"length": 4, "offer": None, "may_offer": True}
    refused = account.post(f"{url}accept/", {"offer": 10**18}, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (409, "offer_gone")
    sheet = Client(headers={"Match-Link": links.token_for(playing.match, None)})
    assert sheet.get(url).status_code == 404


def test_a_client_shortens_proposes_withdraws_and_takes_back(playing: AtTable, alice_client: Client) -> None:
    fixture = f"/api/v1/fixtures/{playing.running.fixture.public_id}/"

    def send(path: str, **body: Any) -> tuple[int, Any]:
        answer = alice_client.post(f"{fixture}{path}/", body, content_type="application/json")
        return answer.status_code, answer.json()

    for body in ({"length": 5}, {"length": 5, "agreed": False}, {"agreed": True}):
        assert send("shorten", **body)[0] == 422
    _status, proposed = send("propose-length", length=5)
    assert proposed["on_offer"] | {"offer": 0} == {"offer": 0, "length": 5, "side": None, "agreed": []}
    for _ in range(2):
        assert send("withdraw-length", offer=proposed["on_offer"]["offer"])[1]["on_offer"] is None
    for _ in range(2):
        status, shorter = send("shorten", length=5, agreed=True)
        assert (status, shorter["length"], shorter["shortened"]["was"]) == (200, 5, 7)
    assert send("shorten/undo", fact=proposed["on_offer"]["offer"])[0] == 422
    for _ in range(2):
        status, restored = send("shorten/undo", fact=shorter["shortened"]["fact"])
        assert (status, restored["length"], restored["shortened"]) == (200, 7, None)
    listed = alice_client.get(f"/api/v1/tournaments/{playing.running.tournament.public_id}/floor/").json()
    assert [row["length"] for row in listed["matches"] if row["number"] == 1] == [7]


def test_without_an_open_floor_nothing_is_offered(running: RunningEvent) -> None:
    match = running.fixture.match
    assert match is not None
    url = f"/m/{links.token_for(match, 0)}/length/"
    assert Client().post(f"{url}offer/", {"length": 5, "score_0": 0, "score_1": 0}).status_code == 409
    assert Client().post(f"{url}accept/", {"offer": 1}).status_code == 409
    assert not FloorEvent.objects.exists()


def test_players_cannot_flood_the_floor_with_offers(playing: AtTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(length_offers, "MAX_OFFERS", 2)
    offer(playing, 0, 5)
    offer(playing, 1, 6)
    assert refusal(offer, playing, 0, 4) == "too_many_offers"
    assert propose(playing, 4).kind == "length_offered"


@pytest.mark.slow
@pytest.mark.parametrize("seed", first_in_make_test(0, 1))
def test_whatever_they_do_the_length_changes_only_when_both_want_it(playing: AtTable, seed: int) -> None:
    """The reference keeps what each side wants at this score, and knows nothing of facts."""
    chance = random.Random(seed)
    wants: dict[int, int] = {}
    length, on_offer, agreements = 15, None, 0
    Match.objects.filter(pk=playing.match.pk).update(length=length)
    for _step in range(40):
        side = chance.randrange(2)
        move = chance.choice(("offer", "offer", "accept", "accept", "decline", "propose", "score"))
        least = (playing.on_floor[1] or (0, 0))[0] + 1
        if move in ("offer", "propose") and least < length:
            wanted = chance.randrange(max(least, length - 3), length)
            if wanted != on_offer:
                wants, on_offer = {}, wanted
            if move == "offer":
                offer(playing, side, wanted)
                wants[side] = wanted
            else:
                propose(playing, wanted)
        elif move == "accept" and on_offer is not None:
            accept(playing, side, standing(playing))
            wants[side] = on_offer
        elif move == "decline" and on_offer is not None:
            decline(playing, side, standing(playing))
            wants, on_offer = {}, None
        elif move == "score" and least + 1 < length and chance.random() < 0.5:
            score = (least, chance.randrange(least + 1))
            calls.set_running_score(fixture=playing.running.fixture, score=score, by=playing.alice, now=timezone.now())
            wants, on_offer = {}, None
        if len(wants) == 2:
            length, wants, on_offer, agreements = wants[0], {}, None, agreements + 1
        assert playing.match.length == length
    assert agreements, "they agreed at least once"
    assert list(differences()) == []
