"""URLs of matches played here."""

from django.urls import path, re_path

from matches.play import api
from matches.play.preferences import api as preferences_api
from matches.play.preferences.views import play_preferences

API = r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/live/"

urlpatterns = [
    path("preferences/play/", play_preferences, name="play-preferences"),
    path("api/v1/me/play-preferences/", preferences_api.MyPlayPreferences.as_view(), name="api-play-preferences"),
    re_path(rf"{API}$", api.Live.as_view(), name="api-live"),
    re_path(rf"{API}chains/$", api.LiveChains.as_view(), name="api-live-chains"),
    re_path(rf"{API}actions/$", api.LiveActions.as_view(), name="api-live-actions"),
    re_path(rf"{API}goodbye/$", api.LiveGoodbye.as_view(), name="api-live-goodbye"),
    re_path(rf"{API}ping/$", api.LivePing.as_view(), name="api-live-ping"),
    re_path(rf"{API}rulings/$", api.LiveRulings.as_view(), name="api-live-rulings"),
    re_path(rf"{API}dice/$", api.LiveDice.as_view(), name="api-live-dice"),
]
