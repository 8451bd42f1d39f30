"""What was decided on an older version of a division is refused if what it is about has changed, and says by whom."""

import ast
import operator
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client
from django.urls import reverse

from core.messages import sentence
from engine.errors import Refused
from formats.settings import Leader
from matches.lifecycle.finish import ResultInput
from players.actors import Actor
from players.models import Membership, Player, User
from tests.clock import NOON
from tests.pages import html
from tests.tournaments.floor.test_batches import FLOW, Night, people, start
from tests.tournaments.offers.conftest import Desk, desk
from tournaments.draws import rounds, services
from tournaments.draws.undo import undo_paired_round, undo_published_draw
from tournaments.entries.late import enter_late, undo_late
from tournaments.entries.reentries import reenter
from tournaments.entries.services import withdraw
from tournaments.entries.substitutions import SubstituteInput, substitute
from tournaments.events.deadlines import set_deadlines
from tournaments.events.services import update_division
from tournaments.floor.batches import pair_now
from tournaments.floor.by_hand import change_flow, pair_by_hand
from tournaments.floor.endings import end_stage
from tournaments.models import Correction, Division, Entry, Fixture, Stage, Tournament
from tournaments.offers import services as offers
from tournaments.results.corrections import CorrectionInput, apply_correction, undo_correction
from tournaments.results.services import enter_result
from tournaments.state.stages import set_stages
from tournaments.state.versions import DivisionPart

__all__ = ["desk", "people", "start"]
pytestmark = pytest.mark.django_db
PLAN, ENTRIES, PAIRING = DivisionPart.PLAN, DivisionPart.ENTRIES, DivisionPart.PAIRING


class Scene(NamedTuple):
    """What is decided about: a division, and what is there of it."""

    division: Division

    @property
    def stage(self) -> Stage:
        return self.division.stages.get(number=1)

    @property
    def entries(self) -> list[Entry]:
        return list(self.division.entries.select_related("player", "division__tournament").order_by("pk"))

    @property
    def corrected(self) -> tuple[Fixture, CorrectionInput]:
        fixture = Fixture.objects.filter(status="decided").select_related("match", "stage__division").earliest("number")
        assert fixture.match is not None
        loser = 1 - fixture.match.results.latest("version").winner
        return fixture, CorrectionInput(ResultInput(loser, (5, 1) if loser == 0 else (1, 5)), "correct_all", "Misheard")


def corrects(scene: Scene, **seen: Any) -> None:
    fixture, correction = scene.corrected
    apply_correction(fixture=fixture, correction=correction, **seen)


def undoes_correction(scene: Scene, **seen: Any) -> None:
    undo_correction(correction=Correction.objects.get(undoes=None), **seen)


class Decision(NamedTuple):
    """How it is decided with the `seq` that was seen, in which function it is refused, and what it depends on."""

    decide: Callable[..., Any]
    refused_in: str
    parts: Collection[DivisionPart] = ()


