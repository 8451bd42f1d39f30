"""URLs of accounts, notifications and personal data."""

from django.urls import URLPattern, path, re_path

import matches.play.preferences
import players.accounts.page
import players.accounts.sign_in
import players.joining.actions
import players.notifications.emails
import players.notifications.page
import players.privacy.page
from config.urls.patterns import CLAIM, ID, ROW

INVITATION = r"^invitations/(?P<secret>[\w-]{20,64})/"

# fmt: off
urlpatterns: list[URLPattern] = [
    path("preferences/play/", matches.play.preferences.play_preferences, name="play-preferences"),
    path("sign-up/", players.accounts.sign_in.sign_up, name="sign-up"),
    path("sign-in/", players.accounts.sign_in.sign_in, name="sign-in"),
    path("sign-in/continue/", players.accounts.sign_in.send_kept_input, name="send-kept-input"),
    path("sign-in/code/", players.accounts.sign_in.sign_in_code, name="sign-in-code"),
    path("sign-out/", players.accounts.sign_in.sign_out, name="sign-out"),
    path("password/forgotten/", players.accounts.sign_in.password_forgotten, name="password-forgotten"),
    path("password/sent/", players.accounts.sign_in.password_sent, name="password-sent"),
    path("password/choose/<uidb64>/<token>/", players.accounts.sign_in.password_choose, name="password-choose"),
    path("password/done/", players.accounts.sign_in.password_done, name="password-done"),
    path("preferences/", players.accounts.page.preferences, name="preferences"),
    path("preferences/email/", players.accounts.page.change_email, name="change-email"),
    path("preferences/email/send-again/", players.accounts.page.resend_confirmation, name="resend-confirmation"),
    path("preferences/email/try-again/", players.accounts.page.try_email_again, name="try-email-again"),
    re_path(r"^confirm-email/(?P<secret>[\w:.-]{20,500})/$", players.accounts.sign_in.confirm_email, name="confirm-email"),
    path("preferences/password/", players.accounts.page.change_password, name="change-password"),
    path("preferences/second-factor/", players.accounts.page.second_factor, name="second-factor"),
    path("preferences/second-factor/start/", players.accounts.page.start_second_factor, name="start-second-factor"),
    path("preferences/second-factor/on/", players.accounts.page.turn_on, name="second-factor-on"),
    path("preferences/second-factor/off/", players.accounts.page.turn_off, name="second-factor-off"),
    path("preferences/second-factor/codes/", players.accounts.page.renew_codes, name="renew-recovery-codes"),
    path("preferences/sessions/", players.accounts.page.sessions, name="sessions"),
    path("preferences/sessions/end/", players.accounts.page.end_session, name="end-session"),
    path("preferences/sessions/end-others/", players.accounts.page.end_other_sessions, name="end-other-sessions"),
    path("preferences/delete/", players.accounts.page.delete_account, name="delete-account"),
    path("preferences/token/", players.accounts.page.make_token, name="make-token"),
    path("preferences/token/revoke/", players.accounts.page.revoke_token, name="revoke-token"),
    path("preferences/data/", players.privacy.page.my_data, name="my-data"),
    path("preferences/data/export/", players.privacy.page.export_my_data, name="export-my-data"),
    re_path(rf"^data-exports/(?P<export>{ID})\.zip$", players.privacy.page.download, name="data-export"),
    path("notifications/", players.notifications.page.notifications, name="notifications"),
    path("notifications/bell/", players.notifications.page.bell, name="notification-bell"),
    path("notifications/read/", players.notifications.page.mark_read, name="notifications-read"),
    re_path(rf"^notifications/(?P<notification>{ROW})/open/$", players.notifications.page.open_notification, name="notification-open"),
    re_path(rf"^notifications/(?P<notification>{ROW})/unread/$", players.notifications.page.mark_unread, name="notification-unread"),
    path("account/notifications/", players.notifications.page.settings, name="notification-settings"),
    path("account/notifications/push/", players.notifications.page.subscribe, name="push-subscribe"),
    path("account/notifications/push/session/", players.notifications.page.bind, name="push-bind"),
    re_path(rf"^account/notifications/push/(?P<browser>{ROW})/remove/$", players.notifications.page.remove_browser, name="push-remove"),
    re_path(rf"^unsubscribe/{players.notifications.emails.TOKEN}/$", players.notifications.page.unsubscribe, name="unsubscribe"),
    re_path(rf"{INVITATION}$", players.accounts.sign_in.invitation, name="invitation"),
    re_path(rf"{INVITATION}accept/$", players.accounts.sign_in.accept, name="accept-invitation"),
    re_path(rf"{INVITATION}sign-up/$", players.accounts.sign_in.sign_up_by_invitation, name="invitation-sign-up"),
    *(re_path(rf"^account/{CLAIM}{act.name}/$", act.view, name=f"claim-{act.name}") for act in players.joining.actions.CLAIMS),
]
# fmt: on
