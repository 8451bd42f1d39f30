"""The title of the best of a class, and evenings whose class follows from their month."""

from typing import Any

from django.db import migrations, models


def leave_to_the_plan(apps: Any, schema_editor: Any) -> None:
    """Let the plan say what a normal evening is; until now all were normal that nobody had set otherwise."""
    apps.get_model('tournaments', 'SeriesEvent').objects.filter(kind='normal').update(kind='')


def name_normal(apps: Any, schema_editor: Any) -> None:
    """Name the normal ones."""
    apps.get_model('tournaments', 'SeriesEvent').objects.filter(kind='').update(kind='normal')


class Migration(migrations.Migration):
    """Adds the kind of title, and lets the class of an event be empty."""

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
        migrations.AlterField(
            model_name='seriesevent',
            name='kind',
            field=models.CharField(
                blank=True,
                default='',
                help_text='The class of the event in the plan; empty: by its month, or else normal.',
                max_length=20,
            ),
        ),
        migrations.RunPython(leave_to_the_plan, name_normal),
    ]
