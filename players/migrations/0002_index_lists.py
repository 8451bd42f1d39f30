from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('players', '0001_first_release'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='player',
            index=models.Index(fields=['merged_into', 'name_key', 'id'], name='player_by_name'),
        ),
    ]
