"""Who is notified of what happens to a match (docs/notifications.md), and the kinds of these notifications."""

from collections.abc import Collection
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext_noop

from core.locks import for_update
from matches.lifecycle import links
from matches.lifecycle.notices import context_of, page_of, side_notices
from matches.models import Claim, Match, Objection, Proposal, Provisional, Result
from matches.presentation.labels import final_score, score_of, won_score
from matches.reporting import for_pairs
from players.access import Role
from players.actors import Actor
from players.models import Membership, Notification, User
from players.notifications.kinds import NotificationGroup, NotificationKind, Params, kind_of
from players.notifications.services import Notice, chosen, notify_each, users_of
from players.people.pairs import persons
from players.people.rows import accounts_of

REPORTED, OBJECTED, RULED = "reported", "objected", "ruled"
PROVISIONAL = "provisional"
DEADLINE = "deadline"
FOR_BOTH = "for_both"
"""One of a pair has acted, and the other is told."""
TIMES_PROPOSED, TIMES_ACCEPTED, APPOINTMENT = "times_proposed", "times_accepted", "appointment"


def _report_waits(params: Params) -> bool:
    return Claim.objects.filter(pk=params["report"], state=Claim.State.OPEN).exists()


def _note_email(notification: Notification, at: datetime) -> None:
    Claim.objects.filter(pk=notification.params["report"], emailed_at=None).update(emailed_at=at)


def _is_provisional(params: Params) -> bool:
    return Provisional.objects.filter(pk=params["provisional"], ended_at=None).exists()


def match_is_open(params: Params) -> bool:
    """Whether the match of a notification has no result or report yet."""
    return Match.objects.filter(public_id=params["match"], state=Match.State.OPEN).exists()


def _times_wait(params: Params) -> bool:
    return Proposal.objects.filter(pk=params["proposal"], state=Proposal.State.OPEN).exists()


def _is_agreed(params: Params) -> bool:
    return Proposal.objects.filter(pk=params["proposal"], state=Proposal.State.ACCEPTED).exists()


def _appointment_ahead(params: Params) -> bool:
    return _is_agreed(params) and match_is_open(params)


def personal_link(notification: Notification) -> str:
    """Return the path of the recipient's personal link, which works without signing in; empty if they do not play."""
    side = notification.params.get("side")
    if side is None:
        return ""
    match = Match.objects.get(public_id=notification.params["match"])
    accounts = [person.user_id for person in persons(match.players[side])]
    if notification.user_id not in accounts:
        return ""
    second = accounts.index(notification.user_id) == 1
    return reverse("match-link", args=[links.token_for(match, side, second=second)])


