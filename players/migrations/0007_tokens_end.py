"""Tokens without an end that may do more than read get a year from the upgrade."""

from datetime import timedelta

from django.db import migrations
from django.utils import timezone


def end_in_a_year(apps, schema_editor):
    tokens = apps.get_model("players", "ApiToken").objects.filter(expires_at=None)
    more_than_read = [token.pk for token in tokens if set(token.scopes) - {"read"}]
    tokens.filter(pk__in=more_than_read).update(expires_at=timezone.now() + timedelta(days=365))


class Migration(migrations.Migration):
    dependencies = [("players", "0006_stored_invitations")]

    operations = [migrations.RunPython(end_in_a_year, migrations.RunPython.noop, elidable=True)]
