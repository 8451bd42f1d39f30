"""Settings of stages in their present form.

Stages that were set up before editions of the regulations could be chosen keep the one they were computed by; the
play-off, which nobody could enter, goes; and what a match not played counts has one more choice.
"""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

EDITION_BEFORE = "2023-09-01"


def bring_up_to_date(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    stages = apps.get_model("tournaments", "Stage").objects.using(schema_editor.connection.alias)
    for stage in stages.all():
        settings = dict(stage.settings)
        if stage.format == "swiss":
            settings.setdefault("edition", EDITION_BEFORE)
        if settings.pop("unplayed_half", False):
            settings["unplayed"] = "half"
        if "playoff" in settings.get("tiebreaks", []):
            settings["tiebreaks"] = [name for name in settings["tiebreaks"] if name != "playoff"]
        if settings != stage.settings:
            stage.settings = settings
            stage.save(update_fields=["settings"])


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0006_match_numbers_of_the_event")]

    operations = [migrations.RunPython(bring_up_to_date, migrations.RunPython.noop)]
