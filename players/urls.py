"""URLs of accounts, clubs and invitations."""

from django.urls import URLPattern, URLResolver, path, re_path

from players.accounts import api as api_accounts
from players.accounts import notifications as api_notifications
from players.accounts import views as accounts
from players.accounts.api import Accounts
from players.clubs import api as api_clubs
from players.clubs import views as clubs
from players.joining import page as joining
from players.joining.actions import ANSWERS, CLAIMS, OWN_ACTIONS
from players.notifications import emails as unsubscribing
from players.notifications import views as notifications
from players.privacy import api as api_privacy
from players.privacy import views as privacy

CLUB = r"^clubs/(?P<slug>[a-z0-9-]+)/"
MEMBER = CLUB + r"members/(?P<public_id>[2-9a-z]{10})/"
API = r"^api/v1/"
EXPORT = r"(?P<export>[2-9a-z]{10})"
INVITATION = r"^invitations/(?P<secret>[\w-]{20,64})/"

account_pages: list[URLPattern | URLResolver] = [
    path("sign-up/", accounts.sign_up, name="sign-up"),
    path("sign-in/", accounts.sign_in, name="sign-in"),
    path("sign-in/continue/", accounts.send_kept_input, name="send-kept-input"),
    path("sign-in/code/", accounts.sign_in_code, name="sign-in-code"),
    path("sign-out/", accounts.sign_out, name="sign-out"),
    path("password/forgotten/", accounts.password_forgotten, name="password-forgotten"),
    path("password/sent/", accounts.password_sent, name="password-sent"),
    path("password/choose/<uidb64>/<token>/", accounts.password_choose, name="password-choose"),
    path("password/done/", accounts.password_done, name="password-done"),
    path("preferences/", accounts.preferences, name="preferences"),
    path("preferences/email/", accounts.change_email, name="change-email"),
    path("preferences/email/send-again/", accounts.resend_confirmation, name="resend-confirmation"),
    re_path(r"^confirm-email/(?P<secret>[\w:.-]{20,500})/$", accounts.confirm_email, name="confirm-email"),
    path("preferences/password/", accounts.change_password, name="change-password"),
    path("preferences/second-factor/", accounts.second_factor, name="second-factor"),
    path("preferences/second-factor/start/", accounts.start_second_factor, name="start-second-factor"),
    path("preferences/second-factor/on/", accounts.turn_on, name="second-factor-on"),
    path("preferences/second-factor/off/", accounts.turn_off, name="second-factor-off"),
    path("preferences/second-factor/codes/", accounts.renew_codes, name="renew-recovery-codes"),
    path("preferences/sessions/", accounts.sessions, name="sessions"),
    path("preferences/sessions/end/", accounts.end_session, name="end-session"),
    path("preferences/sessions/end-others/", accounts.end_other_sessions, name="end-other-sessions"),
    path("preferences/delete/", accounts.delete_account, name="delete-account"),
    path("preferences/token/", accounts.make_token, name="make-token"),
    path("preferences/token/revoke/", accounts.revoke_token, name="revoke-token"),
]

data_pages: list[URLPattern | URLResolver] = [
    path("preferences/data/", privacy.my_data, name="my-data"),
    path("preferences/data/export/", privacy.export_my_data, name="export-my-data"),
    re_path(rf"^data-exports/{EXPORT}\.zip$", privacy.download, name="data-export"),
    re_path(rf"{MEMBER}data/$", privacy.member_data, name="member-data"),
    re_path(rf"{MEMBER}data/export/$", privacy.export_member_data, name="export-member-data"),
    re_path(rf"{MEMBER}erase/$", privacy.erase_member, name="erase-member"),
]

NOTIFICATION = r"^notifications/(?P<notification>\d{1,18})/"

