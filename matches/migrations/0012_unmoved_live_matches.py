from django.db import migrations
from django.db.models import Count, Q


def note_unmoved(apps, schema_editor):
    """Stop rating the matches that ended on their board here before each side had made a play."""
    Match = apps.get_model("matches", "Match")
    Result = apps.get_model("matches", "Result")
    RatingMark = apps.get_model("matches", "RatingMark")
    default = apps.get_model("matches", "RatingPool").objects.filter(is_default=True).first()
    played = Match.objects.filter(rated=True, moved=True, finished_at__isnull=False, results__source="live")
    sides = Count("live__actions__side", filter=Q(live__actions__kind="play"), distinct=True)
    for match in played.annotate(sides=sides).filter(sides__lt=2).order_by("finished_at", "pk").iterator():
        standing = Result.objects.filter(match=match.pk).exclude(kind="void").order_by("-version").first()
        if standing is None or standing.source != "live" or standing.submission_id is not None:
            continue
        Match.objects.filter(pk=match.pk).update(moved=False)
        pool = match.pool_id or (default.pk if default else None)
        if pool is not None:
            RatingMark.objects.create(pool_id=pool, finished_at=match.finished_at, match=match.pk)


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0011_dice_armings"),
    ]

    operations = [
        migrations.RunPython(note_unmoved, migrations.RunPython.noop),
    ]
