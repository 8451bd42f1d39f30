"""URLs of matches: for accounts, for links, and for the API."""

from collections.abc import Iterator

from django.urls import URLPattern, path, re_path

from matches.lifecycle.links import TOKEN
from matches.reporting.api import matches as api
from matches.reporting.api import reports as api_reports
from matches.reporting.views import matches as views
from matches.reporting.views import reports

ID = r"(?P<public_id>[2-9a-z]{10})"
RECORD = r"(?P<record_id>[2-9a-z]{10})"
API = rf"^api/v1/matches/{ID}/"
PROPOSAL = r"(?P<proposal_id>[2-9a-z]{10})"


def _actions(prefix: str, name: str) -> Iterator[URLPattern]:
    yield re_path(rf"{prefix}report/$", reports.preview, name=f"{name}-report")
    yield re_path(rf"{prefix}claim/$", reports.report, name=f"{name}-claim")
    yield re_path(rf"{prefix}confirm/$", reports.confirm, name=f"{name}-confirm")
    yield re_path(rf"{prefix}contest/$", reports.contest, name=f"{name}-contest")
    yield re_path(rf"{prefix}concede/$", reports.concede, name=f"{name}-concede")
    yield re_path(rf"{prefix}withdraw/$", reports.withdraw, name=f"{name}-withdraw")
    yield re_path(rf"{prefix}seen/$", reports.acknowledge, name=f"{name}-seen")
    yield re_path(rf"{prefix}object/$", reports.object_to_result, name=f"{name}-object")
    yield re_path(rf"{prefix}records/$", reports.send_record, name=f"{name}-records")
    yield re_path(rf"{prefix}records/{RECORD}/names/$", reports.identify_players, name=f"{name}-names")
    yield re_path(rf"{prefix}times/$", reports.propose, name=f"{name}-times")
    yield re_path(rf"{prefix}times/{PROPOSAL}/accept/$", reports.accept_time, name=f"{name}-accept-time")
    yield re_path(rf"{prefix}times/{PROPOSAL}/withdraw/$", reports.withdraw_times, name=f"{name}-withdraw-times")
    yield re_path(rf"{prefix}appointment\.ics$", views.appointment, name=f"{name}-appointment")


urlpatterns = [
    path("my/", views.mine, name="my-matches"),
    re_path(rf"^matches/{ID}/$", views.match, name="match"),
    re_path(rf"^matches/{ID}/links/$", views.hand_out, name="match-links"),
    *_actions(rf"^matches/{ID}/", "match"),
    re_path(rf"^m/{TOKEN}/$", views.link, name="match-link"),
    *_actions(rf"^m/{TOKEN}/", "link"),
    path("api/v1/matches/", api.MatchList.as_view(), name="api-matches"),
    re_path(rf"{API}$", api.MatchDetail.as_view(), name="api-match"),
    re_path(rf"{API}claims/$", api_reports.Reports.as_view(), name="api-match-claims"),
    re_path(rf"{API}claims/preview/$", api_reports.PreviewReport.as_view(), name="api-match-preview"),
    re_path(rf"{API}concede/$", api_reports.Concede.as_view(), name="api-match-concede"),
    re_path(rf"{API}seen/$", api_reports.Seen.as_view(), name="api-match-seen"),
    re_path(rf"{API}objections/$", api_reports.Objections.as_view(), name="api-match-objections"),
    re_path(rf"{API}confirm/$", api_reports.Confirm.as_view(), name="api-match-confirm"),
    re_path(rf"{API}contest/$", api_reports.Contest.as_view(), name="api-match-contest"),
    re_path(rf"{API}withdraw/$", api_reports.Withdraw.as_view(), name="api-match-withdraw"),
    re_path(rf"{API}records/$", api.MatchRecords.as_view(), name="api-match-records"),
    re_path(rf"{API}records/{RECORD}/names/$", api.RecordNames.as_view(), name="api-match-names"),
    re_path(rf"{API}proposals/$", api.Proposals.as_view(), name="api-match-proposals"),
    re_path(rf"{API}proposals/{PROPOSAL}/accept/$", api.AcceptProposal.as_view(), name="api-match-accept"),
    re_path(rf"{API}proposals/{PROPOSAL}/withdraw/$", api.WithdrawProposal.as_view(), name="api-match-withdraw-times"),
    re_path(rf"{API}links/$", api.MatchLinks.as_view(), name="api-match-links"),
]
