"""Names as they are compared, in a column of their own."""

from django.db import migrations

import players.models.fields


def fold_what_is_there(apps, schema_editor):
    for model, key in (("Player", "name_key"), ("Club", "search_key")):
        for row in apps.get_model("players", model).objects.iterator():
            row.save(update_fields=[key])


class Migration(migrations.Migration):

    dependencies = [
        ("players", "0002_people"),
    ]

    operations = [
        migrations.AddField("player", "name_key", players.models.fields.FoldedField("name")),
        migrations.AddField("club", "search_key", players.models.fields.FoldedField("name", "city")),
        migrations.RunPython(fold_what_is_there, migrations.RunPython.noop),
    ]