_match_kind = partial(NotificationKind, group=NotificationGroup.MATCHES, email_url=personal_link)
KINDS = (
    _match_kind(
        code=REPORTED,
        label=gettext_noop("Your opponent reports a result"),
        sentences={
            "": gettext_noop("{reporter} reports a {score} win against you. Is that right?"),
            "sheet": gettext_noop(
                "Someone with the score sheet reports that {opponent} won {score} against you. Is that right?"
            ),
        },
        details={
            "": gettext_noop(
                "Confirm or contest it. Once you have marked it as seen, it stands after {wait_minutes} unless you "
                "answer."
            ),
            "sheet": gettext_noop("It counts once a player or the director reports it."),
        },
        players=("reporter", "opponent"),
        minutes=("wait_minutes",),
        is_urgent=True,
        is_current=_report_waits,
        after_email=_note_email,
    ),
    _match_kind(
        code=PROVISIONAL,
        label=gettext_noop("A result goes against you without your answer"),
        sentences={
            "": gettext_noop("A provisional result says that you lost to {opponent}. Is that right?"),
            "nobody": gettext_noop(
                "A provisional result says that nobody won your match against {opponent}. Is that right?"
            ),
        },
        details={
            "": gettext_noop("Once you have marked it as seen, it is final after {wait_minutes} unless you object."),
            "nobody": gettext_noop(
                "Once you have marked it as seen, it is final after {wait_minutes} unless you object."
            ),
        },
        players=("opponent",),
        minutes=("wait_minutes",),
        is_urgent=True,
        is_current=_is_provisional,
    ),
    _match_kind(
        code=FOR_BOTH,
        label=gettext_noop("Your partner in a pair reports or answers for you both"),
        sentences={
            for_pairs.REPORTED: gettext_noop("{partner} reported {score} for you both."),
            for_pairs.WITHDREW: gettext_noop("{partner} withdrew the report of {score} for you both."),
            for_pairs.CONFIRMED: gettext_noop("{partner} confirmed {score} for you both."),
            for_pairs.CONTESTED: gettext_noop("{partner} contested {score} for you both."),
            for_pairs.OBJECTED: gettext_noop("{partner} objected to the result for you both."),
            "": gettext_noop("{partner} confirmed the result for you both."),
        },
        players=("partner",),
    ),
    _match_kind(
        code=OBJECTED,
        label=gettext_noop("An objection to a result of your match or your event"),
        sentences={
            "": gettext_noop("{objector} objects to the result of the match against {opponent}."),
            "own": gettext_noop("{objector} objects to the result of your match."),
        },
        details={
            "": gettext_noop("A director has to uphold or dismiss the objection."),
            "own": gettext_noop("The director will decide."),
        },
        players=("objector", "opponent"),
    ),
    _match_kind(
        code=RULED,
        label=gettext_noop("A director’s ruling on your match"),
        sentences={
            "": gettext_noop("The director decided your match against {opponent}."),
            "won": gettext_noop("The director ruled: you won {score} against {opponent}."),
            "lost": gettext_noop("The director ruled: you lost {score} against {opponent}."),
            "won_without_score": gettext_noop("The director ruled: you won against {opponent}."),
            "lost_without_score": gettext_noop("The director ruled: you lost against {opponent}."),
            "nobody": gettext_noop("The director ruled: nobody won your match against {opponent}."),
            "upheld": gettext_noop("The director upheld the objection to the result of your match against {opponent}."),
            "dismissed": gettext_noop(
                "The director dismissed the objection to the result of your match against {opponent}."
            ),
        },
        players=("opponent",),
    ),
    _match_kind(
        code=DEADLINE,
        label=gettext_noop("A deadline within 24 hours"),
        sentences={"": gettext_noop("Play your match against {opponent} by {at}.")},
        players=("opponent",),
        times=("at",),
        lapses_after=timedelta(hours=24),
        is_current=match_is_open,
    ),
    _match_kind(
        code=TIMES_PROPOSED,
        label=gettext_noop("Your opponent proposes times to play"),
        sentences={"": gettext_noop("{opponent} proposes times for your match.")},
        details={"": gettext_noop("Choose one, or propose others.")},
        players=("opponent",),
        is_current=_times_wait,
    ),
    _match_kind(
        code=TIMES_ACCEPTED,
        label=gettext_noop("Your opponent accepts a time"),
        sentences={"": gettext_noop("{opponent} accepted your time: {at}.")},
        players=("opponent",),
        times=("at",),
        is_current=_is_agreed,
    ),
    _match_kind(
        code=APPOINTMENT,
        label=gettext_noop("Reminders of your appointments, a day and an hour before"),
        sentences={"": gettext_noop("You play {opponent} on {at}.")},
        players=("opponent",),
        times=("at",),
        is_urgent=True,
        lapses_after=timedelta(hours=24),
        is_current=_appointment_ahead,
    ),
)


# Who is notified of what happens to a match (docs/notifications.md).
#
# Each function is called in the transaction that makes the change.


def channels_of(match: Match, side: int) -> frozenset[str]:
    """How a player is asked to answer a report; empty if they have no active account or want none."""
    accounts = User.objects.filter(pk__in=users_of([match.players[side].pk]), is_active=True).values_list(
        "pk", flat=True
    )
    channels_by_account = chosen(kind_of(REPORTED), list(accounts))
    return next(iter(channels_by_account.values()), frozenset())


def respondent_of(report: Claim) -> int:
    """The side that has to answer a report: the other side, or the loser for a report from the score sheet."""
    return 1 - (report.winner if report.side is None else report.side)


def notify_respondent(match: Match, report: Claim) -> None:
    params = {
        "report": report.pk,
        "score": won_score(match, report),
        "reporter": None if report.side is None else match.players[report.side].pk,
        "wait_minutes": match.claim_wait // 60,
        "variant": "" if report.is_signed else "sheet",
    }
    _notify(match, [respondent_of(report)], REPORTED, params, report_key(report), report.created_at)


def report_key(report: Claim) -> str:
    """Return the key of the notification that asks a player to answer a report."""
    return f"{REPORTED}:{report.public_id}"


def notify_partner(
    match: Match, side: int, act: str, about: Claim | Result | None, *, by: Actor, now: datetime
) -> None:
    """Tell the other of a pair what `by` said for both of a report or a result; nobody for a side of one.

    `act` is one of `for_pairs`.
    """
    if by.person is None or about is None:
        return
    others = [person.user_id for person in persons(match.players[side]) if person.pk != by.person]
    score = final_score(match, about) if isinstance(about, Result) else about.score
    params = {
        "partner": by.person,
        "score": "" if score is None or about.winner is None else score_of(match, about.winner, score),
        "variant": "" if score is None and act == for_pairs.CONFIRMED else act,
        "side": side,
    }
    key = f"{FOR_BOTH}:{match.public_id}:{act}:{now:%Y%m%d%H%M%S%f}"
    notices = [Notice(user, context_of(match) | params, page_of(match), key) for user in others if user is not None]
    notify_each(kind=FOR_BOTH, notices=notices, now=now)


