"""A pair that was made on paper can be taken back since its slip was typed wrongly."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds the reason."""

    dependencies = [
        ('tournaments', '0021_best_of_a_class'),
    ]

    operations = [
        migrations.AlterField(
            model_name='pairing',
            name='taken_back',
            field=models.CharField(blank=True, choices=[('missing', 'a player is missing'), ('wrong_call', 'called by mistake'), ('not_these_two', 'these two are not to meet'), ('correction', 'an earlier result was corrected'), ('withdrawal', 'a player has withdrawn'), ('draw', 'the draw was taken back'), ('typed', 'a slip was typed wrongly')], max_length=13),
        ),
    ]
