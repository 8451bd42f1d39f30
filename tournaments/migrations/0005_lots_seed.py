import hashlib
import secrets

from django.db import migrations, models

SEED_BYTES = 32
ELIMINATION = ("knockout", "progressive", "double")


def give_each_stage_a_seed_of_lots(apps, schema_editor):
    """A stage whose ties were already drawn from its seed keeps drawing them from it; the others get a fresh one."""
    Stage = apps.get_model("tournaments", "Stage")
    for stage in Stage.objects.all().iterator():
        keeps = stage.status == "finished" or (stage.status == "running" and stage.format not in ELIMINATION)
        seed = bytes.fromhex(stage.seed) if keeps else secrets.token_bytes(SEED_BYTES)
        stage.lots_seed, stage.lots_hash = seed.hex(), hashlib.sha256(seed).hexdigest()
        stage.save(update_fields=["lots_seed", "lots_hash"])


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0004_kept_apart")]

    operations = [
        migrations.AddField(
            model_name="stage",
            name="lots_hash",
            field=models.CharField(
                default="", help_text="SHA-256 of that seed's bytes, shown from the start.", max_length=64
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="stage",
            name="lots_seed",
            field=models.CharField(
                default="",
                help_text="Secret until the stage is over: byes of late entries, ties; hexadecimal.",
                max_length=64,
            ),
            preserve_default=False,
        ),
        migrations.RunPython(give_each_stage_a_seed_of_lots, migrations.RunPython.noop),
    ]
