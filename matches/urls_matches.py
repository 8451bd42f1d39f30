"""Addresses of matches: the players' own, and the same actions behind a link."""

from collections.abc import Iterator

from django.urls import URLPattern, path, re_path

from matches import api_matches as api
from matches import views_matches as views
from matches.links import TOKEN

ID = r"(?P<public_id>[2-9a-z]{10})"
RECORD = r"(?P<record_id>[2-9a-z]{10})"
API = rf"^api/v1/matches/{ID}/"
TIMES = r"(?P<proposal_id>[2-9a-z]{10})"


def _actions(prefix: str, name: str) -> Iterator[URLPattern]:
    yield re_path(rf"{prefix}claim/$", views.claim, name=f"{name}-claim")
    yield re_path(rf"{prefix}confirm/$", views.confirm, name=f"{name}-confirm")
    yield re_path(rf"{prefix}contest/$", views.contest, name=f"{name}-contest")
    yield re_path(rf"{prefix}withdraw/$", views.withdraw_claim, name=f"{name}-withdraw")
    yield re_path(rf"{prefix}records/$", views.send_record, name=f"{name}-records")
    yield re_path(rf"{prefix}records/{RECORD}/names/$", views.say_who, name=f"{name}-names")
    yield re_path(rf"{prefix}times/$", views.propose, name=f"{name}-times")
    yield re_path(rf"{prefix}times/{TIMES}/accept/$", views.accept_time, name=f"{name}-accept-time")
    yield re_path(rf"{prefix}times/{TIMES}/withdraw/$", views.withdraw_times, name=f"{name}-withdraw-times")
    yield re_path(rf"{prefix}appointment\.ics$", views.appointment, name=f"{name}-appointment")


urlpatterns = [
    path("my/", views.mine, name="my-matches"),
    re_path(rf"^matches/{ID}/$", views.match, name="match"),
    re_path(rf"^matches/{ID}/links/$", views.hand_out, name="match-links"),
    *_actions(rf"^matches/{ID}/", "match"),
    re_path(rf"^m/{TOKEN}/$", views.link, name="match-link"),
    *_actions(rf"^m/{TOKEN}/", "link"),
    path("api/v1/matches/", api.Matches.as_view(), name="api-matches"),
    re_path(rf"{API}$", api.OneMatch.as_view(), name="api-match"),
    re_path(rf"{API}claims/$", api.Claims.as_view(), name="api-match-claims"),
    re_path(rf"{API}confirm/$", api.Confirm.as_view(), name="api-match-confirm"),
    re_path(rf"{API}contest/$", api.Contest.as_view(), name="api-match-contest"),
    re_path(rf"{API}withdraw/$", api.Withdraw.as_view(), name="api-match-withdraw"),
    re_path(rf"{API}records/$", api.MatchRecords.as_view(), name="api-match-records"),
    re_path(rf"{API}records/{RECORD}/names/$", api.RecordNames.as_view(), name="api-match-names"),
    re_path(rf"{API}proposals/$", api.Proposals.as_view(), name="api-match-proposals"),
    re_path(rf"{API}proposals/{TIMES}/accept/$", api.AcceptProposal.as_view(), name="api-match-accept"),
    re_path(rf"{API}proposals/{TIMES}/withdraw/$", api.WithdrawProposal.as_view(), name="api-match-withdraw-times"),
    re_path(rf"{API}links/$", api.MatchLinks.as_view(), name="api-match-links"),
]
