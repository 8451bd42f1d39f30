"""Who has been told of a report, and how, for the player who sent it."""

from django.utils.translation import gettext

from core.times import SHORT, reader_time
from matches.models import Claim, Match
from matches.reporting.services.notifications import report_key, respondent_of
from players.notifications.services import Reach, reach_of


def who_knows(match: Match, report: Claim) -> str:
    """Say whether the player who has to answer a report knows of it; empty for a report that needs no answer."""
    if report.is_own_loss:
        return ""
    name = match.names[respondent_of(report)]
    if report.seen_at is not None:
        return gettext("{name} has seen it.").format(name=name)
    reach = reach_of(report_key(report))
    if reach is None:
        return gettext("{name} could not be notified. Tell them yourself; the director can see the report.").format(
            name=name
        )
    return _reached(reach, name)


def _reached(reach: Reach, name: str) -> str:
    if reach.emailed_at is not None:
        return gettext("{name} was sent an email at {time}.").format(
            name=name, time=reader_time(reach.emailed_at, SHORT)
        )
    if reach.pushed_at is not None:
        return gettext("{name} was sent a push notification at {time}.").format(
            name=name, time=reader_time(reach.pushed_at, SHORT)
        )
    if reach.is_on_its_way:
        return gettext("A message to {name} is on its way.").format(name=name)
    if reach.is_on_site:
        return gettext("{name} can see it on this site, but was not sent a message.").format(name=name)
    return gettext("{name} could not be reached. Tell them yourself; the director can see the report.").format(
        name=name
    )


def will_know(channels: frozenset[str], name: str) -> str:
    """Say how a player would learn of a report that is not sent yet, by the channels they have chosen."""
    if channels & {"email", "push"}:
        return gettext("{name} will be sent a message.").format(name=name)
    if channels:
        return gettext("{name} will see it on this site, but will not be sent a message.").format(name=name)
    return gettext("{name} cannot be notified, so tell them yourself.").format(name=name)
