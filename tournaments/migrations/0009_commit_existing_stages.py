import hashlib
import secrets

from django.db import migrations
from django.utils import timezone

SEED_BYTES = 32


def commit_stages_of_published_events(apps, schema_editor):
    """Published events enter the lists of their clubs in the order in which they were made, with their draws."""
    Commitment = apps.get_model("tournaments", "Commitment")
    Draw = apps.get_model("tournaments", "Draw")
    Stage = apps.get_model("tournaments", "Stage")
    numbers = {}
    now = timezone.now()
    stages = Stage.objects.exclude(division__tournament__status="draft").select_related("division__tournament")
    for stage in stages.order_by("division__tournament__created_at", "division__tournament", "division", "number"):
        club = stage.division.tournament.club_id
        numbers[club] = numbers.get(club, 0) + 1
        commitment = Commitment.objects.create(
            club_id=club,
            number=numbers[club],
            division_id=stage.division_id,
            stage=stage,
            stage_number=stage.number,
            seed_hash=stage.seed_hash,
            lots_hash=stage.lots_hash,
            at=now,
        )
        Draw.objects.filter(stage=stage).update(commitment=commitment)


def forget_drafts_of_unpublished_events(apps, schema_editor):
    """Drafts seen in private cannot be published any more; their stages are drawn from new seeds."""
    Draw = apps.get_model("tournaments", "Draw")
    Stage = apps.get_model("tournaments", "Stage")
    seen = Stage.objects.filter(division__tournament__status="draft", draws__isnull=False).distinct()
    for stage in seen:
        Draw.objects.filter(stage=stage, state__in=["requested", "draft"]).update(state="discarded")
        seed = secrets.token_bytes(SEED_BYTES)
        stage.seed, stage.seed_hash = seed.hex(), hashlib.sha256(seed).hexdigest()
        stage.save(update_fields=["seed", "seed_hash"])


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0008_commitments")]

    operations = [
        migrations.RunPython(commit_stages_of_published_events, migrations.RunPython.noop),
        migrations.RunPython(forget_drafts_of_unpublished_events, migrations.RunPython.noop),
    ]
