from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("matches", "0018_settle_results_later"),
    ]

    operations = [
        migrations.AddField(
            model_name="livematch",
            name="answer_ahead",
            field=models.CharField(
                blank=True,
                choices=[("take", "take"), ("drop", "pass")],
                db_default="",
                default="",
                help_text="How a player has decided ahead to answer a double; empty: not at all.",
                max_length=4,
            ),
        ),
        migrations.AddField(
            model_name="livematch",
            name="answer_ahead_after",
            field=models.PositiveIntegerField(
                blank=True,
                help_text="The value of `changed_by` when that was decided; it holds until the next action that changes it.",
                null=True,
            ),
        ),
    ]
