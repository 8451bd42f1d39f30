"""The letters this room sends."""

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext

from matches import links
from matches.appointments import zone_of
from matches.models import Claim


def send_claim(claim: Claim, address: str) -> None:
    """Tell the other side what is claimed, with his personal link."""
    match, side = claim.match, 1 - claim.side
    user = match.players[side].user
    language = user.language if user is not None and user.language else settings.LANGUAGE_CODE
    context = {
        "claim": claim,
        "match": match,
        "claimant": match.players[claim.side].shown_name,
        "winner": match.players[claim.winner].shown_name,
        "score": f"{max(claim.score)}–{min(claim.score)}",
        "zone": zone_of(match, side),
        "wait_minutes": match.claim_wait // 60,
        "url": settings.SITE_URL + reverse("match-link", args=[links.token_for(match, side)]),
    }
    with translation.override(language):
        subject = gettext("{name} reports {score} in your match").format(
            name=context["claimant"], score=context["score"]
        )
        body = render_to_string("matches/mail/claim.txt", context)
    # A name may come from a list that a director pasted; a subject is one line.
    EmailMessage(" ".join(subject.split()), body, to=[address]).send()
