"""What leaving the site does with every row that refers to a player or an account: it ends, it stays, or it is erased.

A key to an account that is emptied with it says who did something: that stays as a fact.
"""

from collections.abc import Iterator

from django.apps import apps
from django.db.models import SET_NULL, ForeignKey, Model

from players.models import Player, User

EVENTS, BOARDS = "clubhouse.leaving.end_all", "matches.play.lobby.leaving.end_all"
ENDS = {
    "matches.Challenge.challenger": BOARDS,
    "matches.Challenge.opponent": BOARDS,
    "matches.Match.player_0": BOARDS,
    "matches.Match.player_1": BOARDS,
    "players.JoinRequest.user": "players.people.leaving.suspend",
    "players.Membership.player": "players.people.erasure.erase_player",
    "tournaments.Entry.player": EVENTS,
    "tournaments.FinalPlace.player": EVENTS,
}
"""What somebody takes part in, and the service that ends it. Matches of events end with the entry."""

STAYS = {
    "matches.BotPlayer.player": "a bot has no account",
    "matches.MatchImport_added.player": "whom an import added",
    "matches.PlayerRating.player": "the ratings of others follow from it",
    "matches.RatingChange.opponent": "the ratings of others follow from it",
    "matches.RatingChange.player": "the ratings of others follow from it",
    "matches.RatingStart.player": "the ratings of others follow from it",
    "players.Merge.into": "who was the same person",
    "players.Merge.player": "who was the same person",
    "players.OwnerOffer.player": "who owned a club",
    "players.Pair.first": "who played together",
    "players.Pair.player": "who played together",
    "players.Pair.second": "who played together",
    "players.Player.merged_into": "who was the same person",
    "tournaments.CheckIn.person": "who came",
    "tournaments.EventLink.player": "the link shows the matches that were played",
    "tournaments.FloorEvent.player": "what happened on the floor",
    "tournaments.PastPlacing.player": "a result",
    "tournaments.PastSeason_added.player": "whom an import added",
    "tournaments.Payment.player": "the cash desk has to balance",
    "tournaments.SeriesEntry.player": "the table of the season, from which nobody is asked to a final who has left",
    "tournaments.SeriesPoints.player": "a result",
    "tournaments.Substitution.after": "who played instead of whom",
    "tournaments.Substitution.before": "who played instead of whom",
    "tournaments.Title.player": "a result",
}
"""What is a fact about others, too, and why."""

ERASED = {
    "admin.LogEntry.user",
    "matches.CalendarFeed.user",
    "matches.Card.user",
    "matches.ChatMessage.user",
    "matches.ChatReport.user",
    "matches.FriendlyBlock.blocked",
    "matches.FriendlyBlock.player",
    "matches.PlayPreferences.user",
    "matches.PuzzleAnswer.user",
    "matches.Submission.submitter",
    "otp_totp.TOTPDevice.user",
    "players.AccountEmail.user",
    "players.AccountSession.user",
    "players.Alias.player",
    "players.ApiToken.user",
    "players.DataExport.player",
    "players.DataExport.requested_by",
    "players.Invitation.player",
    "players.JoinRequest.claimed",
    "players.JoinRequest.user",
    "players.Notification.user",
    "players.NotificationChoice.user",
    "players.Player.user",
    "players.PushSubscription.user",
    "players.RecoveryCode.user",
    "players.User_groups.user",
    "players.User_user_permissions.user",
    "tournaments.Helper.user",
    "tournaments.Letter.user",
    "tournaments.SeriesView_players.player",
}
"""Keys that nobody has any more once an account is deleted. A suspension keeps them."""


def keys_to_people() -> Iterator[tuple[str, type[Model], ForeignKey]]:
    """Yield every key to a player or an account, except for those that say who did something, with its name."""
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.fields:
            if not isinstance(field, ForeignKey) or field.related_model not in (Player, User):
                continue
            name = f"{model._meta.label}.{field.name}"
            is_author = field.related_model is User and field.remote_field.on_delete is SET_NULL
            if not is_author or name in ERASED:
                yield name, model, field


def rows_of(player: int, user: int) -> dict[str, int]:
    """Return how many rows refer to a person, by key."""
    return {
        name: model._default_manager.filter(**{field.name: player if field.related_model is Player else user}).count()
        for name, model, field in keys_to_people()
    }
