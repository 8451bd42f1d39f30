"""Number the last change of each part of a division, so that only those are refused who decided about it."""

from typing import Any

from django.db import migrations, models
from django.db.models import F

FIELD = models.PositiveIntegerField(db_default=0, default=0, editable=False)
PARTS = ("plan_seq", "entries_seq", "pairing_seq")


def start(apps: Any, _schema_editor: Any) -> None:
    """Refuse the forms of pages that are open now, as before."""
    apps.get_model("tournaments", "Division").objects.update(**dict.fromkeys(PARTS, F("seq")))


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0040_own_hall")]
    operations = [
        *(migrations.AddField("division", name, FIELD.clone()) for name in PARTS),
        migrations.RunPython(start, migrations.RunPython.noop),
    ]