notification_pages: list[URLPattern | URLResolver] = [
    path("notifications/", notifications.notifications, name="notifications"),
    path("notifications/bell/", notifications.bell, name="notification-bell"),
    path("notifications/read/", notifications.mark_read, name="notifications-read"),
    re_path(rf"{NOTIFICATION}open/$", notifications.open_notification, name="notification-open"),
    re_path(rf"{NOTIFICATION}unread/$", notifications.mark_unread, name="notification-unread"),
    path("account/notifications/", notifications.settings, name="notification-settings"),
    path("account/notifications/push/", notifications.subscribe, name="push-subscribe"),
    path("account/notifications/push/session/", notifications.bind, name="push-bind"),
    re_path(
        r"^account/notifications/push/(?P<browser>\d{1,18})/remove/$", notifications.remove_browser, name="push-remove"
    ),
    path("service-worker.js", notifications.service_worker, name="service-worker"),
    re_path(rf"^unsubscribe/{unsubscribing.TOKEN}/$", notifications.unsubscribe, name="unsubscribe"),
]

club_pages: list[URLPattern | URLResolver] = [
    path("clubs/", clubs.club_list, name="club-list"),
    path("clubs/new/", clubs.create_club, name="create-club"),
    re_path(rf"{CLUB}edit/$", clubs.edit_club, name="edit-club"),
    re_path(rf"{CLUB}emblem/$", clubs.change_emblem, name="club-change-emblem"),
    re_path(rf"{CLUB}emblem/remove/$", clubs.clear_emblem, name="club-clear-emblem"),
    re_path(rf"{CLUB}emblem/(?P<version>[0-9a-f]{{16}})\.webp$", clubs.emblem, name="club-emblem"),
    re_path(rf"{CLUB}second-factor/$", clubs.set_second_factor, name="club-second-factor"),
    re_path(rf"{CLUB}leave/$", clubs.leave_club, name="leave-club"),
    re_path(rf"{CLUB}members/$", clubs.members, name="club-members"),
    re_path(rf"{CLUB}members/add/$", clubs.add_member, name="add-member"),
    re_path(rf"{CLUB}members/known/$", clubs.add_player, name="add-player"),
    re_path(rf"{CLUB}members/paste/$", clubs.paste_members, name="paste-members"),
    re_path(rf"{CLUB}members/list/$", clubs.add_list, name="add-list"),
    re_path(rf"{CLUB}invitations/(?P<pk>\d{{1,18}})/withdraw/$", clubs.withdraw_invitation, name="withdraw-invitation"),
    re_path(rf"{CLUB}merges/(?P<pk>\d{{1,18}})/undo/$", clubs.undo_merge, name="undo-merge"),
    re_path(rf"{MEMBER}$", clubs.member, name="club-member"),
    re_path(rf"{MEMBER}role/$", clubs.set_role, name="set-role"),
    re_path(rf"{MEMBER}edit/$", clubs.edit_name, name="edit-name"),
    re_path(rf"{MEMBER}invite/$", clubs.invite, name="invite"),
    re_path(rf"{MEMBER}merge/$", clubs.merge, name="merge-member"),
    re_path(rf"{MEMBER}names/$", clubs.add_alias, name="add-alias"),
    re_path(rf"{MEMBER}remove/$", clubs.remove_member, name="remove-member"),
    re_path(rf"{INVITATION}$", accounts.invitation, name="invitation"),
    re_path(rf"{INVITATION}accept/$", accounts.accept, name="accept-invitation"),
    re_path(rf"{INVITATION}sign-up/$", accounts.sign_up_by_invitation, name="invitation-sign-up"),
]

JOIN_REQUEST = r"join-requests/(?P<public_id>[2-9a-z]{10})/"

CLAIM = r"claims/(?P<pk>\d{1,18})/"

joining_pages: list[URLPattern | URLResolver] = [
    re_path(rf"{CLUB}join/$", joining.join_club, name="join-club"),
    *(re_path(rf"{CLUB}join/{act.name}/$", act.view, name=f"join-{act.name}") for act in OWN_ACTIONS),
    *(re_path(rf"{CLUB}{JOIN_REQUEST}{act.name}/$", act.view, name=f"join-request-{act.name}") for act in ANSWERS),
    *(re_path(rf"^account/{CLAIM}{act.name}/$", act.view, name=f"claim-{act.name}") for act in CLAIMS),
]

API_CLUB = rf"{API}clubs/(?P<slug>[a-z0-9-]+)/"
API_MEMBER = API_CLUB + r"members/(?P<public_id>[2-9a-z]{10})/"

