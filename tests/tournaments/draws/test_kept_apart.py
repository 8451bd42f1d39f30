"""Two who are not to meet: in draws of every kind, and round after round."""

from collections.abc import Callable
from random import Random

import pytest

from engine.errors import Refused
from players.actors import Actor
from players.models import LogEntry, Player
from tests.tournaments.conftest import SEED
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean, pairs_of
from tournaments.draws.selectors.kept_apart import apart_view
from tournaments.draws.services import draws
from tournaments.draws.services.kept_apart import can_keep_apart, keep_apart, let_meet
from tournaments.draws.services.rounds import request_round
from tournaments.events.services import events
from tournaments.formats.lots import commitment
from tournaments.formats.settings import NextRound, StageSettings
from tournaments.models import Division, Draw, Entry, KeptApart, Tournament
from tournaments.state import stages
from tournaments.state.names import names_of

pytestmark = pytest.mark.django_db
Made = Callable[..., DivisionDriver]


@pytest.fixture
def made(make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor) -> Made:
    """A division of so many whose format is set, and whose draw nobody has asked for; lots fall the same each time."""

    def make(count: int, *settings: StageSettings, **division: object) -> DivisionDriver:
        driver = DivisionDriver(make_division(**division), by_alice)
        driver.enter(make_players(count))
        stages.set_stages(division=driver.division, stages=settings, after=driver.seq, by=by_alice, now=driver.now())
        driver.division.stages.update(seed=SEED.hex(), seed_hash=commitment(SEED))
        if driver.division.tournament.status == Tournament.Status.DRAFT:
            events.publish_tournament(tournament=driver.division.tournament, by=by_alice, now=driver.now())
        return driver

    return make


def two(driver: DivisionDriver) -> dict[str, Entry]:
    first, second = driver.division.entries.order_by("-pk")[:2]
    return {"first": first, "second": second}


def apart(driver: DivisionDriver) -> KeptApart:
    return keep_apart(**two(driver), by=driver.by, now=driver.now())


def draft(driver: DivisionDriver, reason: str = "") -> Draw:
    draw = draws.request_draw(division=driver.division, by=driver.by, now=driver.now(), reason=reason)
    draws.make_draft(draw_id=draw.pk, now=driver.now())
    draw.refresh_from_db()
    return draw


def section(draw: Draw, entry: Entry, sections: int) -> int:
    """Which half, or which group, an entry stands in."""
    return draw.places.index(entry.pk) * sections // len(draw.places)


@pytest.mark.parametrize(
    ("settings", "sections"),
    [
        (StageSettings("knockout"), 2),
        (StageSettings("double", second_final=True), 2),
        (StageSettings("groups", groups=3), 3),
    ],
    ids=lambda one: getattr(one, "format", None),
)
def test_a_draw_keeps_them_in_different_halves_or_groups(made: Made, settings: StageSettings, sections: int) -> None:
    driver = made(9, settings)
    pair = two(driver).values()

    def together() -> int:
        drafts = [draft(driver, "once more") for _ in range(8)]
        return sum(len({section(one, entry, sections) for entry in pair}) == 1 for one in drafts)

    assert together() > 0, "by lot alone they come together"
    apart(driver)
    assert together() == 0


@pytest.mark.parametrize("name", ["swiss", "lives"])
def test_they_are_never_paired_while_rounds_go_on(made: Made, name: str) -> None:
    driver = made(8, StageSettings(name, **({"rounds": 6} if name == "swiss" else {"lives": 3})))
    apart(driver)
    driver.begin(StageSettings(name, **({"rounds": 6} if name == "swiss" else {"lives": 3})))
    driver.play_out(Random(3))

    pair = {entry.pk for entry in two(driver).values()}
    played = [set(one) for draw in driver.rounds() for one in pairs_of(draw)]
    assert len(driver.rounds()) >= 5
    assert pair not in played
    assert is_clean()


def test_it_holds_from_the_next_round_and_outdates_the_draft_of_one(made: Made) -> None:
    driver = made(4, StageSettings("swiss", rounds=3, next_round=NextRound.ASK))
    driver.begin(StageSettings("swiss", rounds=3, next_round=NextRound.ASK))
    met, _other = pairs_of(driver.rounds()[0])
    first, second = (Entry.objects.get(pk=pk) for pk in met)
    keep_apart(first=first, second=second, by=driver.by, now=driver.now())
    driver.play_round()
    assert set(met) in [set(one) for one in pairs_of(driver.rounds()[0])], "what was paired stands"

    request_round(division=driver.division, by=driver.by, now=driver.now(), after=driver.seq)
    driver.work()
    left, _right = pairs_of(driver.draw_of(2)[-1])
    pair = [Entry.objects.get(pk=pk) for pk in left]
    keep_apart(first=pair[0], second=pair[1], by=driver.by, now=driver.now())
    with pytest.raises(Refused) as refused:
        driver.publish()
    assert refused.value.code == "draft_outdated"