def notify_objection(match: Match, objection: Objection) -> None:
    """Tell the other player, and the directors of the club, that a result was objected to."""
    params = {"objector": match.players[objection.side].pk}
    key = f"{OBJECTED}:{objection.public_id}"
    _notify(match, [1 - objection.side], OBJECTED, params | {"variant": "own"}, key, objection.created_at)
    params |= context_of(match) | {"opponent": match.players[1 - objection.side].pk}
    notices = [Notice(user, params, page_of(match), key) for user in directors_of(match)]
    notify_each(kind=OBJECTED, notices=notices, now=objection.created_at)


def notify_answered_objection(match: Match, objection: Objection) -> None:
    at = objection.answered_at or objection.created_at
    key = f"{RULED}:{objection.public_id}"
    _notify(match, (0, 1), RULED, {"variant": objection.state}, key, at)


def notify_ruling(match: Match, result: Result) -> None:
    """Tell both players how a director has decided their match."""
    key = f"{RULED}:{match.public_id}:{result.version}"
    for side in (0, 1):
        _notify(match, [side], RULED, _ruling(match, result, side), key, result.at)


def notify_provisional(*, provisional_id: int, now: datetime) -> bool:
    """Tell players once of a provisional result against them; return whether that was still to be done."""
    with transaction.atomic():
        rows = Provisional.objects.filter(ended_at=None, notified_at=None)
        row = for_update(rows, skip_locked=True).filter(pk=provisional_id).first()
        if row is None:
            return False
        row.notified_at = now
        row.save(update_fields=["notified_at"])
        match = Match.objects.select_related("player_0", "player_1", "club").get(results=row.result_id)
        variant = "" if row.against is not None else "nobody"
        params = {"provisional": row.pk, "wait_minutes": match.claim_wait // 60, "variant": variant}
        key = f"{PROVISIONAL}:{row.public_id}"
        sides = [side for side in row.sides if row.told[side] is None]
        _notify(match, sides, PROVISIONAL, params, key, now)
    return True


def notify_proposal(match: Match, proposal: Proposal, now: datetime) -> None:
    """Tell the other player that times were proposed."""
    key = proposal_key(proposal)
    _notify(match, [1 - proposal.side], TIMES_PROPOSED, {"proposal": proposal.pk}, key, now)


def proposal_key(proposal: Proposal) -> str:
    return f"{TIMES_PROPOSED}:{proposal.public_id}"


def notify_accepted(match: Match, proposal: Proposal, now: datetime) -> None:
    """Tell the player who proposed times which one was accepted."""
    key = f"{TIMES_ACCEPTED}:{proposal.public_id}"
    _notify(match, [proposal.side], TIMES_ACCEPTED, _appointment(proposal), key, now)


def remind_of_appointment(match: Match, proposal: Proposal, now: datetime) -> None:
    key = f"{APPOINTMENT}:{proposal.public_id}:{now:%Y%m%d%H%M%S}"
    _notify(match, (0, 1), APPOINTMENT, _appointment(proposal), key, now)


def remind_of_deadline(match: Match, now: datetime) -> None:
    assert match.due_at is not None  # noqa: S101, only matches with a deadline
    params = {"at": match.due_at.isoformat()}
    _notify(match, (0, 1), DEADLINE, params, deadline_key(match.public_id, match.due_at), now)


def deadline_key(public_id: str, due_at: datetime) -> str:
    """Return the key of the reminders of a deadline; another deadline of the match has another key."""
    return f"{DEADLINE}:{public_id}:{due_at:%Y%m%d%H%M%S}"


def directors_of(match: Match) -> set[int]:
    officers = Membership.objects.filter(
        club=match.club_id, role__in=(Role.OWNER, Role.DIRECTOR), left_at=None, player__user__isnull=False
    )
    return {pk for pk in officers.values_list("player__user", flat=True) if pk is not None}


def _ruling(match: Match, result: Result, side: int) -> dict[str, Any]:
    if result.winner is None:
        return {"variant": "nobody"}
    variant = "won" if result.winner == side else "lost"
    score = final_score(match, result)
    if score is None:
        return {"variant": f"{variant}_without_score"}
    return {"variant": variant, "score": score_of(match, side, score)}


def _appointment(proposal: Proposal) -> dict[str, Any]:
    assert proposal.agreed_at is not None  # noqa: S101, an accepted proposal
    return {"proposal": proposal.pk, "at": proposal.agreed_at.isoformat()}


def _notify(match: Match, sides: Collection[int], kind: str, params: dict[str, Any], key: str, now: datetime) -> None:
    """Notify the accounts of these sides; each learns of its own side and its opponent."""
    accounts = accounts_of(match.players[side] for side in sides)
    if accounts:
        notices = side_notices(match, sides, context_of(match) | params, key, accounts)
        notify_each(kind=kind, notices=notices, now=now)
