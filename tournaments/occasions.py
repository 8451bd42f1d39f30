"""What a match of ours was played for, told to the room below, which knows only its topic."""

from collections.abc import Collection, Mapping

from django.urls import reverse

from matches.occasions import Occasion
from tournaments.models import Division

KIND = "division:"


def tell(topics: Collection[str]) -> Mapping[str, Occasion]:
    """“Club Open 2026 · Open”, and the page of the division: one query for any number."""
    ids = [topic.removeprefix(KIND) for topic in topics if topic.startswith(KIND)]
    found = Division.objects.filter(public_id__in=ids).select_related("tournament__club") if ids else ()
    return {
        division.topic: Occasion(
            f"{division.tournament.name} · {division.name}",
            reverse("division", args=[division.tournament.club.slug, division.tournament.slug, division.public_id]),
        )
        for division in found
    }
