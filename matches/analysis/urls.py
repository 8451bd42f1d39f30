"""URLs of analyses."""

from django.urls import re_path

from matches.analysis import api, views

ID = r"(?P<public_id>[2-9a-z]{10})"

urlpatterns = [
    re_path(rf"^players/{ID}/analysis/$", views.player_analysis, name="player-analysis"),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/analysis/$", views.club_analysis, name="club-analysis"),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/analysis\.csv$", views.club_csv, name="club-analysis-file"),
    re_path(rf"^matches/{ID}/analysis/$", views.match_analysis, name="match-analysis"),
    re_path(rf"^matches/{ID}/analysis\.csv$", views.match_csv, name="match-analysis-file"),
    re_path(rf"^check/{ID}/analysis/$", views.record_analysis, name="record-analysis"),
    re_path(rf"^api/v1/matches/{ID}/analysis/$", api.MatchAnalysis.as_view(), name="api-match-analysis"),
    re_path(rf"^api/v1/submissions/{ID}/analysis/$", api.RecordAnalysis.as_view(), name="api-record-analysis"),
    re_path(r"^api/v1/clubs/(?P<slug>[a-z0-9-]+)/analysis/$", api.ClubAnalysis.as_view(), name="api-club-analysis"),
    re_path(rf"^api/v1/players/{ID}/analysis/$", api.PlayerAnalysis.as_view(), name="api-player-analysis"),
]
