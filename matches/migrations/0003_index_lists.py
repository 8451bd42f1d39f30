from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('matches', '0002_practice_levels'),
        ('players', '0002_index_lists'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='match',
            index=models.Index(fields=['-created_at', '-id'], name='match_newest'),
        ),
    ]
