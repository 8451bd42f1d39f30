"""The page tells the player who reports whether the other one knows of it, and is right."""

import pytest

from matches import access
from matches.models import Claim, Match
from matches.reporting import reports
from matches.reporting.reports import delivery_status, preview_of
from players.actors import Actor
from players.models import Delivery, Player, User
from players.notifications import services as notifications
from players.notifications.emails import send_emails
from tests.matches.cast import BOB, CAROL, NOW, match_between, minutes

pytestmark = pytest.mark.django_db


def reported(match: Match) -> Claim:
    """Bob reports that he won 7–5."""
    score = reports.ScoreReport(BOB, (7, 5))
    return reports.report_score(match=match, side=BOB, report=score, by=Actor.link(BOB), now=NOW).report


def test_a_report_says_what_has_happened_so_far(match: Match, carol: User) -> None:
    claim = reported(match)
    assert delivery_status(match, claim) == "Carol will be sent a message."
    send_emails(user=carol.pk, now=NOW)
    assert delivery_status(match, claim) == "Carol was sent a message at 20 Nov, 20:00 UTC."
    reports.acknowledge(match=match, side=CAROL, by=Actor.link(CAROL), now=minutes(3))
    claim.refresh_from_db()
    assert delivery_status(match, claim) == "Carol has seen it."


@pytest.mark.parametrize(
    ("wanted", "before", "after"),
    [
        (
            {"site"},
            "Carol will see it here, but gets no message.",
            "Carol will see it here, but gets no message.",
        ),
        (set(), "Carol cannot be notified. Tell them yourself.", "Carol cannot be notified."),
        ({"email"}, "Carol will be sent a message.", "Carol will be sent a message."),
    ],
)
def test_what_the_other_player_has_chosen_is_said_before_and_after(
    match: Match, bob: User, carol: User, wanted: set[str], before: str, after: str
) -> None:
    notifications.save_choices(user=carol, wanted={"reported": wanted})
    seat = access.match_for_player(bob, match.public_id)
    assert preview_of(seat, BOB, (7, 5)).next_step == f"Carol or the director has to confirm it. {before}"
    assert delivery_status(match, reported(match)).startswith(after)


def test_what_could_not_be_delivered_is_not_called_sent(match: Match, carol: User) -> None:
    notifications.save_choices(user=carol, wanted={"reported": {"email"}})
    claim = reported(match)
    Delivery.objects.update(state=Delivery.State.GIVEN_UP)
    assert delivery_status(match, claim).startswith("Carol cannot be notified.")


def test_nobody_is_said_to_know_who_has_no_account(bob_player: Player) -> None:
    match = match_between(bob_player, Player.objects.create(name="Ghost"))
    assert delivery_status(match, reported(match)).startswith("Ghost cannot be notified.")
