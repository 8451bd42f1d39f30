"""Erasing a person from match records: the files, the names in them and their sender. Results are kept."""

from django.db.models import Q

from matches.models import Submission
from players.models import Player, User
from players.people.services.erasure import also_forget

NAMELESS = ["", ""]


def forget(players: list[Player], user: User | None) -> None:
    """Empty the records of these players' matches and those sent by the account; plays and verdicts are kept.

    Both names are erased from a record, since the match itself still has the name of the other player.
    """
    concerned = Q(match__player_0__in=players) | Q(match__player_1__in=players)
    if user is not None:
        concerned |= Q(submitter=user)
    for row in Submission.objects.filter(concerned).prefetch_related("verdicts").iterator(chunk_size=100):
        row.data, row.file_name = b"", ""
        if row.transcript is not None:
            row.transcript = {**row.transcript, "players": NAMELESS, "info": {}}
        if user is not None and row.submitter_id == user.pk:
            # Keys are unique among submissions without a sender, so this one must not remain.
            row.submitter, row.key = None, ""
        row.save(update_fields=["data", "file_name", "transcript", "submitter", "key"])
        for verdict in row.verdicts.all():
            verdict.content = {**verdict.content, "players": NAMELESS}
            verdict.save(update_fields=["content"])


def connect() -> None:
    """Register `forget` to be called when a person is erased."""
    also_forget(forget)
