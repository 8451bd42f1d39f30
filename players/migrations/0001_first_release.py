"""The tables of the first release, in place of the migrations before it."""

import core.public_ids
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
import players.models.people
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('players', '0001_initial'), ('players', '0002_people'), ('players', '0003_folded_names'), ('players', '0004_countries_and_alias_keys'), ('players', '0005_wording'), ('players', '0006_notifications'), ('players', '0007_embed_hosts'), ('players', '0008_analysis_visibility'), ('players', '0009_api_tokens'), ('players', '0010_hash_tokens'), ('players', '0011_data_exports'), ('players', '0012_verified_emails'), ('players', '0013_second_factor'), ('players', '0014_sessions')]

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='Club',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=80, verbose_name='name')),
                ('slug', models.SlugField(max_length=60, unique=True, verbose_name='address')),
                ('city', models.CharField(blank=True, max_length=80, verbose_name='city')),
                ('search_key', players.models.people.FoldedField('name', 'city', db_index=True)),
                ('about', models.TextField(blank=True, max_length=2000, verbose_name='about')),
                ('time_zone', models.CharField(default='UTC', max_length=64, verbose_name='time zone')),
                ('embed_hosts', models.CharField(blank=True, help_text="Origins of pages that may embed the club's events, with spaces.", max_length=500)),
                ('second_factor', models.BooleanField(default=False, help_text='Owners can act for the club only with a second factor.')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                'verbose_name': 'club',
                'verbose_name_plural': 'clubs',
                'ordering': ('name',),
            },
        ),
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('email', models.EmailField(max_length=254, unique=True, verbose_name='e-mail address')),
                ('email_verified_at', models.DateTimeField(blank=True, help_text='Until then nothing but the verification is sent there.', null=True, verbose_name='e-mail address verified')),
                ('new_email', models.EmailField(blank=True, max_length=254, verbose_name='e-mail address to be verified')),
                ('display_name', models.CharField(max_length=80, verbose_name='display name')),
                ('language', models.CharField(blank=True, help_text="Empty for the browser's language.", max_length=10, verbose_name='language')),
                ('time_zone', models.CharField(blank=True, help_text="Empty for the event's time zone.", max_length=64, verbose_name='time zone')),
                ('theme', models.CharField(choices=[('auto', 'System'), ('light', 'Light'), ('dark', 'Dark')], default='auto', max_length=5, verbose_name='theme')),
                ('is_active', models.BooleanField(default=True, verbose_name='active')),
                ('is_staff', models.BooleanField(default=False, verbose_name='may use the admin pages')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='joined')),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
                'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('email'), name='user_email_once_in_any_case')],
            },
        ),
        migrations.CreateModel(
            name='AccountEmail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('verify', 'verify the address'), ('reset', 'choose a new password')], max_length=6)),
                ('email', models.EmailField(max_length=254)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('claimed_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'account e-mail',
                'verbose_name_plural': 'account e-mails',
            },
        ),
        migrations.CreateModel(
            name='AccountSession',
            fields=[
                ('session_key', models.CharField(max_length=40, primary_key=True, serialize=False, verbose_name='session key')),
                ('session_data', models.TextField(verbose_name='session data')),
                ('expire_date', models.DateTimeField(db_index=True, verbose_name='expire date')),
                ('started_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('browser', models.CharField(blank=True, help_text='Such as “Firefox on Android”.', max_length=60)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='sessions', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'session',
                'verbose_name_plural': 'sessions',
                'ordering': ['-started_at'],
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='ApiToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60, verbose_name='name')),
                ('key_hash', models.CharField(help_text='SHA-256 of the key, as hexadecimal digits.', max_length=64, unique=True)),
                ('scopes', models.JSONField(default=list)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('last_used_on', models.DateField(blank=True, help_text='A day is enough, and costs one write a day.', null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_tokens', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'API token',
                'verbose_name_plural': 'API tokens',
                'ordering': ['-created_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='LogEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('by', models.CharField(choices=[('user', 'user'), ('link', 'personal link'), ('system', 'system')], max_length=6)),
                ('topic', models.CharField(max_length=60)),
                ('verb', models.CharField(help_text='A stable code, such as result_entered.', max_length=40)),
                ('params', models.JSONField(default=dict, help_text='What changed, from what to what.')),
                ('club', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='players.club')),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'log entry',
                'verbose_name_plural': 'log',
                'ordering': ('-at', '-pk'),
                'indexes': [models.Index(fields=['topic', '-at'], name='log_topic'), models.Index(fields=['club', '-at'], name='log_club')],
            },
        ),
        migrations.CreateModel(
            name='Notification',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=40)),
                ('params', models.JSONField(default=dict, help_text='The parameters of the sentence; players by id.')),
                ('url', models.CharField(help_text='The path of the page it leads to.', max_length=300)),
                ('key', models.CharField(max_length=100)),
                ('on_site', models.BooleanField(help_text="Whether it is in the user's list on the site.")),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('read_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'notification',
                'verbose_name_plural': 'notifications',
                'ordering': ('-created_at', '-pk'),
                'indexes': [models.Index(condition=models.Q(('on_site', True)), fields=['user', '-created_at'], name='notification_list'), models.Index(condition=models.Q(('on_site', True), ('read_at__isnull', True)), fields=['user'], name='notification_unread')],
                'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='notification_once_per_user')],
            },
        ),
        migrations.CreateModel(
            name='NotificationChoice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=40)),
                ('site', models.BooleanField()),
                ('email', models.BooleanField()),
                ('push', models.BooleanField()),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'notification choice',
                'verbose_name_plural': 'notification choices',
                'constraints': [models.UniqueConstraint(fields=('user', 'kind'), name='notification_choice_once_per_kind')],
            },
        ),
        migrations.CreateModel(
            name='Player',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=core.public_ids.new_public_id, editable=False, max_length=10, unique=True)),
                ('name', models.CharField(max_length=80, verbose_name='name')),
                ('name_key', players.models.people.FoldedField('name', db_index=True)),
                ('initials_only', models.BooleanField(default=False, verbose_name='show initials only')),
                ('analysis_visibility', models.CharField(choices=[('public', 'everybody'), ('club', 'members of my clubs'), ('private', 'only me')], default='club', max_length=7, verbose_name='play quality shown to')),
                ('country', models.CharField(blank=True, help_text='ISO 3166 code, such as DK.', max_length=2, verbose_name='country')),
                ('federation_number', models.CharField(blank=True, max_length=40, verbose_name='federation number')),
                ('time_zone', models.CharField(blank=True, max_length=64, verbose_name='time zone')),
                ('erased_at', models.DateTimeField(blank=True, editable=False, null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('merged_into', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='merged', to='players.player')),
                ('user', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='player', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'player',
                'verbose_name_plural': 'players',
                'ordering': ('name', 'pk'),
                'indexes': [models.Index(django.db.models.functions.text.Lower('name'), name='player_name')],
                'constraints': [models.CheckConstraint(condition=models.Q(('merged_into__isnull', True), models.Q(('merged_into', models.F('id')), _negated=True), _connector='OR'), name='player_not_merged_into_itself')],
            },
        ),
        migrations.CreateModel(
            name='Merge',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('merged_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('undone_at', models.DateTimeField(blank=True, null=True)),
                ('merged_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('into', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='players.player')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='merges', to='players.player')),
            ],
            options={
                'verbose_name': 'merge',
                'verbose_name_plural': 'merges',
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('owner', 'owner'), ('director', 'director'), ('assistant', 'assistant'), ('member', 'member')], default='member', max_length=9, verbose_name='role')),
                ('joined_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('left_at', models.DateTimeField(blank=True, null=True)),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='players.club')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to='players.player')),
            ],
            options={
                'verbose_name': 'membership',
                'verbose_name_plural': 'memberships',
                'constraints': [models.UniqueConstraint(fields=('club', 'player'), name='member_once_per_club')],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(blank=True, max_length=254)),
                ('secret_hash', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('expires_at', models.DateTimeField()),
                ('accepted_at', models.DateTimeField(blank=True, null=True)),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                ('club', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='players.club')),
                ('invited_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='players.player')),
            ],
            options={
                'verbose_name': 'invitation',
                'verbose_name_plural': 'invitations',
            },
        ),
        migrations.CreateModel(
            name='DataExport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=core.public_ids.new_public_id, editable=False, max_length=10, unique=True)),
                ('requested_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('state', models.CharField(choices=[('queued', 'waiting'), ('working', 'being made'), ('done', 'ready'), ('failed', 'could not be made')], default='queued', max_length=7)),
                ('sent_at', models.DateTimeField(default=django.utils.timezone.now, help_text='When a worker was last notified.')),
                ('claimed_at', models.DateTimeField(blank=True, null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('data', models.BinaryField(default=b'')),
                ('size', models.PositiveIntegerField(default=0)),
                ('requested_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='players.player')),
            ],
            options={
                'verbose_name': "copy of a person's data",
                'verbose_name_plural': "copies of people's data",
                'ordering': ('-requested_at', '-pk'),
                'indexes': [models.Index(fields=['requested_by', 'player'], name='export_of'), models.Index(condition=models.Q(('state__in', ['queued', 'working'])), fields=['sent_at'], name='export_open')],
            },
        ),
        migrations.CreateModel(
            name='Alias',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('name_key', players.models.people.FoldedField('name', db_index=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='aliases', to='players.player')),
            ],
            options={
                'verbose_name': 'alias',
                'verbose_name_plural': 'aliases',
                'constraints': [models.UniqueConstraint(models.F('player'), django.db.models.functions.text.Lower('name'), name='alias_once_per_player')],
            },
        ),
        migrations.CreateModel(
            name='PushSubscription',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('endpoint', models.CharField(max_length=1000, unique=True)),
                ('p256dh', models.CharField(help_text="The browser's public key, as base64url.", max_length=100)),
                ('auth', models.CharField(help_text="The browser's secret, as base64url.", max_length=40)),
                ('device', models.CharField(blank=True, help_text='The browser, for the user to recognise.', max_length=80)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'push subscription',
                'verbose_name_plural': 'push subscriptions',
                'ordering': ('created_at', 'pk'),
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('channel', models.CharField(choices=[('email', 'email'), ('push', 'push')], max_length=5)),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('sent', 'sent'), ('dropped', 'no longer needed'), ('given_up', 'given up')], default='waiting', max_length=8)),
                ('next_at', models.DateTimeField(help_text='When it is to be sent, or tried again.')),
                ('claimed_at', models.DateTimeField(blank=True, help_text='When a worker began to send it.', null=True)),
                ('batch', models.CharField(blank=True, help_text='What is sent together; the same in every attempt.', max_length=10)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('sent_at', models.DateTimeField(blank=True, null=True)),
                ('given_up_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, help_text='Why the last attempt failed.', max_length=200)),
                ('notification', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='players.notification')),
                ('subscription', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='players.pushsubscription')),
            ],
            options={
                'verbose_name': 'delivery',
                'verbose_name_plural': 'deliveries',
                'ordering': ('pk',),
                'indexes': [models.Index(condition=models.Q(('state', 'waiting')), fields=['next_at'], name='delivery_due')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('channel', 'email')), fields=('notification',), name='delivery_one_email_per_notification'), models.UniqueConstraint(fields=('notification', 'subscription'), name='delivery_once_per_subscription')],
            },
        ),
        migrations.CreateModel(
            name='RecoveryCode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code_hash', models.CharField(max_length=64)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='recovery_codes', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'code_hash'), name='recovery_code_once')],
            },
        ),
    ]