TWO = slice(2)
DECISIONS = {
    "a bracket follows": Decision(
        lambda on, **seen: end_stage(stage=on.stage, places=8, stop=False, **seen), "floor/endings.py:end_stage", [PLAN]
    ),
    "a bracket follows, the matches are void": Decision(
        lambda on, **seen: end_stage(stage=on.stage, places=8, stop=True, **seen),
        "floor/endings.py:end_stage",
        [PLAN, PAIRING],
    ),
    "two are paired by hand": Decision(
        lambda on, **seen: pair_by_hand(
            stage=on.stage, first=on.entries[0], second=on.entries[1], reason="Bus", **seen
        ),
        "floor/by_hand.py:pair_by_hand",
        [PLAN],
    ),
    "rules of pairing": Decision(
        lambda on, **seen: change_flow(stage=on.stage, window=3, lead=1, leader=Leader.PLAYS, switch_time=None, **seen),
        "floor/by_hand.py:change_flow",
        [PLAN],
    ),
    "pair now": Decision(lambda on, **seen: pair_now(stage=on.stage, reason="Bus", **seen), "floor/batches.py:_make"),
    "draw taken back": Decision(
        lambda on, **seen: undo_published_draw(division=on.division, reason="Slip", **seen),
        "draws/undo.py:_locked",
        [PLAN],
    ),
    "round taken back": Decision(
        lambda on, **seen: undo_paired_round(division=on.division, round_number=1, reason="Slip", **seen),
        "draws/undo.py:_locked",
        [PLAN],
    ),
    "next round": Decision(
        lambda on, **seen: rounds.request_round(division=on.division, **seen), "draws/rounds.py:_locked", [PLAN]
    ),
    "settings of rounds": Decision(
        lambda on, **seen: rounds.change_rounds(division=on.division, changes=rounds.RoundChanges(9), **seen),
        "draws/rounds.py:_locked",
        [PLAN],
    ),
    "countdown": Decision(
        lambda on, **seen: services.stop_countdown(division=on.division, **seen),
        "draws/services.py:stop_countdown",
        [PLAN],
    ),
    "publish": Decision(
        lambda on, **seen: services.publish_draw(division=on.division, **seen),
        "draws/services.py:publish_draw",
        [PLAN, ENTRIES],
    ),
    "formats": Decision(
        lambda on, **seen: set_stages(division=on.division, stages=FLOW, **seen), "state/stages.py:set_stages", [PLAN]
    ),
    "settings": Decision(
        lambda on, **seen: update_division(division=on.division, fee=500, **seen),
        "events/services.py:update_division",
        [PLAN],
    ),
    "deadlines": Decision(
        lambda on, **seen: set_deadlines(division=on.division, deadlines=[NOON], **seen),
        "events/deadlines.py:set_deadlines",
        [PLAN],
    ),
    "substitute": Decision(
        lambda on, **seen: substitute(entry=on.entries[-1], substitute=SubstituteInput("Nora Lund"), **seen),
        "entries/substitutions.py:_replace",
        [ENTRIES],
    ),
    "list starts": Decision(
        lambda on, **seen: offers.start(division=on.division, names=2, **seen),
        "offers/services.py:start",
        [PLAN, ENTRIES],
    ),
    "late entry": Decision(
        lambda on, **seen: enter_late(division=on.division, players=[Player.objects.create(name="Nora Lund")], **seen),
        "entries/late.py:enter_late",
    ),
    "late entry undone": Decision(
        lambda on, **seen: undo_late(entry=on.entries[-1], **seen), "entries/late.py:undo_late"
    ),
    "entered again": Decision(lambda on, **seen: reenter(entry=on.entries[0], **seen), "entries/reentries.py:reenter"),
    "correction": Decision(corrects, "results/corrections.py:apply_correction"),
    "correction undone": Decision(undoes_correction, "results/corrections.py:undo_correction"),
}
LIST_STARTS, CORRECTED = ["list starts"], ["correction undone"]
AT_THE_SAME_POINT = [name for name in DECISIONS if [name] not in (LIST_STARTS, CORRECTED)]
"""Decided about one evening as it is after three results; the others begin with something else."""
OF_MATCHES_AND_VENUES = {"events/venues.py", "events/deadlines.py", "results/services.py"}


@pytest.fixture
def cem(club: Any, django_user_model: type[User]) -> Actor:
    """A second director, of the Harbour."""
    user = django_user_model.objects.create_user(email="cem@example.com", password=None, display_name="Cem Aydin")
    player = Player.objects.create(name="Cem Aydin", user=user)
    Membership.objects.create(club=club, player=player, role=Membership.Role.DIRECTOR)
    return Actor.of(user)


def functions(pattern: str) -> Iterator[str]:
    """Yield the functions of tournaments in which a pattern stands, as `file:function`."""
    folder = settings.BASE_DIR / "tournaments"
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if re.search(pattern, text) else ():
            if isinstance(node, ast.FunctionDef) and re.search(pattern, ast.get_source_segment(text, node) or ""):
                yield f"{path.relative_to(folder)}:{node.name}"


def test_each_decision_about_a_division_is_here() -> None:
    """Whatever compares the version of a division does it in one way, and is among the decisions."""
    known = {decision.refused_in for decision in DECISIONS.values()}
    assert known | {"state/versions.py:refuse_stale"} == set(functions(r"\brefuse_stale\("))
    compared = {name.split(":")[0] for name in functions(r"\bseq != (self\.)?after\b")}
    # Corrections look first whether the same was done before.
    assert compared - OF_MATCHES_AND_VENUES == {"results/corrections.py"}


def stale(decision: Decision, scene: Scene, after: int, by: Actor, now: Any) -> Refused | None:
    """Decide; return why it is refused as stale, or None."""
    try:
        decision.decide(scene, after=after, by=by, now=now)
    except Refused as refused:
        return refused if refused.code == "stale" else None
    return None


@pytest.fixture
def scenes(
    start: Callable[..., Tournament], by_alice: Actor, request: pytest.FixtureRequest
) -> Callable[[str], tuple[Scene, Night]]:
    """The division in which it is decided, and its night."""

    def prepared(name: str) -> tuple[Scene, Night]:
        if name == "list starts":
            at_desk: Desk = request.getfixturevalue("desk")
            at_desk.join("Ann", "Bea")
            return Scene(at_desk.run(1)), Night(at_desk.event, by_alice)
        night = Night(start(), by_alice)
        # It goes on until somebody has lost, is out, and who has won can be paired again.
        while Fixture.objects.filter(status="decided").count() < 3:
            night.step()
        scene = Scene(night.division)
        if name == "correction undone":
            corrects(scene, after=scene.division.seq, by=by_alice, now=night.now)
        return scene, night

    return prepared


