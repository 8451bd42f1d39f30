"""E-mails about matches."""

from django.conf import settings
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext

from core.mail import send_mail
from matches.lifecycle import links
from matches.models import Claim
from matches.presentation.labels import reporter_of, score_of
from matches.reporting.services import notifications


def send_report_request(report: Claim, email: str) -> None:
    """Ask a player to answer a report; the e-mail has their personal link."""
    match, side = report.match, notifications.respondent_of(report)
    user = match.players[side].user
    language = user.language if user is not None and user.language else settings.LANGUAGE_CODE
    context = {
        "claim": report,
        "match": match,
        "claimant": reporter_of(match, report),
        "is_signed": report.is_signed,
        "winner": match.players[report.winner].shown_name,
        "score": score_of(match, report.winner, report.score),
        "wait_minutes": match.claim_wait // 60 if report.is_signed else 0,
        "url": settings.SITE_URL + reverse("match-link", args=[links.token_for(match, side)]),
    }
    with translation.override(language):
        subject = gettext("{name} reports {score} in your match").format(
            name=context["claimant"], score=context["score"]
        )
        send_mail(to=email, subject=subject, template="matches/reporting/mail/claim.txt", context=context)
