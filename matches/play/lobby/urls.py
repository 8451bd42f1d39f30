"""URLs of the lobby and of practice."""

from django.urls import path, re_path

from matches.play.lobby import api, views

ID = r"(?P<public_id>[2-9a-z]{10})"
FRIENDLIES = r"clubs/(?P<slug>[a-z0-9-]+)/friendlies/"

urlpatterns = [
    re_path(rf"^matches/{ID}/rematch/$", views.rematch, name="match-rematch"),
    path("lobby/", views.lobby, name="lobby"),
    path("lobby/practice/", views.start_practice, name="practice"),
    path("lobby/challenges/", views.make_challenge, name="make-challenge"),
    re_path(rf"^lobby/challenges/{ID}/accept/$", views.accept_challenge, name="accept-challenge"),
    re_path(rf"^lobby/challenges/{ID}/decline/$", views.decline_challenge, name="decline-challenge"),
    re_path(rf"^lobby/challenges/{ID}/withdraw/$", views.withdraw_challenge, name="withdraw-challenge"),
    path("lobby/blocks/", views.block_player, name="block-player"),
    re_path(rf"^lobby/blocks/{ID}/remove/$", views.unblock_player, name="unblock-player"),
    re_path(rf"^{FRIENDLIES}$", views.friendlies, name="club-friendlies"),
    re_path(rf"^api/v1/{FRIENDLIES}$", api.Friendlies.as_view(), name="api-club-friendlies"),
    path("api/v1/practice/", api.Practice.as_view(), name="api-practice"),
    path("api/v1/challenges/", api.Challenges.as_view(), name="api-challenges"),
    re_path(rf"^api/v1/challenges/{ID}/accept/$", api.AcceptChallenge.as_view(), name="api-challenge-accept"),
    re_path(rf"^api/v1/challenges/{ID}/decline/$", api.DeclineChallenge.as_view(), name="api-challenge-decline"),
    re_path(rf"^api/v1/challenges/{ID}/withdraw/$", api.WithdrawChallenge.as_view(), name="api-challenge-withdraw"),
    re_path(rf"^api/v1/matches/{ID}/rematch/$", api.Rematch.as_view(), name="api-match-rematch"),
    path("api/v1/me/blocks/", api.Blocks.as_view(), name="api-blocks"),
    re_path(rf"^api/v1/me/blocks/{ID}/$", api.OneBlock.as_view(), name="api-block"),
]
