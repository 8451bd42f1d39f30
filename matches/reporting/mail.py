"""E-mails about matches."""

from django.conf import settings
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext

from core.mail import send_mail
from matches.lifecycle import links
from matches.models import Claim
from matches.presentation.labels import reporter_of, score_of
from matches.reporting.services import notices


def send_claim(claim: Claim, address: str) -> None:
    """Tell the player who is asked what is reported, with their personal link."""
    match, side = claim.match, notices.asked_by(claim)
    user = match.players[side].user
    language = user.language if user is not None and user.language else settings.LANGUAGE_CODE
    context = {
        "claim": claim,
        "match": match,
        "claimant": reporter_of(match, claim),
        "is_signed": claim.is_signed,
        "winner": match.players[claim.winner].shown_name,
        "score": score_of(match, claim.winner, claim.score),
        "wait_minutes": match.claim_wait // 60 if claim.is_signed else 0,
        "url": settings.SITE_URL + reverse("match-link", args=[links.token_for(match, side)]),
    }
    with translation.override(language):
        subject = gettext("{name} reports {score} in your match").format(
            name=context["claimant"], score=context["score"]
        )
        send_mail(to=address, subject=subject, template="matches/reporting/mail/claim.txt", context=context)
