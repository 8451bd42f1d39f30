"""URLs of accounts, clubs and invitations."""

from django.urls import URLPattern, URLResolver, path, re_path

from players.accounts import api as api_accounts
from players.accounts.views import accounts, preferences
from players.clubs import api as api_clubs
from players.clubs.views import clubs, members
from players.people import views as invitations

CLUB = r"^clubs/(?P<slug>[a-z0-9-]+)/"
MEMBER = CLUB + r"members/(?P<public_id>[2-9a-z]{10})/"
API = r"^api/v1/"
INVITATION = r"^invitations/(?P<secret>[\w-]{20,64})/"

account_pages: list[URLPattern | URLResolver] = [
    path("sign-up/", accounts.sign_up, name="sign-up"),
    path("sign-in/", accounts.sign_in, name="sign-in"),
    path("sign-in/continue/", accounts.send_kept_input, name="send-kept-input"),
    path("sign-out/", accounts.sign_out, name="sign-out"),
    path("password/forgotten/", accounts.password_forgotten, name="password-forgotten"),
    path("password/sent/", accounts.password_sent, name="password-sent"),
    path("password/choose/<uidb64>/<token>/", accounts.password_choose, name="password-choose"),
    path("password/done/", accounts.password_done, name="password-done"),
    path("preferences/", preferences.preferences, name="preferences"),
    path("preferences/email/", preferences.change_email, name="change-email"),
    path("preferences/password/", preferences.change_password, name="change-password"),
    path("preferences/delete/", preferences.delete_account, name="delete-account"),
    path("preferences/token/", preferences.make_token, name="make-token"),
    path("preferences/token/revoke/", preferences.revoke_token, name="revoke-token"),
]

club_pages: list[URLPattern | URLResolver] = [
    path("clubs/", clubs.club_list, name="club-list"),
    path("clubs/new/", clubs.create_club, name="create-club"),
    re_path(rf"{CLUB}edit/$", clubs.edit_club, name="edit-club"),
    re_path(rf"{CLUB}leave/$", clubs.leave_club, name="leave-club"),
    re_path(rf"{CLUB}members/$", members.members, name="club-members"),
    re_path(rf"{CLUB}members/add/$", members.add_member, name="add-member"),
    re_path(rf"{CLUB}members/known/$", members.add_player, name="add-player"),
    re_path(rf"{CLUB}members/paste/$", members.paste_members, name="paste-members"),
    re_path(
        rf"{CLUB}invitations/(?P<pk>\d{{1,18}})/withdraw/$", members.withdraw_invitation, name="withdraw-invitation"
    ),
    re_path(rf"{CLUB}merges/(?P<pk>\d{{1,18}})/undo/$", members.undo_merge, name="undo-merge"),
    re_path(rf"{MEMBER}$", members.member, name="club-member"),
    re_path(rf"{MEMBER}role/$", members.set_role, name="set-role"),
    re_path(rf"{MEMBER}edit/$", members.edit_name, name="edit-name"),
    re_path(rf"{MEMBER}invite/$", members.invite, name="invite"),
    re_path(rf"{MEMBER}merge/$", members.merge, name="merge-member"),
    re_path(rf"{MEMBER}names/$", members.add_alias, name="add-alias"),
    re_path(rf"{MEMBER}remove/$", members.remove_member, name="remove-member"),
    re_path(rf"{INVITATION}$", invitations.invitation, name="invitation"),
    re_path(rf"{INVITATION}accept/$", invitations.accept, name="accept-invitation"),
    re_path(rf"{INVITATION}sign-up/$", invitations.sign_up, name="invitation-sign-up"),
]

API_CLUB = rf"{API}clubs/(?P<slug>[a-z0-9-]+)/"
API_MEMBER = API_CLUB + r"members/(?P<public_id>[2-9a-z]{10})/"

api_routes: list[URLPattern | URLResolver] = [
    path("api/v1/me/", api_accounts.Me.as_view(), name="api-me"),
    path("api/v1/tokens/", api_accounts.Tokens.as_view(), name="api-tokens"),
    path("api/v1/tokens/current/", api_accounts.CurrentToken.as_view(), name="api-current-token"),
    path("api/v1/invitations/accept/", api_accounts.AcceptInvitation.as_view(), name="api-accept-invitation"),
    path("api/v1/clubs/", api_clubs.Clubs.as_view(), name="api-clubs"),
    re_path(rf"{API_CLUB}$", api_clubs.OneClub.as_view(), name="api-club"),
    re_path(rf"{API_CLUB}members/$", api_clubs.Members.as_view(), name="api-members"),
    re_path(rf"{API_CLUB}members/list/$", api_clubs.MemberList.as_view(), name="api-member-list"),
    re_path(rf"{API_CLUB}merges/(?P<pk>\d{{1,18}})/$", api_clubs.UndoMerge.as_view(), name="api-undo-merge"),
    re_path(rf"{API_MEMBER}$", api_clubs.OneMember.as_view(), name="api-member"),
    re_path(rf"{API_MEMBER}name/$", api_clubs.MemberName.as_view(), name="api-member-name"),
    re_path(rf"{API_MEMBER}invitation/$", api_clubs.MemberInvitation.as_view(), name="api-member-invitation"),
    re_path(rf"{API_MEMBER}merge/$", api_clubs.MemberMerge.as_view(), name="api-member-merge"),
]

urlpatterns = account_pages + club_pages + api_routes
