import core.public_ids
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('players', '0012_suspended_at'),
    ]

    operations = [
        migrations.AddField(
            model_name='idempotencykey',
            name='answer',
            field=models.BinaryField(editable=False, help_text='Encrypted with the key.', null=True),
        ),
        migrations.AlterField(
            model_name='idempotencykey',
            name='is_done',
            field=models.BooleanField(default=False, help_text='Whether the request with the key was answered.'),
        ),
        migrations.AlterField(
            model_name='idempotencykey',
            name='key',
            field=models.CharField(default=core.public_ids.new_form_key, editable=False, help_text='Of the request that has stored the key.', max_length=16, unique=True),
        ),
    ]
