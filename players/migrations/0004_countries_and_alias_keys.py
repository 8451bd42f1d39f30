"""The country of a player, and other names as they are compared."""

from django.db import migrations, models

import players.models.fields


def fold_aliases(apps, schema_editor):
    for row in apps.get_model("players", "Alias").objects.iterator():
        row.save(update_fields=["name_key"])


class Migration(migrations.Migration):

    dependencies = [
        ("players", "0003_folded_names"),
    ]

    operations = [
        migrations.AddField(
            "player",
            "country",
            models.CharField(
                blank=True,
                default="",
                help_text="ISO 3166 code, such as DK.",
                max_length=2,
                verbose_name="country",
            ),
            preserve_default=False,
        ),
        migrations.AddField("alias", "name_key", players.models.fields.FoldedField("name")),
        migrations.RunPython(fold_aliases, migrations.RunPython.noop),
    ]
