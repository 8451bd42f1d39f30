"""The title of the best of a class."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds it to the kinds of titles."""

    dependencies = [
        ('tournaments', '0020_finals_and_points_by_hand'),
    ]

    operations = [
        migrations.AlterField(
            model_name='title',
            name='figure',
            field=models.CharField(
                blank=True,
                help_text='Points, wins, evenings or the bound of the class when it was awarded.',
                max_length=40,
            ),
        ),
        migrations.AlterField(
            model_name='title',
            name='kind',
            field=models.CharField(
                choices=[
                    ('champion', 'Champion'),
                    ('season', 'Season winner'),
                    ('wins', 'Most wins'),
                    ('streak', 'Longest winning streak'),
                    ('evenings', 'Most evenings'),
                    ('newcomer', 'Best newcomer'),
                    ('class', 'Best of a class'),
                    ('event', 'Winner'),
                ],
                max_length=10,
            ),
        ),
    ]
