"""Seasons: series of events, their plans and closings."""

import core.public_ids
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('players', '0010_join_request'),
        ('tournaments', '0015_without_rounds'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Series',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=core.public_ids.new_public_id, editable=False, max_length=10, unique=True)),
                ('name', models.CharField(max_length=80, verbose_name='name')),
                ('slug', models.SlugField(max_length=60, verbose_name='URL name')),
                ('first_day', models.DateField(verbose_name='first day')),
                ('last_day', models.DateField(verbose_name='last day')),
                ('seq', models.PositiveIntegerField(default=0, help_text='Grows by one with every change.')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='players.club')),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'season',
                'verbose_name_plural': 'seasons',
                'ordering': ('-last_day', '-pk'),
            },
        ),
        migrations.CreateModel(
            name='SeriesEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(default='normal', help_text='The class of the event in the plan.', max_length=20)),
                ('weight', models.CharField(default='1', help_text='A number such as 1.5 or 1/3.', max_length=20)),
                ('series', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='counted', to='tournaments.series')),
                ('tournament', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='counts_in', to='tournaments.tournament')),
            ],
            options={
                'verbose_name': 'event of a season',
                'verbose_name_plural': 'events of a season',
                'ordering': ('tournament__starts_at', 'pk'),
            },
        ),
        migrations.CreateModel(
            name='SeriesPlan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('plan', models.JSONField(help_text='As in docs/series.md.')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('series', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='plans', to='tournaments.series')),
            ],
            options={
                'verbose_name': 'scoring plan',
                'verbose_name_plural': 'scoring plans',
                'ordering': ('series', 'number'),
            },
        ),
        migrations.CreateModel(
            name='SeriesClosing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('table', models.JSONField(help_text='Events and rows, with public ids of players and exact numbers.')),
                ('at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('reopened_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, help_text='Why it was reopened.', max_length=300)),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reopened_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('series', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='closings', to='tournaments.series')),
                ('plan', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tournaments.seriesplan')),
            ],
            options={
                'verbose_name': 'closing of a season',
                'verbose_name_plural': 'closings of a season',
                'ordering': ('at', 'pk'),
            },
        ),
        migrations.AddConstraint(
            model_name='series',
            constraint=models.UniqueConstraint(fields=('club', 'slug'), name='series_slug_of_club'),
        ),
        migrations.AddConstraint(
            model_name='series',
            constraint=models.CheckConstraint(condition=models.Q(('last_day__gte', models.F('first_day'))), name='series_days_in_order'),
        ),
        migrations.AddConstraint(
            model_name='seriesevent',
            constraint=models.UniqueConstraint(fields=('series', 'tournament'), name='series_event_once'),
        ),
        migrations.AddConstraint(
            model_name='seriesplan',
            constraint=models.UniqueConstraint(fields=('series', 'number'), name='series_plan_number'),
        ),
        migrations.AddConstraint(
            model_name='seriesclosing',
            constraint=models.UniqueConstraint(condition=models.Q(('reopened_at', None)), fields=('series',), name='series_closed_once'),
        ),
    ]
