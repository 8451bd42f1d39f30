"""Pairs that are kept apart, in draws and in rounds."""

from collections.abc import Callable
from random import Random

import pytest

from engine.errors import Refused
from formats.lots import commitment
from formats.settings import NextRound, StageSettings
from players.actors import Actor
from players.models import LogEntry, Player
from tests.event_cast import SEED
from tests.tournaments.support.swiss_rounds import DivisionDriver, is_clean, pairs_of
from tournaments.draws import services as draws
from tournaments.draws.kept_apart import apart_view, can_keep_apart, keep_apart, let_meet
from tournaments.draws.rounds import request_round
from tournaments.events import services as events
from tournaments.models import Division, Draw, Entry, KeptApart, Tournament
from tournaments.state import stages
from tournaments.state.names import names_of

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]
StartDivision = Callable[..., DivisionDriver]


@pytest.fixture
def start_division(
    make_division: Callable[..., Division], make_players: Callable[[int], list[Player]], by_alice: Actor
) -> StartDivision:
    """Return a function that enters players and sets a format, with a fixed seed and no draw."""

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
    """Return the half or group of an entry."""
    return draw.places.index(entry.pk) * sections // len(draw.places)


@pytest.mark.parametrize(
    ("settings", "sections"),
    [
        (StageSettings("knockout"), 2),
        (StageSettings("double", second_final=True), 2),
        (StageSettings("groups", groups=3), 3),
    ],
    ids=lambda value: getattr(value, "format", None),
)
def test_a_draw_places_a_pair_in_different_halves_or_groups(
    start_division: StartDivision, settings: StageSettings, sections: int
) -> None:
    driver = start_division(9, settings)
    pair = two(driver).values()

    def together() -> int:
        drafts = [draft(driver, "once more") for _ in range(8)]
        return sum(len({section(draw, entry, sections) for entry in pair}) == 1 for draw in drafts)

    assert together() > 0, "without keeping them apart they are drawn together"
    apart(driver)
    assert together() == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["swiss", "lives"])
def test_a_pair_is_never_paired_in_any_round(start_division: StartDivision, name: str) -> None:
    driver = start_division(8, StageSettings(name, **({"rounds": 6} if name == "swiss" else {"lives": 3})))
    apart(driver)
    driver.begin(StageSettings(name, **({"rounds": 6} if name == "swiss" else {"lives": 3})))
    driver.play_out(Random(3))

    pair = {entry.pk for entry in two(driver).values()}
    played = [set(pair_) for draw in driver.rounds() for pair_ in pairs_of(draw)]
    assert len(driver.rounds()) >= 5
    assert pair not in played
    assert is_clean()


def test_keeping_apart_applies_from_the_next_round_and_outdates_its_draft(start_division: StartDivision) -> None:
    driver = start_division(4, StageSettings("swiss", rounds=3, next_round=NextRound.ASK))
    driver.begin(StageSettings("swiss", rounds=3, next_round=NextRound.ASK))
    met, _other = pairs_of(driver.rounds()[0])
    first, second = (Entry.objects.get(pk=pk) for pk in met)
    keep_apart(first=first, second=second, by=driver.by, now=driver.now())
    driver.play_round()
    assert set(met) in [set(pair_) for pair_ in pairs_of(driver.rounds()[0])], "a paired round does not change"

    request_round(division=driver.division, by=driver.by, now=driver.now(), after=driver.seq)
    driver.work()
    left, _right = pairs_of(driver.draw_of(2)[-1])
    pair = [Entry.objects.get(pk=pk) for pk in left]
    keep_apart(first=pair[0], second=pair[1], by=driver.by, now=driver.now())
    with pytest.raises(Refused) as refused:
        driver.publish()
    assert refused.value.code == "draft_outdated"


def test_keeping_apart_discards_a_draft_and_is_refused_while_one_is_made(start_division: StartDivision) -> None:
    driver = start_division(8, StageSettings("knockout"))
    old = draft(driver)
    seq_before = driver.seq
    apart(driver)
    old.refresh_from_db()
    assert old.state == Draw.State.DISCARDED
    assert driver.seq > seq_before

    draws.request_draw(division=driver.division, by=driver.by, now=driver.now(), reason="two are kept apart")
    with pytest.raises(Refused) as refused:
        let_meet(**two(driver), by=driver.by, now=driver.now())
    assert refused.value.code == "draft_in_work"
    assert KeptApart.objects.filter(taken_back_at=None).count() == 1


def test_the_order_of_a_pair_does_not_matter_and_it_can_meet_again(start_division: StartDivision) -> None:
    driver = start_division(8, StageSettings("knockout"))
    first, second = two(driver).values()
    kept = keep_apart(first=first, second=second, by=driver.by, now=driver.now())
    seq = driver.seq
    assert keep_apart(first=second, second=first, by=driver.by, now=driver.now()) == kept
    assert driver.seq == seq

    let_meet(first=second, second=first, by=driver.by, now=driver.now())
    with pytest.raises(Refused) as refused:
        let_meet(first=first, second=second, by=driver.by, now=driver.now())
    assert refused.value.code == "not_kept_apart"
    again = keep_apart(first=first, second=second, by=driver.by, now=driver.now())
    assert again != kept
    verbs = LogEntry.objects.filter(topic=driver.division.topic, verb__in=["kept_apart", "let_meet"]).order_by("pk")
    assert [row.verb for row in verbs] == ["kept_apart", "let_meet", "kept_apart"]
    assert {tuple(row.params["entries"]) for row in verbs} == {tuple(sorted((first.pk, second.pk)))}


def test_letting_a_pair_meet_requests_a_refused_round_again(start_division: StartDivision) -> None:
    driver = start_division(2, StageSettings("lives", lives=3))
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


def test_invalid_pairs_are_refused(start_division: StartDivision) -> None:
    driver = start_division(6, StageSettings("knockout"))
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
def test_pairs_can_be_kept_apart_while_a_draw_or_round_is_to_come(
    start_division: StartDivision, settings: list[StageSettings], begun: bool, possible: bool
) -> None:
    driver = start_division(6, *settings)
    if begun:
        driver.begin(*settings)
    assert can_keep_apart(Division.objects.get(pk=driver.division.pk)) is possible
    if possible:
        assert apart(driver).taken_back_at is None
    else:
        with pytest.raises(Refused) as refused:
            apart(driver)
        assert refused.value.code == "nothing_to_keep_apart"


def test_no_pair_is_kept_apart_after_the_last_round(start_division: StartDivision) -> None:
    settings = [StageSettings("swiss", rounds=1, qualifiers=2), StageSettings("knockout")]
    driver = start_division(4, *settings)
    driver.begin(*settings)
    driver.play_round()
    assert driver.ready(), "the knockout has open matches"
    assert not can_keep_apart(Division.objects.get(pk=driver.division.pk))


def test_the_choices_are_current_entries_sorted_by_name(start_division: StartDivision) -> None:
    driver = start_division(4, StageSettings("swiss", rounds=3))
    names = ["carol", "Bob", "Dave", "alice"]
    for entry, name in zip(driver.division.entries.order_by("pk"), names, strict=True):
        Player.objects.filter(pk=entry.player_id).update(name=name)
    driver.withdraw(driver.division.entries.get(player__name="Dave"))

    view = apart_view(driver.division, names_of(driver.division, staff=True))

    assert view is not None
    assert [name for _, name in view.choices] == ["alice", "Bob", "carol"]
