"""Matches as topics of the event stream."""

from django.http import Http404, HttpRequest
from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from matches import access


def match_number(request: HttpRequest, public_id: str) -> int:
    """Return the `seq` of a match for whoever may see it: by account, by token or by `Match-Link`; else 404."""
    if link := request.headers.get("Match-Link"):
        match = access.match_for_link(link).match
        if match.public_id != public_id:
            raise Http404
        return match.seq
    try:
        signed_in = TokenAuthentication().authenticate(Request(request))
    except AuthenticationFailed:
        raise Http404 from None
    user = signed_in[0] if signed_in else request.user
    return access.match_for_viewer(user, public_id).seq
