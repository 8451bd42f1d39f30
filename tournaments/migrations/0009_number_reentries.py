"""Write the numbers of re-entries to the matches that were opened before matches had them."""

from typing import Any

from django.db import migrations

BATCH = 500


def number_matches(apps: Any, _schema_editor: Any) -> None:
    """Number the re-entries of every match of a fixture; each row by itself, so that nothing is locked for long."""
    slots, matches = apps.get_model("tournaments", "Slot"), apps.get_model("matches", "Match")
    rows = slots.objects.filter(entry__number__gt=1, fixture__match__isnull=False).order_by("pk")
    for match, side, number in rows.values_list("fixture__match", "side", "entry__number").iterator(BATCH):
        matches.objects.filter(pk=match).update(**{f"entry_number_{side}": number})


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("matches", "0005_entry_numbers"),
        ("tournaments", "0008_length_offers"),
    ]

    operations = [migrations.RunPython(number_matches, migrations.RunPython.noop)]
