"""The season in which the evenings of an import count."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds the link of an imported season to a series."""

    dependencies = [("tournaments", "0021_titles")]

    operations = [
        migrations.AddField(
            model_name="pastseason",
            name="counts_in",
            field=models.ForeignKey(
                blank=True,
                help_text="The season in which its evenings count.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="past_seasons",
                to="tournaments.series",
            ),
        ),
    ]
