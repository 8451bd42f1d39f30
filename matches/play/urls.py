"""URLs of matches played here."""

from django.urls import re_path

from matches.play import api

API = r"^api/v1/matches/(?P<public_id>[2-9a-z]{10})/live/"

urlpatterns = [
    re_path(rf"{API}$", api.Live.as_view(), name="api-live"),
    re_path(rf"{API}chains/$", api.LiveChains.as_view(), name="api-live-chains"),
    re_path(rf"{API}actions/$", api.LiveActions.as_view(), name="api-live-actions"),
    re_path(rf"{API}rulings/$", api.LiveRulings.as_view(), name="api-live-rulings"),
    re_path(rf"{API}dice/$", api.LiveDice.as_view(), name="api-live-dice"),
]
