"""The notifications about reports, rulings and appointments."""

from datetime import datetime, timedelta

from django.urls import reverse
from django.utils.translation import gettext_noop

from matches.lifecycle import links
from matches.models import Claim, Match, Proposal, Provisional
from players.models import Notification
from players.notifications.kinds import NotificationKind, Params

REPORTED, OBJECTED, RULED = "reported", "objected", "ruled"
PROVISIONAL = "provisional"
DEADLINE = "deadline"
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
    user = match.players[side].user_id
    return reverse("match-link", args=[links.token_for(match, side)]) if user == notification.user_id else ""


KINDS = (
    NotificationKind(
        code=REPORTED,
        label=gettext_noop("Your opponent reports a result"),
        sentences={
            "": gettext_noop("{reporter} reports {score} in your match."),
            "sheet": gettext_noop("Someone with the score sheet reports {score} in your match."),
        },
        details={
            "": gettext_noop(
                "Please confirm or contest it. Once you mark it as seen, it stands after {wait_minutes} min unless you "
                "answer."
            ),
            "sheet": gettext_noop("It counts only once a player or the director reports it, too."),
        },
        players=("reporter",),
        is_urgent=True,
        is_current=_report_waits,
        email_url=personal_link,
        after_email=_note_email,
    ),
    NotificationKind(
        code=PROVISIONAL,
        label=gettext_noop("A result goes against you without your answer"),
        sentences={
            "": gettext_noop("Your match against {opponent} has a result that goes against you."),
            "nobody": gettext_noop("Your match against {opponent} was decided so that nobody wins."),
        },
        details={
            "": gettext_noop(
                "It is provisional. Once you mark it as seen, it is final after {wait_minutes} min unless you object."
            ),
            "nobody": gettext_noop(
                "It is provisional. Once you mark it as seen, it is final after {wait_minutes} min unless you object."
            ),
        },
        players=("opponent",),
        is_urgent=True,
        is_current=_is_provisional,
        email_url=personal_link,
    ),
    NotificationKind(
        code=OBJECTED,
        label=gettext_noop("An objection to a result of your match or your event"),
        sentences={"": gettext_noop("{objector} objects to the result of the match against {opponent}.")},
        players=("objector", "opponent"),
        email_url=personal_link,
    ),
    NotificationKind(
        code=RULED,
        label=gettext_noop("A director’s ruling on your match"),
        sentences={
            "": gettext_noop("The director decided your match against {opponent}."),
            "upheld": gettext_noop("The director upheld the objection in your match against {opponent}."),
            "dismissed": gettext_noop("The director dismissed the objection in your match against {opponent}."),
        },
        players=("opponent",),
        email_url=personal_link,
    ),
    NotificationKind(
        code=DEADLINE,
        label=gettext_noop("A deadline within 24 hours"),
        sentences={"": gettext_noop("Your match against {opponent} is due {at}.")},
        players=("opponent",),
        times=("at",),
        lapses_after=timedelta(hours=24),
        is_current=match_is_open,
        email_url=personal_link,
    ),
    NotificationKind(
        code=TIMES_PROPOSED,
        label=gettext_noop("Your opponent proposes times to play"),
        sentences={"": gettext_noop("{opponent} proposes times for your match.")},
        players=("opponent",),
        is_current=_times_wait,
        email_url=personal_link,
    ),
    NotificationKind(
        code=TIMES_ACCEPTED,
        label=gettext_noop("Your opponent accepts a time"),
        sentences={"": gettext_noop("{opponent} accepted a time: {at}.")},
        players=("opponent",),
        times=("at",),
        is_current=_is_agreed,
        email_url=personal_link,
    ),
    NotificationKind(
        code=APPOINTMENT,
        label=gettext_noop("Reminders of your appointments, a day and an hour before"),
        sentences={"": gettext_noop("Your match against {opponent}: {at}.")},
        players=("opponent",),
        times=("at",),
        is_urgent=True,
        lapses_after=timedelta(hours=24),
        is_current=_appointment_ahead,
        email_url=personal_link,
    ),
)
