"""The director's page of rounds: what it shows at each moment, and what its buttons do."""

from collections.abc import Callable
from itertools import combinations

import pytest
from django.test import Client

from players.actors import Actor
from players.models import Player, User
from tests.tournaments.support.swiss_rounds import Hall, pairs_of
from tournaments.draws.services.draws import make_draft, request_draw
from tournaments.draws.services.kept_apart import keep_apart
from tournaments.draws.services.rounds import request_bye
from tournaments.events.services.events import publish_tournament
from tournaments.formats.settings import NextRound, StageSettings
from tournaments.models import ByeRequest, Division, Draw, Entry
from tournaments.state.stages import set_stages

pytestmark = pytest.mark.django_db
Begun = Callable[..., Hall]


@pytest.fixture
def begun(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> Begun:
    """A Swiss (or lives) of so many players whose first round is published."""

    def make(count: int, format_: str = "swiss", **settings: object) -> Hall:
        hall = Hall(make_division(), by_alice)
        hall.enter(make_players(count))
        return hall.begin(StageSettings(format_, **settings))

    return make


def url(hall: Hall, action: str = "") -> str:
    tournament = hall.division.tournament
    return f"/events/{tournament.club.slug}/{tournament.slug}/{hall.division.public_id}/rounds/{action}"


def shown(client: Client, hall: Hall) -> str:
    answer = client.get(url(hall))
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def send(client: Client, hall: Hall, action: str, **fields: object) -> str:
    """What the page says after a form was sent."""
    answer = client.post(url(hall, action), {"after": hall.seq, **fields}, follow=True)
    return " ".join(answer.content.decode().split())


def test_a_round_that_is_played_shows_how_far_it_is_and_that_the_next_comes_by_itself(
    begun: Begun, alices: Client
) -> None:
    hall = begun(7, rounds=3)
    hall.report(hall.ready()[0], 0)

    page = shown(alices, hall)

    assert "Round 1" in page
    assert 'max="3" value="1"' in page
    assert "the next round is paired as a draft for you to publish" in page
    assert "bye by the pairing, counts as a win" in page
    assert page.count("button-primary") == 0, "nothing is to be done"


def test_the_director_pairs_looks_pairs_again_with_a_reason_and_publishes(begun: Begun, alices: Client) -> None:
    hall = begun(6, rounds=3, next_round=NextRound.ASK)
    hall.play_round()
    assert "Pair this round" in shown(alices, hall)

    send(alices, hall, "pair/")
    assert "Being paired…" in shown(alices, hall)
    send(alices, hall, "pair/")
    assert len(hall.draw_of(2)) == 1, "the second of two clicks"
    hall.work()
    page = shown(alices, hall)
    assert "only directors see it" in page
    assert page.count("button-primary") == 1
    assert "Say why" in send(alices, hall, "pair/")
    send(alices, hall, "pair/", reason="A wrong table")
    hall.work()
    assert "Round 2 is published." in send(alices, hall, "publish/")

    assert [draw.state for draw in hall.draw_of(2)] == [Draw.State.DISCARDED, Draw.State.PUBLISHED]


def test_pairs_are_fixed_by_hand_and_marked(begun: Begun, alices: Client) -> None:
    hall = begun(6, rounds=3, next_round=NextRound.ASK)
    hall.play_round()
    met = pairs_of(hall.rounds()[0])[0]
    first = Entry.objects.get(pk=met[0])
    other = hall.division.entries.exclude(pk__in=met).first()

    refused = send(
        alices, hall, "pair/", first=[first.public_id, ""], second=[Entry.objects.get(pk=met[1]).public_id, ""]
    )
    assert "have met, or are not to meet" in refused
    assert "Choose a player" in send(alices, hall, "pair/", first=[first.public_id], second=[""])
    send(alices, hall, "pair/", first=["", first.public_id], second=["", other.public_id])
    hall.work()

    assert "fixed by hand" in shown(alices, hall)


def test_a_bye_is_noted_shown_and_taken_back(begun: Begun, alices: Client) -> None:
    hall = begun(6, rounds=3)
    one = hall.division.entries.first()

    page = send(alices, hall, "bye/", entry=one.public_id, round=2, kind="requested")
    assert "bye without points" in page
    assert ByeRequest.objects.get().kind == "requested"
    send(alices, hall, "bye/", entry=one.public_id, round=2, take_back=1)

    assert "Nobody has asked to miss a round." in shown(alices, hall)


def test_a_round_that_cannot_be_paired_says_why_and_offers_the_two_ways_on(begun: Begun, alices: Client) -> None:
    hall = begun(4, rounds=5)
    hall.play_out()
    page = shown(alices, hall)
    assert "Round 4 could not be paired" in page
    assert "needs a rematch, a second bye, or two who are kept apart" in page
    assert page.count("button-primary") == 1
    console = alices.get(url(hall).split(hall.division.public_id)[0] + "console/").content.decode()
    assert "Not paired" in console

    send(alices, hall, "change/", allow_rematches="1")
    hall.work()
    hall.play_round()
    hall.work()
    send(alices, hall, "change/", rounds="5")
    hall.play_out()

    assert "All rounds are over" in shown(alices, hall)


def test_a_finished_swiss_offers_another_round(begun: Begun, alices: Client) -> None:
    hall = begun(4, rounds=1)
    hall.play_round()
    assert "Play round 2 as well" in shown(alices, hall)

    page = send(alices, hall, "change/", rounds=2)

    assert "Play round 2 as well" not in page
    hall.work()
    assert len(hall.ready()) == 2


def test_where_too_few_are_left_the_page_says_so_and_offers_the_end_and_no_rematches(
    begun: Begun, alices: Client
) -> None:
    hall = begun(4, rounds=3)
    for entry in list(hall.division.entries.all())[1:]:
        hall.withdraw(entry)
    hall.work()

    page = shown(alices, hall)

    assert "Players left: 1. Two are needed for a match." in page
    assert "Let somebody in or back in under Entries, or end here:" in page
    assert "End after 1 round" in page
    assert "Allow rematches" not in page


def test_where_all_ask_to_miss_a_round_the_page_says_how_to_go_on(
    begun: Begun, alices: Client, by_alice: Actor
) -> None:
    hall = begun(4, rounds=3)
    for entry in hall.division.entries.all():
        request_bye(entry=entry, round_number=2, kind="half", by=by_alice, now=hall.now())
    hall.play_round()
    hall.work()

    page = shown(alices, hall)

    assert "Too many have asked to miss round 2; players left to pair: 0." in page
    assert "Take a bye back under “Byes asked for”, or end here:" in page


def test_a_draft_warns_of_a_round_that_will_have_no_pairing_and_of_what_has_changed(
    begun: Begun, alices: Client
) -> None:
    hall = begun(4, rounds=5, next_round=NextRound.ASK)
    hall.play_round()
    send(alices, hall, "pair/")
    hall.work()
    assert "round 4 will have no pairing" in shown(alices, hall)

    hall.withdraw(hall.division.entries.first())

    page = shown(alices, hall)
    assert "have changed since" in page
    assert "button-primary" in page
    assert "Publish round 2</button>" in page


def test_an_old_page_is_told_what_it_has_missed(begun: Begun, alices: Client) -> None:
    hall = begun(6, rounds=3)
    answer = alices.post(url(hall, "change/"), {"after": hall.seq - 1, "rounds": 4, "seen": 1})

    assert answer.status_code == 409
    assert "published the draw" in answer.content.decode()


def test_lives_offer_what_lives_have(begun: Begun, alices: Client) -> None:
    hall = begun(5, "lives", lives=2)

    page = shown(alices, hall)

    assert "bye where lives are counted" in page
    assert "Byes asked for" not in page
    assert "The last two play on" in page


def test_a_knockout_has_no_rounds_to_pair(begun: Begun, alices: Client) -> None:
    hall = begun(4, "knockout")

    answer = alices.get(url(hall), follow=True)

    assert "no stage that is paired round by round" in answer.content.decode()


def test_somebody_comes_late_from_the_entries_page_and_from_the_waiting_list(begun: Begun, alices: Client) -> None:
    hall = begun(4, "knockout")
    entries = url(hall).replace("rounds/", "entries/")
    assert "a late entry joins" in alices.get(entries).content.decode()

    assert "Late Larry goes on the waiting list" in alices.post(f"{entries}add/", LARRY).content.decode()
    assert "Nothing is free for Late Larry any more" in let_in(alices, hall, entries)
    assert "Late Larry has come in late." in let_in(alices, begun_again(hall), entries)


LARRY = {"name": "Late Larry"}


def let_in(client: Client, hall: Hall, entries: str) -> str:
    """The page after Larry was let in, as the preview of his late entry offers it."""
    hall.division.refresh_from_db()
    data = {**LARRY, "after": hall.division.seq}
    return client.post(f"{entries}add/", data, follow=True).content.decode()


def begun_again(hall: Hall) -> Hall:
    """The same stage as a Swiss, so that there is room."""
    hall.division.stages.update(format="swiss", settings={"rounds": 3})
    return hall


def test_the_page_of_a_large_swiss_takes_no_more_queries_than_of_a_small_one(
    begun: Begun, alices: Client, alice: User, django_assert_max_num_queries: Callable[..., object]
) -> None:
    hall = begun(40, rounds=3)
    with django_assert_max_num_queries(60) as captured:
        shown(alices, hall)
    assert len(captured) > 5


def test_two_are_kept_apart_and_may_meet_after_all(begun: Begun, alices: Client) -> None:
    hall = begun(6, rounds=3)
    first, second = hall.division.entries.all()[:2]
    keep = url(hall).replace("rounds/", "keep-apart/")
    names = {"first": first.public_id, "second": second.public_id, "page": "rounds", "act": "keep"}
    listed = (
        f'<b class="name">{first.player.name}</b> <span class="muted">–</span> <b class="name">{second.player.name}</b>'
    )
    assert "Kept apart" in shown(alices, hall)

    answer = alices.post(keep, names, follow=True)
    assert answer.redirect_chain == [(url(hall), 302)]
    assert listed in shown(alices, hall)
    alices.post(keep, names | {"act": "let_meet"})
    assert listed not in shown(alices, hall)

    wrong = alices.post(keep, names | {"second": first.public_id}, follow=True)
    assert "Choose two different players" in wrong.content.decode()
    assert "Choose a player from the list" in alices.post(keep, names | {"second": "zzz"}, follow=True).content.decode()


def test_the_page_of_a_draw_tells_who_is_kept_apart_and_that_a_draft_is_discarded(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor, alices: Client
) -> None:
    hall = Hall(make_division(), by_alice)
    hall.enter(make_players(4))
    page = url(hall).replace("rounds/", "draw/")
    first, second = hall.division.entries.all()[:2]
    names = {"first": first.public_id, "second": second.public_id, "page": "draw", "act": "keep"}
    assert "The draft is discarded" not in alices.get(page).content.decode()
    alices.post(page.replace("draw/", "keep-apart/"), names)
    assert "1 pair kept apart" in alices.get(page).content.decode()

    hall.begin(StageSettings("swiss", rounds=3))

    assert "Kept apart" not in alices.get(page).content.decode(), "it is on the page of the rounds now"


def test_a_draft_names_two_who_could_not_be_kept_in_different_groups(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor, alices: Client
) -> None:
    hall = Hall(make_division(), by_alice)
    entered = hall.enter(make_players(3))
    for first, second in combinations(entered, 2):
        keep_apart(first=first, second=second, by=by_alice, now=hall.now())
    hall.enter([Player.objects.create(name="Dave")])
    settings = StageSettings("groups", groups=2)
    set_stages(division=hall.division, stages=[settings], after=hall.seq, by=by_alice, now=hall.now())
    publish_tournament(tournament=hall.division.tournament, by=by_alice, now=hall.now())
    draw = request_draw(division=hall.division, by=by_alice, now=hall.now())
    make_draft(draw_id=draw.pk, now=hall.now())

    page = alices.get(url(hall).replace("rounds/", "draw/")).content.decode()

    assert page.count("could not be kept in different groups") == 1