api_routes: list[URLPattern | URLResolver] = [
    path("api/v1/me/", api_accounts.Me.as_view(), name="api-me"),
    path("api/v1/me/notifications/", api_notifications.MyNotifications.as_view(), name="api-my-notifications"),
    path(
        "api/v1/me/notification-choices/",
        api_notifications.MyNotificationChoices.as_view(),
        name="api-my-notification-choices",
    ),
    path("api/v1/tokens/", api_accounts.Tokens.as_view(), name="api-tokens"),
    path("api/v1/tokens/current/", api_accounts.CurrentToken.as_view(), name="api-current-token"),
    path("api/v1/me/tokens/", api_accounts.MyTokens.as_view(), name="api-my-tokens"),
    re_path(r"^api/v1/me/tokens/(?P<token_id>\d{1,18})/$", api_accounts.OneToken.as_view(), name="api-my-token"),
    path("api/v1/invitations/accept/", api_accounts.AcceptInvitation.as_view(), name="api-accept-invitation"),
    path("api/v1/accounts/", Accounts.as_view(), name="api-accounts"),
    path("api/v1/me/exports/", api_privacy.MyExports.as_view(), name="api-my-exports"),
    path("api/v1/me/erase/", api_privacy.EraseMe.as_view(), name="api-erase-me"),
    re_path(rf"{API}exports/{EXPORT}/$", api_privacy.OneExport.as_view(), name="api-export"),
    re_path(rf"{API}exports/{EXPORT}/archive\.zip$", api_privacy.ExportArchive.as_view(), name="api-export-archive"),
    re_path(rf"{API_MEMBER}exports/$", api_privacy.MemberExports.as_view(), name="api-member-exports"),
    re_path(rf"{API_MEMBER}erase/$", api_privacy.EraseMember.as_view(), name="api-erase-member"),
    path("api/v1/me/claims/", joining.MyClaims.as_view(), name="api-my-claims"),
    *(re_path(rf"{API}me/{CLAIM}{act.path}/$", act.endpoint, name=f"api-claim-{act.name}") for act in CLAIMS),
    path("api/v1/me/join-requests/", joining.MyJoinRequests.as_view(), name="api-my-join-requests"),
    re_path(rf"{API_CLUB}claimable-players/$", joining.ClaimablePlayers.as_view(), name="api-claimable-players"),
    re_path(rf"{API_CLUB}join-requests/$", joining.ClubJoinRequests.as_view(), name="api-join-requests"),
    *(re_path(rf"{API_CLUB}join/{act.path}/$", act.endpoint, name=f"api-join-{act.name}") for act in OWN_ACTIONS),
    *(
        re_path(rf"{API_CLUB}{JOIN_REQUEST}{act.path}/$", act.endpoint, name=f"api-join-request-{act.name}")
        for act in ANSWERS
    ),
    path("api/v1/clubs/", api_clubs.Clubs.as_view(), name="api-clubs"),
    re_path(rf"{API_CLUB}$", api_clubs.OneClub.as_view(), name="api-club"),
    re_path(rf"{API_CLUB}emblem/$", api_clubs.Emblem.as_view(), name="api-club-emblem"),
    re_path(rf"{API_CLUB}members/$", api_clubs.Members.as_view(), name="api-members"),
    re_path(rf"{API_CLUB}members/list/$", api_clubs.MemberList.as_view(), name="api-member-list"),
    re_path(rf"{API_CLUB}merges/$", api_clubs.Merges.as_view(), name="api-merges"),
    re_path(rf"{API_CLUB}merges/(?P<pk>\d{{1,18}})/$", api_clubs.UndoMerge.as_view(), name="api-undo-merge"),
    re_path(rf"{API_MEMBER}$", api_clubs.OneMember.as_view(), name="api-member"),
    re_path(rf"{API_MEMBER}name/$", api_clubs.MemberName.as_view(), name="api-member-name"),
    re_path(rf"{API_MEMBER}invitation/$", api_clubs.MemberInvitation.as_view(), name="api-member-invitation"),
    re_path(rf"{API_MEMBER}merge/$", api_clubs.MemberMerge.as_view(), name="api-member-merge"),
]

urlpatterns = account_pages + data_pages + notification_pages + club_pages + joining_pages + api_routes
