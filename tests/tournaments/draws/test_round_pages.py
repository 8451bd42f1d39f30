"""The rounds page for directors, in every state of the next round."""

from collections.abc import Callable
from itertools import combinations

import pytest
from django.test import Client

from formats.settings import NextRound, StageSettings
from players.actors import Actor
from players.models import Player, User
from tests.tournaments.support.swiss_rounds import DivisionDriver, pairs_of
from tournaments.draws.kept_apart import keep_apart
from tournaments.draws.rounds import request_bye
from tournaments.draws.services import make_draft, request_draw
from tournaments.events.services import publish_tournament
from tournaments.models import ByeRequest, Division, Draw, Entry
from tournaments.state.stages import set_stages

pytestmark = pytest.mark.django_db
Begun = Callable[..., DivisionDriver]


@pytest.fixture
def begun(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Begun:
    """Return a function that starts a Swiss or lives and publishes its first round."""

    def make(count: int, format_: str = "swiss", **settings: object) -> DivisionDriver:
        driver = DivisionDriver(make_division(), by_alice)
        driver.enter(make_players(count))
        return driver.begin(StageSettings(format_, **settings))

    return make


def url(driver: DivisionDriver, action: str = "") -> str:
    tournament = driver.division.tournament
    return f"/events/{tournament.club.slug}/{tournament.slug}/{driver.division.public_id}/rounds/{action}"


def shown(client: Client, driver: DivisionDriver) -> str:
    answer = client.get(url(driver))
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def send(client: Client, driver: DivisionDriver, action: str, **fields: object) -> str:
    """Submit a form and return the text of the page that follows."""
    answer = client.post(url(driver, action), {"after": driver.seq, **fields}, follow=True)
    return " ".join(answer.content.decode().split())


def test_a_running_round_shows_its_progress_and_what_happens_next(begun: Begun, alice_client: Client) -> None:
    driver = begun(7, rounds=3)
    driver.report(driver.ready()[0], 0)

    page = shown(alice_client, driver)

    assert "Round 1" in page
    assert 'max="3" value="1"' in page
    assert "a draft of the next round is made for you to publish" in page
    assert "bye by pairing, counts as a win" in page
    assert page.count("button-primary") == 0, "there is no main action"


@pytest.mark.slow
def test_the_director_pairs_pairs_again_with_a_reason_and_publishes(begun: Begun, alice_client: Client) -> None:
    driver = begun(6, rounds=3, next_round=NextRound.ASK)
    driver.play_round()
    assert "Pair this round" in shown(alice_client, driver)

    send(alice_client, driver, "pair/")
    assert "Being paired…" in shown(alice_client, driver)
    send(alice_client, driver, "pair/")
    assert len(driver.draw_of(2)) == 1, "a double click requests one draft"
    driver.work()
    page = shown(alice_client, driver)
    assert "visible to directors only" in page
    assert page.count("button-primary") == 1
    assert "Give a reason" in send(alice_client, driver, "pair/")
    send(alice_client, driver, "pair/", reason="A wrong table")
    driver.work()
    assert "Round 2 published." in send(alice_client, driver, "publish/")

    assert [draw.state for draw in driver.draw_of(2)] == [Draw.State.DISCARDED, Draw.State.PUBLISHED]


def test_fixed_pairs_are_marked(begun: Begun, alice_client: Client) -> None:
    driver = begun(6, rounds=3, next_round=NextRound.ASK)
    driver.play_round()
    met = pairs_of(driver.rounds()[0])[0]
    first = Entry.objects.get(pk=met[0])
    other = driver.division.entries.exclude(pk__in=met).first()

    refused = send(
        alice_client, driver, "pair/", first=[first.public_id, ""], second=[Entry.objects.get(pk=met[1]).public_id, ""]
    )
    assert "have already met, or are kept apart" in refused
    assert "Choose a player" in send(alice_client, driver, "pair/", first=[first.public_id], second=[""])
    send(alice_client, driver, "pair/", first=["", first.public_id], second=["", other.public_id])
    driver.work()

    assert ">fixed</span>" in shown(alice_client, driver)


def test_a_bye_is_added_shown_and_cancelled(begun: Begun, alice_client: Client) -> None:
    driver = begun(6, rounds=3)
    entry = driver.division.entries.first()

    page = send(alice_client, driver, "bye/", entry=entry.public_id, round=2, kind="requested")
    assert "bye without points" in page
    assert ByeRequest.objects.get().kind == "requested"
    send(alice_client, driver, "bye/", entry=entry.public_id, round=2, take_back=1)

    assert "No byes requested." in shown(alice_client, driver)


@pytest.mark.slow
def test_a_round_that_cannot_be_paired_shows_the_reason_and_two_ways_to_go_on(
    begun: Begun, alice_client: Client
) -> None:
    driver = begun(4, rounds=5)
    driver.play_out()
    page = shown(alice_client, driver)
    assert "Round 4 could not be paired" in page
    assert "cannot be paired without a rematch, a second bye or a pair that is kept apart" in page
    assert page.count("button-primary") == 1
    console = alice_client.get(url(driver).split(driver.division.public_id)[0] + "console/").content.decode()
    assert "Not paired" in console
    assert "Allow rematches" in console
    assert "End after 3 rounds" in console

    send(alice_client, driver, "change/", allow_rematches="1")
    driver.work()
    driver.play_round()
    driver.work()
    send(alice_client, driver, "change/", rounds="5")
    driver.play_out()

    assert "All rounds are over" in shown(alice_client, driver)


def test_a_finished_swiss_offers_another_round(begun: Begun, alice_client: Client) -> None:
    driver = begun(4, rounds=1)
    driver.play_round()
    assert "Play another round (2)" in shown(alice_client, driver)

    page = send(alice_client, driver, "change/", rounds=2)

    assert "Play another round (2)" not in page
    driver.work()
    assert len(driver.ready()) == 2


def test_with_too_few_players_the_page_offers_to_end_but_no_rematches(begun: Begun, alice_client: Client) -> None:
    driver = begun(4, rounds=3)
    for entry in list(driver.division.entries.all())[1:]:
        driver.withdraw(entry)
    driver.work()

    page = shown(alice_client, driver)

    assert "Too few players are left (1); a match needs two." in page
    assert "Add players or let withdrawn players back in under Entries." in page
    assert "End after 1 round" in page
    assert "Allow rematches" not in page


def test_with_too_many_byes_the_page_shows_how_to_go_on(begun: Begun, alice_client: Client, by_alice: Actor) -> None:
    driver = begun(4, rounds=3)
    for entry in driver.division.entries.all():
        request_bye(entry=entry, round_number=2, kind="half", by=by_alice, now=driver.now())
    driver.play_round()
    driver.work()

    page = shown(alice_client, driver)

    assert "Too many players have asked for a bye in round 2. Players left to pair: 0." in page
    assert "Cancel a requested bye." in page
    assert "End after 1 round" in page


def test_a_draft_warns_of_an_impossible_later_round_and_of_changes(begun: Begun, alice_client: Client) -> None:
    driver = begun(4, rounds=5, next_round=NextRound.ASK)
    driver.play_round()
    send(alice_client, driver, "pair/")
    driver.work()
    warned = shown(alice_client, driver)
    assert "round 4 cannot be paired" in warned
    assert "Allow rematches" in warned
    assert "End after 3 rounds" in warned

    driver.withdraw(driver.division.entries.first())

    page = shown(alice_client, driver)
    assert "have changed since" in page
    assert "button-primary" in page
    assert "Publish round 2 </button>" in page


def test_a_stale_page_shows_the_changes(begun: Begun, alice_client: Client) -> None:
    driver = begun(6, rounds=3)
    answer = alice_client.post(url(driver, "change/"), {"after": driver.seq - 1, "rounds": 4, "seen": 1})

    assert answer.status_code == 409
    assert "published the draw" in answer.content.decode()


def test_the_page_of_lives_has_no_settings_of_a_swiss(begun: Begun, alice_client: Client) -> None:
    driver = begun(5, "lives", lives=2)

    page = shown(alice_client, driver)

    assert "bye: no life lost, no win" in page
    assert "Requested byes" not in page
    assert "The last two play until one is out" in page


def test_a_knockout_has_no_rounds_to_pair(begun: Begun, alice_client: Client) -> None:
    driver = begun(4, "knockout")

    answer = alice_client.get(url(driver), follow=True)

    assert "No stage of this division is paired round by round" in answer.content.decode()


def test_a_late_entry_comes_from_the_desk_or_the_waiting_list(begun: Begun, alice_client: Client) -> None:
    driver = begun(4, "knockout")
    entries = url(driver).replace("rounds/", "entries/")
    assert "a late entry joins" in alice_client.get(entries, follow=True).content.decode()

    assert "Late Larry goes on the waiting list" in alice_client.post(f"{entries}add/", LARRY).content.decode()
    assert "No place is free for Late Larry" in let_in(alice_client, driver, entries)
    assert "Late Larry was entered late." in let_in(alice_client, begun_again(driver), entries)


LARRY = {"name": "Late Larry"}


def let_in(client: Client, driver: DivisionDriver, entries: str) -> str:
    """Confirm the preview of Larry's late entry and return the page that follows."""
    driver.division.refresh_from_db()
    data = {**LARRY, "after": driver.division.seq}
    return client.post(f"{entries}add/", data, follow=True).content.decode()


def begun_again(driver: DivisionDriver) -> DivisionDriver:
    """Turn the stage into a Swiss, which accepts late entries."""
    driver.division.stages.update(format="swiss", settings={"rounds": 3})
    return driver


def test_queries_of_the_rounds_page_do_not_grow_with_the_field(
    begun: Begun, alice_client: Client, alice: User, django_assert_max_num_queries: Callable[..., object]
) -> None:
    driver = begun(40, rounds=3)
    with django_assert_max_num_queries(60) as captured:
        shown(alice_client, driver)
    assert len(captured) > 5


def test_a_pair_is_kept_apart_and_released_on_the_rounds_page(begun: Begun, alice_client: Client) -> None:
    driver = begun(6, rounds=3)
    first, second = driver.division.entries.all()[:2]
    keep = url(driver).replace("rounds/", "keep-apart/")
    names = {"first": first.public_id, "second": second.public_id, "page": "rounds", "act": "keep"}
    listed = (
        f'<b class="name">{first.player.name}</b> <span class="muted">–</span> <b class="name">{second.player.name}</b>'
    )
    assert "Kept apart" in shown(alice_client, driver)

    answer = alice_client.post(keep, names, follow=True)
    assert answer.redirect_chain == [(url(driver), 302)]
    assert listed in shown(alice_client, driver)
    alice_client.post(keep, names | {"act": "let_meet"})
    assert listed not in shown(alice_client, driver)

    wrong = alice_client.post(keep, names | {"second": first.public_id}, follow=True)
    assert "Choose two different players" in wrong.content.decode()
    assert (
        "Choose a player from the list"
        in alice_client.post(keep, names | {"second": "zzz"}, follow=True).content.decode()
    )


def test_the_draw_page_lists_pairs_and_warns_that_the_draft_is_discarded(
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    by_alice: Actor,
    alice_client: Client,
) -> None:
    driver = DivisionDriver(make_division(), by_alice)
    driver.enter(make_players(4))
    page = url(driver).replace("rounds/", "draw/")
    first, second = driver.division.entries.all()[:2]
    names = {"first": first.public_id, "second": second.public_id, "page": "draw", "act": "keep"}
    assert "The draft is discarded" not in alice_client.get(page).content.decode()
    alice_client.post(page.replace("draw/", "keep-apart/"), names)
    assert "1 pair is kept apart" in alice_client.get(page).content.decode()

    driver.begin(StageSettings("swiss", rounds=3))

    assert "Kept apart" not in alice_client.get(page).content.decode(), "the rounds page shows it now"


def test_a_draft_names_a_pair_that_could_not_be_placed_in_different_groups(
    make_division: Callable[..., Division],
    make_players: Callable[[int], list[Player]],
    by_alice: Actor,
    alice_client: Client,
) -> None:
    driver = DivisionDriver(make_division(), by_alice)
    entered = driver.enter(make_players(3))
    for first, second in combinations(entered, 2):
        keep_apart(first=first, second=second, by=by_alice, now=driver.now())
    driver.enter([Player.objects.create(name="Dave")])
    settings = StageSettings("groups", groups=2)
    set_stages(division=driver.division, stages=[settings], after=driver.seq, by=by_alice, now=driver.now())
    publish_tournament(tournament=driver.division.tournament, by=by_alice, now=driver.now())
    draw = request_draw(division=driver.division, by=by_alice, now=driver.now())
    make_draft(draw_id=draw.pk, now=driver.now())

    page = alice_client.get(url(driver).replace("rounds/", "draw/")).content.decode()

    assert page.count("could not be placed in different groups") == 1