@contextmanager
def undone_afterwards(night: Night) -> Iterator[None]:
    """What is done to a night meanwhile is undone, so that the next decision is about the same night."""
    now, ends = night.now, dict(night.ends)
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    night.now, night.ends = now, ends


# Nobody is paired before a list starts.
@pytest.mark.parametrize("names", [CORRECTED, AT_THE_SAME_POINT], ids=operator.itemgetter(0))
def test_what_the_site_does_refuses_only_what_depends_on_it(
    scenes: Callable[[str], tuple[Scene, Night]], by_alice: Actor, names: Sequence[str], subtests: pytest.Subtests
) -> None:
    scene, night = scenes(names[0])
    seen = night.division.seq
    while night.division.pairing_seq <= seen:
        night.step()
    last = Fixture.objects.latest("number").number
    for name in names:
        decision = DECISIONS[name]
        with subtests.test(name), undone_afterwards(night):
            refused = stale(decision, scene, seen, by_alice, night.now)
            if decision.parts and PAIRING not in decision.parts:
                assert refused is None
                continue
            assert refused is not None
            assert (refused.params["changed_by"], refused.params["seq"]) == ("pairing", night.division.seq)
            assert f"M{last}" in sentence("stale", refused.params)
            assert "Someone" not in sentence("stale", refused.params)
            assert stale(decision, scene, refused.params["seq"], by_alice, night.now) is None, "repeated as of now"


@pytest.mark.parametrize("part", [PLAN, ENTRIES])
@pytest.mark.parametrize("names", [LIST_STARTS, CORRECTED, AT_THE_SAME_POINT], ids=operator.itemgetter(0))
def test_what_a_person_does_is_said_with_their_name(
    scenes: Callable[[str], tuple[Scene, Night]],
    by_alice: Actor,
    cem: Actor,
    names: Sequence[str],
    part: DivisionPart,
    subtests: pytest.Subtests,
) -> None:
    scene, night = scenes(names[0])
    scene.division.refresh_from_db()
    seen = scene.division.seq
    if part == PLAN:
        update_division(division=scene.division, after=seen, fee=700, by=cem, now=night.now)
        done = "changed the settings"
    else:
        leaver = scene.entries[1]
        withdraw(entry=leaver, by=cem, now=night.now)
        done = f"withdrew from the division · {leaver.player.name}"
    for name in names:
        decision = DECISIONS[name]
        with subtests.test(name), undone_afterwards(night):
            refused = stale(decision, scene, seen, by_alice, night.now)
            if decision.parts and part not in decision.parts:
                assert refused is None
                continue
            assert refused is not None
            text = sentence("stale", refused.params)
            assert text.startswith(f"Cem Aydin changed this in the meantime: {done}")
            own = stale(decision, scene, seen, cem, night.now)
            assert own is not None
            assert sentence("stale", own.params).startswith(f"You changed this in another tab: {done}")


def test_results_and_what_only_directors_see_are_not_named(
    scenes: Callable[[str], tuple[Scene, Night]], by_alice: Actor, cem: Actor
) -> None:
    scene, night = scenes("pair now")
    seen = night.division.seq
    fixture = night.open()[0]
    assert fixture.match is not None
    enter_result(fixture=fixture, result=ResultInput(0, (5, 0)), by=cem, now=night.now)
    refused = stale(DECISIONS["pair now"], scene, seen, by_alice, night.now)
    assert refused is not None
    assert refused.params == {"seq": night.division.seq}
    assert sentence("stale", refused.params) == "This has changed in the meantime. Look again before you decide."


def test_one_tap_repeats_the_choice(
    scenes: Callable[[str], tuple[Scene, Night]], alice_client: Client, by_alice: Actor
) -> None:
    scene, night = scenes("a bracket follows, the matches are void")
    event, seen = night.event, night.division.seq
    while night.division.pairing_seq <= seen:
        night.step()
    url = reverse("floor-action", args=[event.club.slug, event.slug, "end-stage"])
    sent = {"stage": scene.stage.public_id, "places": "8", "stop": "1", "after": str(seen)}
    page = html(alice_client.post(url, sent, follow=True))
    [message] = re.findall(r'<li class="message message-error">(.*?)</li>', page)
    assert "Paired in the meantime: M" in message
    assert f'action="{url}"' in message
    again = dict(re.findall(r'name="(\w+)" value="(\w+)"', message.partition("csrfmiddlewaretoken")[2]))
    assert again == {**sent, "after": str(night.division.seq)}
    page = html(alice_client.post(url, again, follow=True))
    assert "No more pairs: then a bracket of 8." in page