def test_a_draft_of_the_whole_draw_is_discarded_and_one_being_made_is_waited_for(made: Made) -> None:
    driver = made(8, StageSettings("knockout"))
    old = draft(driver)
    asked_before = driver.seq
    apart(driver)
    old.refresh_from_db()
    assert old.state == Draw.State.DISCARDED
    assert driver.seq > asked_before

    draws.request_draw(division=driver.division, by=driver.by, now=driver.now(), reason="two are kept apart")
    with pytest.raises(Refused) as refused:
        let_meet(**two(driver), by=driver.by, now=driver.now())
    assert refused.value.code == "draft_in_work"
    assert KeptApart.objects.filter(taken_back_at=None).count() == 1


def test_a_pair_is_one_whichever_is_named_first_and_may_meet_after_all(made: Made) -> None:
    driver = made(8, StageSettings("knockout"))
    first, second = two(driver).values()
    one = keep_apart(first=first, second=second, by=driver.by, now=driver.now())
    seq = driver.seq
    assert keep_apart(first=second, second=first, by=driver.by, now=driver.now()) == one
    assert driver.seq == seq

    let_meet(first=second, second=first, by=driver.by, now=driver.now())
    with pytest.raises(Refused) as refused:
        let_meet(first=first, second=second, by=driver.by, now=driver.now())
    assert refused.value.code == "not_kept_apart"
    again = keep_apart(first=first, second=second, by=driver.by, now=driver.now())
    assert again != one
    verbs = LogEntry.objects.filter(topic=driver.division.topic, verb__in=["kept_apart", "let_meet"]).order_by("pk")
    assert [row.verb for row in verbs] == ["kept_apart", "let_meet", "kept_apart"]
    assert {tuple(row.params["entries"]) for row in verbs} == {tuple(sorted((first.pk, second.pk)))}


def test_letting_two_meet_asks_again_for_a_round_that_could_not_be_paired(made: Made) -> None:
    driver = made(2, StageSettings("lives", lives=3))
    driver.begin(StageSettings("lives", lives=3))
    apart(driver)
    driver.play_round()
    driver.work()
    assert driver.draw_of(2)[-1].refusal == {"code": "no_legal_pairing", "params": {"round": 2}}

    let_meet(**two(driver), by=driver.by, now=driver.now())
    driver.work()

    draft = driver.draw_of(2)[-1]
    assert (draft.state, draft.refusal) == (Draw.State.DRAFT, None)
    assert is_clean()


def test_who_is_refused_and_why(made: Made) -> None:
    driver = made(6, StageSettings("knockout"))
    first, second = two(driver).values()
    driver.withdraw(second)
    for pair, code in (((first, first), "pair_is_one"), ((first, second), "not_entered")):
        with pytest.raises(Refused) as refused:
            keep_apart(first=pair[0], second=pair[1], by=driver.by, now=driver.now())
        assert refused.value.code == code
    assert not KeptApart.objects.exists()


@pytest.mark.parametrize(
    ("settings", "begun", "possible"),
    [
        ([StageSettings("knockout")], False, True),
        ([StageSettings("knockout")], True, False),
        ([StageSettings("roundrobin")], False, False),
        ([StageSettings("groups", groups=2, qualifiers=2), StageSettings("knockout")], True, False),
        ([StageSettings("roundrobin", qualifiers=4), StageSettings("swiss", rounds=2)], True, True),
        ([StageSettings("swiss", rounds=2, qualifiers=4), StageSettings("knockout")], True, True),
    ],
)
def test_two_can_be_kept_apart_while_something_is_to_be_drawn_or_paired(
    made: Made, settings: list[StageSettings], begun: bool, possible: bool
) -> None:
    driver = made(6, *settings)
    if begun:
        driver.begin(*settings)
    assert can_keep_apart(Division.objects.get(pk=driver.division.pk)) is possible
    if possible:
        assert apart(driver).taken_back_at is None
    else:
        with pytest.raises(Refused) as refused:
            apart(driver)
        assert refused.value.code == "nothing_to_keep_apart"


def test_when_the_last_round_is_over_nobody_is_kept_apart(made: Made) -> None:
    settings = [StageSettings("swiss", rounds=1, qualifiers=2), StageSettings("knockout")]
    driver = made(4, *settings)
    driver.begin(*settings)
    driver.play_round()
    assert driver.ready(), "the knockout is still to be played"
    assert not can_keep_apart(Division.objects.get(pk=driver.division.pk))


def test_a_director_chooses_from_those_still_in_by_name(made: Made) -> None:
    driver = made(4, StageSettings("swiss", rounds=3))
    names = ["carol", "Bob", "Dave", "alice"]
    for entry, name in zip(driver.division.entries.order_by("pk"), names, strict=True):
        Player.objects.filter(pk=entry.player_id).update(name=name)
    driver.withdraw(driver.division.entries.get(player__name="Dave"))

    view = apart_view(driver.division, names_of(driver.division, staff=True))

    assert view is not None
    assert [name for _, name in view.choices] == ["alice", "Bob", "carol"]
