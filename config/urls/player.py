"""URLs of players and rankings."""

from django.urls import URLPattern, path, re_path

import display.sharing.page.picture
import matches.analysis.page
import matches.rankings.page
from config.urls.patterns import ID, SHARE

PLAYER = rf"^players/(?P<public_id>{ID})/"

# fmt: off
urlpatterns: list[URLPattern] = [
    re_path(rf"{PLAYER}analysis/$", matches.analysis.page.player_analysis, name="player-analysis"),
    path("rankings/", matches.rankings.page.ranking, name="rankings"),
    path("rankings/ranking.csv", matches.rankings.page.ranking_csv, name="ranking-csv"),
    path("rankings/matches.csv", matches.rankings.page.matches_csv, name="rated-matches-csv"),
    path("players/", matches.rankings.page.players, name="players"),
    path("players/me/", matches.rankings.page.own_player, name="own-player"),
    re_path(rf"{PLAYER}$", matches.rankings.page.player, name="player"),
    re_path(rf"{PLAYER}matches/$", matches.rankings.page.player_matches, name="player-matches"),
    re_path(rf"{PLAYER}vs/$", matches.rankings.page.choose_opponent, name="choose-opponent"),
    re_path(rf"{PLAYER}vs/(?P<other_id>{ID})/$", matches.rankings.page.versus, name="versus"),
    re_path(rf"{SHARE}players/(?P<public_id>{ID})\.png$", display.sharing.page.picture.share_picture, {"kind": "player"}, name="player-card"),
    re_path(rf"{SHARE}players/(?P<public_id>{ID})/vs/(?P<other_id>{ID})\.png$", display.sharing.page.picture.share_picture, {"kind": "versus"}, name="versus-card"),
    re_path(rf"{SHARE}rankings\.png$", display.sharing.page.picture.share_picture, {"kind": "rankings"}, name="rankings-card"),
    re_path(rf"{SHARE}home\.png$", display.sharing.page.picture.share_picture, {"kind": "home"}, name="home-card"),
]
# fmt: on
