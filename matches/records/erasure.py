"""What this room forgets of a person who is erased: the files, the names in them, who sent them. Results stay."""

from django.db.models import Q

from matches.models import Submission
from players.models import Player, User
from players.people.services.erasure import also_forget

NAMELESS = ["", ""]


def forget(players: list[Player], user: User | None) -> None:
    """Empties the records of these players' matches and those the account sent in; plays and verdicts stay.

    Both names go: a file is one piece, and who played the match is told by the match.
    """
    of_them = Q(match__player_0__in=players) | Q(match__player_1__in=players)
    if user is not None:
        of_them |= Q(submitter=user)
    for row in Submission.objects.filter(of_them).prefetch_related("verdicts").iterator(chunk_size=100):
        row.data, row.file_name = b"", ""
        if row.transcript is not None:
            row.transcript = {**row.transcript, "players": NAMELESS, "info": {}}
        if user is not None and row.submitter_id == user.pk:
            # An Idempotency-Key is unique among those of nobody, too.
            row.submitter, row.key = None, ""
        row.save(update_fields=["data", "file_name", "transcript", "submitter", "key"])
        for verdict in row.verdicts.all():
            verdict.content = {**verdict.content, "players": NAMELESS}
            verdict.save(update_fields=["content"])


def connect() -> None:
    """Has the players' room call us."""
    also_forget(forget)
