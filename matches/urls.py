"""URLs of records and their API, and those of reporting."""

from django.urls import include, path, re_path

from matches.play.replay.views import record_picture, record_replay
from matches.records import api, views

ID = r"(?P<public_id>[2-9a-z]{10})"

urlpatterns = [
    path("", include("matches.play.urls")),
    path("check/", views.check, name="check"),
    re_path(rf"^check/{ID}/$", views.submission, name="submission"),
    re_path(rf"^check/{ID}/replay/$", record_replay, name="replay"),
    re_path(rf"^check/{ID}/replay/picture\.png$", record_picture, name="replay-picture"),
    re_path(rf"^check/{ID}/record\.(?P<extension>mat|sgf|json)$", views.record, name="record"),
    path("api/v1/submissions/", api.SubmissionList.as_view(), name="api-submissions"),
    re_path(rf"^api/v1/submissions/{ID}/$", api.SubmissionDetail.as_view(), name="api-submission"),
    re_path(
        rf"^api/v1/submissions/{ID}/record\.(?P<extension>mat|sgf|json)$", api.RecordFile.as_view(), name="api-record"
    ),
    path("", include("matches.analysis.urls")),
    path("", include("matches.reporting.urls")),
]
