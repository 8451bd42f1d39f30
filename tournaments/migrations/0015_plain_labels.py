
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0012_plain_words"),
        ("tournaments", "0014_records_stand"),
    ]

    operations = [
        migrations.AlterField(
            model_name="advance",
            name="places",
            field=models.JSONField(default=list, help_text="Places that are kept, as (stage, place, entry)."),
        ),
        migrations.AlterField(
            model_name="advance",
            name="side",
            field=models.PositiveSmallIntegerField(
                blank=True, help_text="0 or 1; empty if nobody advances.", null=True
            ),
        ),
        migrations.AlterField(
            model_name="commitment",
            name="lots_hash",
            field=models.CharField(help_text="SHA-256 of the seed of lots drawn after the draw.", max_length=64),
        ),
        migrations.AlterField(
            model_name="commitment",
            name="number",
            field=models.PositiveIntegerField(help_text="Number in the list of the club, from 1."),
        ),
        migrations.AlterField(
            model_name="commitment",
            name="seed",
            field=models.CharField(blank=True, help_text="Public seed of a retired commitment.", max_length=64),
        ),
        migrations.AlterField(
            model_name="commitment",
            name="seed_hash",
            field=models.CharField(help_text="SHA-256 of the seed of the draw.", max_length=64),
        ),
        migrations.AlterField(
            model_name="correction",
            name="choice",
            field=models.CharField(
                choices=[
                    ("let_stand", "let the result stand"),
                    ("keep_bracket", "correct score, standings and ratings, but keep the bracket"),
                    ("correct_all", "correct everything"),
                ],
                max_length=12,
            ),
        ),
        migrations.AlterField(
            model_name="correction",
            name="voided_rated",
            field=models.BooleanField(default=True, help_text="Whether played matches that it voided stay rated."),
        ),
        migrations.AlterField(
            model_name="division",
            name="apart",
            field=models.BooleanField(default=False, verbose_name="keep club-mates apart"),
        ),
        migrations.AlterField(
            model_name="division",
            name="claim_wait",
            field=models.PositiveIntegerField(
                default=600,
                help_text="Usual values: 10 minutes at a venue, 24 hours online.",
                verbose_name="seconds until an unanswered report stands",
            ),
        ),
        migrations.AlterField(
            model_name="division",
            name="deadline_rule",
            field=models.CharField(
                choices=[
                    ("director", "a director decides"),
                    ("extend", "the player who proposed times wins; otherwise extended once, then both lose"),
                    ("both_lose", "the player who proposed times wins; otherwise both lose"),
                    ("lots", "the player who proposed times wins; otherwise by lot"),
                ],
                default="director",
                max_length=9,
                verbose_name="deadline rule",
            ),
        ),
        migrations.AlterField(
            model_name="division",
            name="extension_hours",
            field=models.PositiveSmallIntegerField(default=72, verbose_name="extension in hours"),
        ),
        migrations.AlterField(
            model_name="division",
            name="records_stand",
            field=models.BooleanField(default=False, verbose_name="accepted records become results at once"),
        ),
        migrations.AlterField(
            model_name="division",
            name="self_registration",
            field=models.BooleanField(default=False, verbose_name="players can register themselves"),
        ),
        migrations.AlterField(
            model_name="draw",
            name="at_once",
            field=models.BooleanField(default=False, help_text="Whether it is published when its countdown is over."),
        ),
        migrations.AlterField(
            model_name="draw",
            name="basis",
            field=models.CharField(
                blank=True, help_text="Digest of what the pairing of a round depends on.", max_length=64
            ),
        ),
        migrations.AlterField(
            model_name="draw",
            name="byes",
            field=models.JSONField(default=dict, help_text="For a round: entry id -> kind of bye."),
        ),
        migrations.AlterField(
            model_name="draw",
            name="manual",
            field=models.JSONField(default=list, help_text="Pairs that a director fixed."),
        ),
        migrations.AlterField(
            model_name="draw",
            name="places",
            field=models.JSONField(
                default=list, help_text="Entry ids in bracket order, or pair by pair for a round; null is a bye."
            ),
        ),
        migrations.AlterField(
            model_name="draw",
            name="publish_at",
            field=models.DateTimeField(blank=True, help_text="When the countdown ends.", null=True),
        ),
        migrations.AlterField(
            model_name="draw",
            name="reason",
            field=models.CharField(blank=True, help_text="Reason for a redraw.", max_length=300),
        ),
        migrations.AlterField(
            model_name="draw",
            name="refusal",
            field=models.JSONField(blank=True, help_text="Code and params, if it could not be drawn.", null=True),
        ),
        migrations.AlterField(
            model_name="draw",
            name="remarks",
            field=models.JSONField(default=list, help_text="Players who could not be kept apart, as (code, params)."),
        ),
        migrations.AlterField(
            model_name="draw",
            name="round",
            field=models.PositiveSmallIntegerField(
                default=0, help_text="The round that is paired; 0 for a whole stage."
            ),
        ),
        migrations.AlterField(
            model_name="draw",
            name="taken_back_reason",
            field=models.CharField(blank=True, help_text="Public, like the reason for a redraw.", max_length=300),
        ),
        migrations.AlterField(
            model_name="entry",
            name="rating",
            field=models.FloatField(blank=True, help_text="Rating when the draw was made.", null=True),
        ),
        migrations.AlterField(
            model_name="fixture",
            name="deadline_done",
            field=models.BooleanField(default=False, help_text="The deadline rule has been applied."),
        ),
        migrations.AlterField(
            model_name="fixture",
            name="due_at",
            field=models.DateTimeField(blank=True, help_text="The deadline of the round, unless extended.", null=True),
        ),
        migrations.AlterField(
            model_name="fixture",
            name="former",
            field=models.ManyToManyField(
                blank=True,
                help_text="Earlier matches of this fixture, voided when its players changed.",
                related_name="+",
                to="matches.match",
            ),
        ),
        migrations.AlterField(
            model_name="fixture",
            name="number",
            field=models.PositiveIntegerField(help_text="Unique in the event and never reused. 13 is shown as M13."),
        ),
        migrations.AlterField(
            model_name="lateentry",
            name="before",
            field=models.CharField(
                blank=True, help_text="Previous status of the entry; empty if it is new.", max_length=7
            ),
        ),
        migrations.AlterField(
            model_name="lateentry",
            name="entrants",
            field=models.JSONField(
                default=list, help_text="Rounds still to be drawn, as [key of the round, its previous entrants]."
            ),
        ),
        migrations.AlterField(
            model_name="lateentry",
            name="slots",
            field=models.JSONField(default=list, help_text="Byes that were filled, as [match number, side]."),
        ),
        migrations.AlterField(
            model_name="return",
            name="reopened",
            field=models.ManyToManyField(
                blank=True,
                help_text="Voided walkovers, whose fixtures have new matches.",
                related_name="+",
                to="matches.match",
            ),
        ),
        migrations.AlterField(
            model_name="round",
            name="drops",
            field=models.JSONField(default=list, help_text="Letters of the rounds whose losers enter this round."),
        ),
        migrations.AlterField(
            model_name="round",
            name="entrants",
            field=models.JSONField(
                default=list,
                help_text="Entrants of a round that is drawn once they are known, as (winner or loser, match number).",
            ),
        ),
        migrations.AlterField(
            model_name="slot",
            name="live",
            field=models.BooleanField(default=True, help_text="Whether nobody may stand in two slots of this round."),
        ),
        migrations.AlterField(
            model_name="slot",
            name="source_fixture",
            field=models.PositiveIntegerField(blank=True, help_text="Match number of the source.", null=True),
        ),
        migrations.AlterField(
            model_name="stage",
            name="apart",
            field=models.JSONField(
                default=list, help_text="Groups of entries that were kept apart when the draw was published."
            ),
        ),
        migrations.AlterField(
            model_name="stage",
            name="lots_hash",
            field=models.CharField(
                help_text="SHA-256 of the bytes of the seed of the lots. Always public.", max_length=64
            ),
        ),
        migrations.AlterField(
            model_name="stage",
            name="lots_seed",
            field=models.CharField(
                help_text="Hexadecimal. Seed for byes of late entries and ties. Secret until the stage is over.",
                max_length=64,
            ),
        ),
        migrations.AlterField(
            model_name="stage",
            name="seed",
            field=models.CharField(help_text="Hexadecimal. Secret until the draw is published.", max_length=64),
        ),
        migrations.AlterField(
            model_name="stage",
            name="seed_hash",
            field=models.CharField(help_text="SHA-256 of the bytes of the seed. Always public.", max_length=64),
        ),
        migrations.AlterField(
            model_name="stage",
            name="settings",
            field=models.JSONField(default=dict, help_text="Settings of the format, such as its pattern."),
        ),
        migrations.AlterField(
            model_name="tournament",
            name="currency",
            field=models.CharField(
                default="ticket", help_text="A currency code, or “ticket”.", max_length=12, verbose_name="currency"
            ),
        ),
        migrations.AlterField(
            model_name="tournament",
            name="last_number",
            field=models.PositiveIntegerField(default=0, help_text="Highest match number so far."),
        ),
        migrations.AlterField(
            model_name="tournament",
            name="slug",
            field=models.SlugField(max_length=60, verbose_name="URL name"),
        ),
    ]
