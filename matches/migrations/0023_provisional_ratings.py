"""Count of each rating the opponents and the matches in events, as the replay of its pool does from now on."""

from typing import Any

from django.db import migrations, models
from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

BATCH = 500


def count_opponents(apps: Any, _schema_editor: Any) -> None:
    """Count them from the stored changes, in batches, so that nothing is locked for long."""
    ratings, changes = apps.get_model("matches", "PlayerRating"), apps.get_model("matches", "RatingChange")
    of_rating = changes.objects.filter(pool=OuterRef("pool"), player=OuterRef("player")).order_by().values("player")
    opponents = of_rating.annotate(count=Count("opponent", distinct=True)).values("count")
    in_events = of_rating.annotate(count=Count("pk", filter=~Q(match__parent_topic=""))).values("count")
    ids = list(ratings.objects.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(ids), BATCH):
        ratings.objects.filter(pk__in=ids[start : start + BATCH]).update(
            opponents=Coalesce(Subquery(opponents), 0), event_matches=Coalesce(Subquery(in_events), 0)
        )


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("matches", "0022_rated_friendlies_of_a_day"),
    ]

    operations = [
        migrations.AddField(
            model_name="playerrating",
            name="event_matches",
            field=models.PositiveIntegerField(
                db_default=0, default=0, help_text="How many of the rated matches were played in events."
            ),
        ),
        migrations.AddField(
            model_name="playerrating",
            name="opponents",
            field=models.PositiveIntegerField(
                db_default=0, default=0, help_text="Different people in the rated matches."
            ),
        ),
        migrations.RunPython(count_opponents, migrations.RunPython.noop),
    ]
