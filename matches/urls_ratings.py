"""Addresses of rankings and players."""

from django.urls import path, re_path

from matches import api_ratings as api
from matches import views_ratings as views

ID = r"(?P<public_id>[2-9a-z]{10})"
OTHER = r"(?P<other_id>[2-9a-z]{10})"

urlpatterns = [
    path("rankings/", views.ranking, name="rankings"),
    path("rankings/ranking.csv", views.ranking_csv, name="ranking-csv"),
    path("rankings/matches.csv", views.matches_csv, name="rated-matches-csv"),
    path("players/", views.players, name="players"),
    re_path(rf"^players/{ID}/$", views.player, name="player"),
    re_path(rf"^players/{ID}/matches/$", views.player_matches, name="player-matches"),
    re_path(rf"^players/{ID}/vs/$", views.choose_opponent, name="choose-opponent"),
    re_path(rf"^players/{ID}/vs/{OTHER}/$", views.versus, name="versus"),
    path("api/v1/rankings/", api.Rankings.as_view(), name="api-rankings"),
    path("api/v1/players/", api.Players.as_view(), name="api-players"),
    re_path(rf"^api/v1/players/{ID}/$", api.OnePlayer.as_view(), name="api-player"),
    re_path(rf"^api/v1/players/{ID}/changes/$", api.Changes.as_view(), name="api-player-changes"),
    re_path(rf"^api/v1/players/{ID}/matches/$", api.PlayerMatches.as_view(), name="api-player-matches"),
    re_path(rf"^api/v1/players/{ID}/vs/{OTHER}/$", api.HeadToHead.as_view(), name="api-versus"),
]
