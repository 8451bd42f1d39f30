"""URLs of matches played here."""

from django.urls import include, path, re_path

from matches.lifecycle.links import TOKEN
from matches.play import api
from matches.play.chat import api as chat
from matches.play.chat import views as chat_views
from matches.play.dice import views as dice
from matches.play.page import views as page_views
from matches.play.preferences import api as preferences_api
from matches.play.preferences.views import play_preferences
from matches.play.replay import views as replay_views

ID = r"(?P<public_id>[2-9a-z]{10})"
MESSAGE = r"(?P<message>[2-9a-z]{10})"
RECORD = r"record\.(?P<extension>mat|sgf|json)$"
API = rf"^api/v1/matches/{ID}/live/"

urlpatterns = [
    # First what is requested most: resolving a path tries one pattern after the other.
    re_path(rf"{API}$", api.Live.as_view(), name="api-live"),
    re_path(rf"{API}open/$", api.LiveOpening.as_view(), name="api-live-open"),
    re_path(rf"{API}chains/$", api.LiveChains.as_view(), name="api-live-chains"),
    re_path(rf"{API}actions/$", api.LiveActions.as_view(), name="api-live-actions"),
    re_path(rf"{API}goodbye/$", api.LiveGoodbye.as_view(), name="api-live-goodbye"),
    re_path(rf"{API}ping/$", api.LivePing.as_view(), name="api-live-ping"),
    re_path(rf"{API}rulings/$", api.LiveRulings.as_view(), name="api-live-rulings"),
    re_path(rf"{API}chat/$", chat.Chat.as_view(), name="api-live-chat"),
    re_path(rf"{API}chat/mute/$", chat.ChatMuting.as_view(), name="api-live-chat-mute"),
    re_path(rf"{API}chat/{MESSAGE}/report/$", chat.ChatReporting.as_view(), name="api-live-chat-report"),
    re_path(rf"{API}chat/{MESSAGE}/decision/$", chat.ChatDeciding.as_view(), name="api-live-chat-decision"),
    re_path(rf"{API}dice/$", api.LiveDice.as_view(), name="api-live-dice"),
    re_path(rf"^matches/{ID}/play/$", page_views.play, name="match-play"),
    re_path(rf"^m/{TOKEN}/play/$", page_views.play_by_link, name="link-play"),
    path("preferences/play/", play_preferences, name="play-preferences"),
    path("api/v1/me/play-preferences/", preferences_api.MyPlayPreferences.as_view(), name="api-play-preferences"),
    re_path(rf"^matches/{ID}/dice/$", dice.dice, name="match-dice"),
    re_path(rf"^matches/{ID}/dice\.json$", dice.dice_file, name="match-dice-file"),
    re_path(rf"^m/{TOKEN}/dice/$", dice.dice, name="link-dice"),
    re_path(rf"^m/{TOKEN}/dice\.json$", dice.dice_file, name="link-dice-file"),
    re_path(rf"^matches/{ID}/chat/{MESSAGE}/$", chat_views.decide, name="chat-decision"),
    re_path(r"^clubs/(?P<slug>[a-z0-9-]+)/messages/$", chat_views.reported_messages, name="reported-messages"),
    re_path(rf"^matches/{ID}/replay/$", replay_views.match_replay, name="match-replay"),
    re_path(rf"^matches/{ID}/replay/picture\.png$", replay_views.match_picture, name="match-replay-picture"),
    re_path(rf"^m/{TOKEN}/replay/$", replay_views.match_replay, name="link-replay"),
    re_path(rf"^matches/{ID}/{RECORD}", replay_views.match_record, name="match-record"),
    re_path(rf"^m/{TOKEN}/{RECORD}", replay_views.match_record, name="link-record"),
    path("", include("matches.play.lobby.urls")),
]
