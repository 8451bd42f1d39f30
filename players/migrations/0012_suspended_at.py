from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("players", "0011_club_class_points")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="suspended_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
    ]
