"""Pictures of pages for links that are shared."""

import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tournaments", "0013_undo_start"),
    ]

    operations = [
        migrations.CreateModel(
            name="SharePicture",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=8)),
                ("key", models.CharField(help_text="The slugs or public ids in the URL of the page.", max_length=200)),
                ("digest", models.CharField(help_text="Of what the picture shows.", max_length=32)),
                ("data", models.BinaryField(help_text="PNG; empty until a worker has drawn it.", null=True)),
                (
                    "sent_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, help_text="When a worker was last notified."
                    ),
                ),
                ("claimed_at", models.DateTimeField(blank=True, null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                (
                    "used_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, help_text="When it was last requested, to the hour."
                    ),
                ),
            ],
            options={
                "verbose_name": "picture of a shared page",
                "verbose_name_plural": "pictures of shared pages",
                "ordering": ("-used_at", "-pk"),
                "indexes": [
                    models.Index(fields=["used_at"], name="share_picture_used"),
                    models.Index(condition=models.Q(("data", None)), fields=["sent_at"], name="share_picture_open"),
                ],
                "constraints": [models.UniqueConstraint(fields=("kind", "key"), name="one_share_picture_per_page")],
            },
        ),
    ]
