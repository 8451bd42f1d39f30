"""Two directors correct the same result at once: one correction is applied, the other is refused as stale.

In the control without the locks both are applied, or one causes an error page.
"""

from functools import partial
from typing import Any

from django.test import Client

from matches.lifecycle.finish import ResultInput
from matches.models import Match
from players.models import Membership, Player, User
from tests.concurrency.event import POSTGRESQL_ONLY, EventBuilder, fixtures, match_of
from tests.concurrency.racing import at_once, faults, refusals, without_locks
from tournaments.models import Correction, Division, Fixture
from tournaments.results import corrections
from tournaments.results import services as results
from tournaments.results.corrections import CorrectionInput
from tournaments.state.integrity import differences

pytestmark = POSTGRESQL_ONLY
ROUNDS = 6
FORFEIT = CorrectionInput(ResultInput(1, None, "forfeit"), "correct_all")
OTHER_WINNER = CorrectionInput(ResultInput(1, (0, 1)), "correct_all")


def played(builder: EventBuilder) -> tuple[Division, Fixture]:
    """A finished knockout of eight, and its first match, which side 0 won."""
    division = builder.drawn(8)
    while ready := [row for row in fixtures(division) if row.status == Fixture.Status.READY]:
        for row in ready:
            results.enter_result(fixture=row, result=ResultInput(0, (1, 0)), **builder.acts)
    division.refresh_from_db()
    return division, fixtures(division)[0]


def corrected_twice(builder: EventBuilder) -> tuple[Fixture, list[Any]]:
    """Run two corrections by directors who have seen the same state."""
    division, first = played(builder)
    preview: dict[str, Any] = {"fixture": first, "after": division.seq, **builder.acts}
    return first, at_once(
        lambda: corrections.apply_correction(correction=OTHER_WINNER, **preview),
        lambda: corrections.apply_correction(correction=FORFEIT, **preview),
    )


def fails(fixture: Fixture, outcomes: list[Any]) -> bool:
    """Return whether there was an error page, or not exactly one correction."""
    return bool(faults(outcomes)) or Correction.objects.filter(fixture=fixture).count() != 1


def test_of_two_corrections_exactly_one_is_applied(builder: EventBuilder) -> None:
    for _ in range(ROUNDS):
        fixture, outcomes = corrected_twice(builder)
        assert faults(outcomes) == []
        assert refusals(outcomes) == ["stale"]
        correction = Correction.objects.get(fixture=fixture)
        assert match_of(fixture).results.count() == 2
        assert match_of(fixture).results.latest("version") == correction.after
        assert [str(difference) for difference in differences()] == []


def test_control_two_corrections_without_the_locks(builder: EventBuilder) -> None:
    with without_locks():
        fixture, outcomes = corrected_twice(builder)
    assert fails(fixture, outcomes)


def test_the_same_correction_sent_twice_is_applied_once(builder: EventBuilder) -> None:
    for _ in range(ROUNDS):
        division, first = played(builder)
        submitted: dict[str, Any] = {"fixture": first, "correction": OTHER_WINNER, "after": division.seq}
        apply = partial(corrections.apply_correction, **submitted, **builder.acts)
        outcomes = at_once(apply, apply)
        assert faults(outcomes) == []
        assert refusals(outcomes) == []
        assert outcomes[0] == outcomes[1] == Correction.objects.get(fixture=first)


def test_a_correction_or_its_undo_comes_first(builder: EventBuilder) -> None:
    """Undo a correction while another director corrects the match again."""
    for _ in range(ROUNDS):
        division, first = played(builder)
        done = corrections.apply_correction(fixture=first, correction=OTHER_WINNER, after=division.seq, **builder.acts)
        assert done is not None
        division.refresh_from_db()
        seen: dict[str, Any] = {"after": division.seq, **builder.acts}
        outcomes = at_once(
            lambda: corrections.undo_correction(correction=done, **seen),  # noqa: B023, run at once
            lambda: corrections.apply_correction(fixture=first, correction=FORFEIT, **seen),  # noqa: B023
        )
        assert faults(outcomes) == []
        assert refusals(outcomes) == ["stale"]
        assert Correction.objects.filter(fixture=first).count() == 2
        assert [str(difference) for difference in differences()] == []


def test_in_the_api_one_director_gets_201_and_the_other_409(builder: EventBuilder, alice: User, password: str) -> None:
    second = User.objects.create_user("grete@example.org", password, display_name="Grete")
    player = Player.objects.create(name="Grete", user=second)
    Membership.objects.create(club=builder.club, player=player, role=Membership.Role.DIRECTOR)
    boss = Player.objects.get_or_create(user=alice, defaults={"name": "Alice"})[0]
    Membership.objects.get_or_create(club=builder.club, player=boss, defaults={"role": Membership.Role.OWNER})
    for _ in range(ROUNDS // 2):
        division, first = played(builder)

        def sent(user: User, body: dict[str, Any], first: Fixture = first, division: Division = division) -> Any:
            client = Client()
            client.force_login(user)
            request = {**body, "choice": "correct_all", "after": division.seq}
            address = f"/api/v1/fixtures/{first.public_id}/corrections/"
            return client.post(address, request, content_type="application/json")

        answers = at_once(
            lambda: sent(alice, {"winner": 1, "score": [0, 1]}),
            lambda: sent(second, {"winner": 1, "kind": "forfeit"}),
        )
        assert faults(answers) == []
        assert sorted(answer.status_code for answer in answers) == [201, 409]
        assert [answer.json()["code"] for answer in answers if answer.status_code == 409] == ["stale"]
        assert Match.objects.get(pk=first.match_id).results.count() == 2
