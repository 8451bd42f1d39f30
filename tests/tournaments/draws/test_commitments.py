"""Commitments: a seed is on the club's public list before anybody can see a draft drawn from it."""

import hashlib
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from engine.errors import Refused
from formats.settings import StageSettings
from players.actors import Actor
from players.models import Club, Player
from tests.event_cast import NOON
from tournaments.draws import services as draws
from tournaments.draws.lists import commitments_of, lines
from tournaments.entries import services as entries
from tournaments.events import services as events
from tournaments.models import Commitment, Division, Draw, Stage, Tournament
from tournaments.state.stages import set_stages

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
MakeDivision = Callable[..., Division]
MakePlayers = Callable[[int], list[Player]]


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        act()
    return refused.value.code


def fates(club: Club) -> list[tuple[int, str]]:
    return [(line.commitment.number, line.fate) for line in lines(commitments_of(club).order_by("number"))]


@pytest.fixture
def entered(make_division: MakeDivision, make_players: MakePlayers, by_alice: Actor) -> Division:
    division = make_division()
    entries.enter(division=division, players=make_players(5), by=by_alice, now=NOON)
    division.refresh_from_db()
    return division


def test_nothing_is_drawn_before_the_event_is_published(entered: Division, by_alice: Actor) -> None:
    assert refusal(lambda: draws.request_draw(division=entered, by=by_alice, now=NOON)) == "event_not_published"
    assert not Draw.objects.exists()
    assert not Commitment.objects.exists()


def test_the_hashes_are_listed_when_the_event_is_published(entered: Division, club: Club, by_alice: Actor) -> None:
    groups = [StageSettings("groups", groups=2, qualifiers=1), StageSettings("knockout")]
    set_stages(division=entered, stages=groups, after=entered.seq, by=by_alice, now=NOON)
    events.publish_tournament(tournament=entered.tournament, by=by_alice, now=NOON)

    rows = list(Commitment.objects.order_by("number"))
    assert [(row.number, row.stage_number) for row in rows] == [(1, 1), (2, 2)]
    for row, stage in zip(rows, Stage.objects.order_by("number"), strict=True):
        assert row.seed_hash == hashlib.sha256(bytes.fromhex(stage.seed)).hexdigest()
        assert row.lots_hash == hashlib.sha256(bytes.fromhex(stage.lots_seed)).hexdigest()
    assert fates(club) == [(1, "open"), (2, "open")]


def test_publishing_and_drawing_with_one_button_commits_first(entered: Division, club: Club, by_alice: Actor) -> None:
    draw = draws.publish_event_and_draw(division=entered, by=by_alice, now=NOON)

    assert draw.commitment == Commitment.objects.get()
    assert Tournament.objects.get().status == Tournament.Status.PUBLISHED
    draws.make_draft(draw_id=draw.pk, now=NOON)
    assert fates(club) == [(1, "drafted")]


def test_every_draft_and_its_reason_stays_on_the_list(entered: Division, club: Club, by_alice: Actor) -> None:
    draw = draws.publish_event_and_draw(division=entered, by=by_alice, now=NOON)
    draws.make_draft(draw_id=draw.pk, now=NOON)
    again = draws.request_draw(division=entered, by=by_alice, now=NOON, reason="Two came late")
    draws.make_draft(draw_id=again.pk, now=NOON)
    entered.refresh_from_db()
    draws.publish_draw(division=entered, after=entered.seq, by=by_alice, now=NOON)

    (line,) = lines(commitments_of(club))
    assert line.fate == "drawn"
    assert [draft.reason for draft in line.redraws] == ["Two came late"]
    assert len(line.seen_drafts) == 2
    assert line.seed == Stage.objects.get().seed
    assert line.lots_seed is None


@pytest.mark.parametrize("looked", [False, True])
def test_a_draft_that_was_never_published_stays_on_the_list(
    entered: Division, club: Club, by_alice: Actor, looked: bool
) -> None:
    events.publish_tournament(tournament=entered.tournament, by=by_alice, now=NOON)
    if looked:
        draw = draws.request_draw(division=entered, by=by_alice, now=NOON)
        draws.make_draft(draw_id=draw.pk, now=NOON)
    events.cancel_tournament(tournament=entered.tournament, by=by_alice, now=NOON)

    (line,) = lines(commitments_of(club))
    assert line.fate == "abandoned"
    assert bool(line.seen_drafts) == looked
    stage = Stage.objects.get()
    assert (line.seed, line.lots_seed) == (stage.seed, stage.lots_seed), "an event that is over has no secrets"


def test_stages_added_or_removed_after_publishing_are_listed(entered: Division, club: Club, by_alice: Actor) -> None:
    events.publish_tournament(tournament=entered.tournament, by=by_alice, now=NOON)
    two = [StageSettings("groups", groups=2, qualifiers=1), StageSettings("knockout")]
    for stages in (two, [StageSettings("knockout")], two):
        entered.refresh_from_db()
        set_stages(division=entered, stages=stages, after=entered.seq, by=by_alice, now=NOON)

    assert fates(club) == [(1, "open"), (2, "abandoned"), (3, "open")]


def test_the_numbers_of_a_club_have_no_gaps(
    club: Club, tournament: Tournament, make_division: MakeDivision, by_alice: Actor
) -> None:
    for name in ("A", "B"):
        make_division(name=name)
    events.publish_tournament(tournament=tournament, by=by_alice, now=NOON)
    make_division(name="C")
    assert list(Commitment.objects.order_by("number").values_list("number", "division__name")) == [
        (1, "A"),
        (2, "B"),
        (3, "C"),
    ]


def test_everybody_can_read_and_mirror_the_list(entered: Division, club: Club, by_alice: Actor, client: Client) -> None:
    draw = draws.publish_event_and_draw(division=entered, by=by_alice, now=NOON)
    draws.make_draft(draw_id=draw.pk, now=NOON)
    stage = Stage.objects.get()

    page = client.get(reverse("commitments", args=[club.slug])).content.decode()
    (row,) = client.get(reverse("api-commitments", args=[club.slug])).json()["results"]

    assert stage.seed_hash in page
    assert stage.lots_hash in page
    assert "Draft made, not published" in page
    assert (row["number"], row["seed_hash"], row["fate"]) == (1, stage.seed_hash, "drafted")
    assert [(draft["number"], draft["seen"]) for draft in row["drafts"]] == [(1, True)]
    for secret in (stage.seed, stage.lots_seed):
        assert secret not in page
        assert secret not in str(row)


def test_a_single_click_publishes_the_event_and_requests_a_draft(
    entered: Division, club: Club, alice: object, password: str, client: Client
) -> None:
    client.login(username="alice@example.org", password=password)
    address = [club.slug, entered.tournament.slug, entered.public_id]
    assert "Publish event and draw" in client.get(reverse("draw", args=address)).content.decode()

    client.post(reverse("draw-request", args=address), {"reason": ""})
    assert not Draw.objects.exists(), "without the field nothing is published or drawn"
    client.post(reverse("draw-request", args=address), {"reason": "", "publish_event": "on"})

    assert Draw.objects.get().commitment == Commitment.objects.get()
