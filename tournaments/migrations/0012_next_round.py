"""What happens when a round is complete has three answers now; stages keep the one they were set up with."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def name_the_answer(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    stages = apps.get_model("tournaments", "Stage").objects.using(schema_editor.connection.alias)
    for stage in stages.filter(format__in=["swiss", "lives"]):
        by_itself = stage.settings.pop("pair_at_once", True)
        stage.settings["next_round"] = "publish" if by_itself else "ask"
        stage.save(update_fields=["settings"])


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0011_rounds_drawn_later")]

    operations = [migrations.RunPython(name_the_answer, migrations.RunPython.noop)]
