"""The final of a season, points by hand, shares of places, and seeds in the order of the entries."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds them."""

    dependencies = [
        ('players', '0011_club_class_points'),
        ('tournaments', '0022_past_seasons_count'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='series',
            name='final',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='final_of', to='tournaments.tournament'),
        ),
        migrations.AddField(
            model_name='seriesevent',
            name='shares',
            field=models.CharField(blank=True, help_text='Of the first places, from the first: 4, 2, 1, 1.', max_length=200),
        ),
        migrations.AlterField(
            model_name='division',
            name='draw_method',
            field=models.CharField(choices=[('random', 'by lot'), ('rating', 'seeded by rating'), ('entry', 'seeded in the order of the entries')], default='random', max_length=6, verbose_name='draw'),
        ),
        migrations.CreateModel(
            name='SeriesPoints',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('points', models.CharField(help_text='A number such as 2, -1.5 or 1/3.', max_length=20)),
                ('reason', models.CharField(max_length=300)),
                ('at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='players.player')),
                ('series', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='points_by_hand', to='tournaments.series')),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tournaments.tournament')),
            ],
            options={
                'verbose_name': 'points by hand',
                'verbose_name_plural': 'points by hand',
                'ordering': ('at', 'pk'),
            },
        ),
    ]
