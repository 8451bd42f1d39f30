"""Pages of notifications: the list, the bell in the header, the settings, and unsubscribing from e-mails."""

from http import HTTPStatus
from typing import Any

from django import forms
from django.conf import settings as site
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from core.access import Who, open_to
from core.live.publishing import now_shown
from core.repeats import Repeat, repeated
from engine.errors import Refused
from players import access
from players.models import PushSubscription
from players.notifications import push
from players.notifications import services as choices
from players.notifications.emails import read_token
from players.notifications.kinds import NotificationGroup, registered
from players.notifications.services import CHANNELS, EMAIL, PUSH, SITE
from players.requests import me, page, refused_back

LABELS = {SITE: gettext_lazy("Site"), EMAIL: gettext_lazy("Email"), PUSH: gettext_lazy("Push")}


class ChoicesForm(forms.Form):
    """A checkbox for every channel of every group and of every kind; none ticked means no notification of that kind.

    That of a group is ticked if those of all its kinds are. Changing it changes them all, unless some of them are
    changed themselves: then they count. Left as it was shown it changes nothing.
    """

    def __init__(self, *args: Any, chosen: dict[str, frozenset[str]], **options: Any) -> None:
        super().__init__(*args, **options)
        self.chosen = chosen
        kinds = sorted(registered(), key=lambda kind: not kind.is_urgent)
        self.groups = {
            group: [kind for kind in kinds if kind.group == group and kind.code in chosen]
            for group in NotificationGroup
        }
        for group, members in self.groups.items():
            for channel in CHANNELS:
                states = {channel in chosen[kind.code] for kind in members}
                data = {"data-all": group, "data-mixed": len(states) > 1}
                self._add(group, str(group.label), channel, states == {True}, data)
                for kind in members:
                    is_ticked = channel in chosen[kind.code]
                    self._add(kind.code, gettext(kind.label), channel, is_ticked, {"data-group": group})

    def _add(self, name: str, of: str, channel: str, is_ticked: bool, data: dict[str, Any]) -> None:
        label = gettext("{kind}: {channel}").format(kind=of, channel=LABELS[channel])
        widget = forms.CheckboxInput(data | {"data-channel": channel})
        field = forms.BooleanField(required=False, initial=is_ticked, label=label, widget=widget)
        self.fields[f"{name}-{channel}"] = field

    def _row(self, name: str, label: str) -> tuple[str, list[forms.BoundField]]:
        return label, [self[f"{name}-{channel}"] for channel in CHANNELS]

    @property
    def rows(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The label of each group and its checkboxes, one for each channel."""
        return [self._row(group, str(group.label)) for group in self.groups]

    @property
    def rows_of_kinds(self) -> list[tuple[str, list[tuple[str, list[forms.BoundField]]]]]:
        """The label of each group, and of each of its kinds the label and the checkboxes."""
        return [
            (str(group.label), [self._row(kind.code, gettext(kind.label)) for kind in members])
            for group, members in self.groups.items()
        ]

    @property
    def wanted(self) -> dict[str, set[str]]:
        """The channels that are wanted from now on, of those kinds for which they change."""
        ticked, changed = self.cleaned_data, set(self.changed_data)
        wanted: dict[str, set[str]] = {code: set() for code in self.chosen}
        for group, members in self.groups.items():
            for channel in CHANNELS:
                is_for_all = changed.isdisjoint(f"{kind.code}-{channel}" for kind in members)
                is_for_all = is_for_all and f"{group}-{channel}" in changed
                for kind in members:
                    if ticked[f"{group if is_for_all else kind.code}-{channel}"]:
                        wanted[kind.code].add(channel)
        return {code: channels for code, channels in wanted.items() if channels != self.chosen[code]}


class SubscribeForm(forms.Form):
    """A browser's push subscription, filled in by static/players/notifications/push.js."""

    endpoint = forms.CharField(max_length=PushSubscription._meta.get_field("endpoint").max_length)
    p256dh = forms.RegexField(r"^B[A-Za-z0-9_-]{86}=?$")
    auth = forms.RegexField(r"^[A-Za-z0-9_-]{22}(==)?$")


class BindForm(forms.Form):
    """The endpoint of a browser's subscription, sent by static/players/notifications/bind.js."""

    endpoint = SubscribeForm.base_fields["endpoint"]


class UnsubscribeForm(forms.Form):
    """A tap on the page of an unsubscribe link; what mail programs send has no `resume`."""

    resume = forms.BooleanField(required=False)


@open_to(get=Who.SIGNED_IN)
@never_cache
def notifications(request: HttpRequest) -> HttpResponse:
    """Show the notifications of the reader, newest first."""
    reader = me(request)
    context = {
        "topics": f"{choices.topic_of(reader.pk)}={now_shown()}",
        "texts": choices.notifications_of(reader),
        "unread": choices.unread_count(reader),
    }
    return render(request, "players/notifications/list.html", context)


@open_to(get=Who.SIGNED_IN)
@never_cache
def bell(request: HttpRequest) -> HttpResponse:
    """Return the bell of the header, with the count of unread notifications."""
    return render(request, "players/notifications/_bell.html")


@open_to(post=Who.OWN)
@repeated(Repeat.STATE)
def open_notification(request: HttpRequest, notification: str) -> HttpResponse:
    """Mark a notification as read and go to the page it leads to."""
    row = access.notification(me(request), int(notification))
    choices.mark_read(user=me(request), notification=row.pk, now=timezone.now())
    return redirect(row.url)


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.STATE)
def mark_read(request: HttpRequest) -> HttpResponse:
    choices.mark_read(user=me(request), now=timezone.now())
    return redirect("notifications")


@open_to(post=Who.OWN)
@repeated(Repeat.STATE)
def mark_unread(request: HttpRequest, notification: str) -> HttpResponse:
    choices.mark_unread(user=me(request), notification=access.notification(me(request), int(notification)).pk)
    return redirect("notifications")


@open_to(get=Who.SIGNED_IN, post=Who.SIGNED_IN)
@never_cache
@repeated(Repeat.HARMLESS)
def settings(request: HttpRequest) -> HttpResponse:
    """Show and save what the reader is notified of, and how."""
    reader = me(request)
    form = ChoicesForm(request.POST if request.method == "POST" else None, chosen=choices.choices_of(reader))
    if form.is_valid():
        choices.save_choices(user=reader, wanted=form.wanted)
        messages.success(request, _("Saved."))
        return redirect("notification-settings")
    browsers = PushSubscription.objects.filter(user=reader)
    context: dict[str, Any] = {
        "form": form,
        "channels": list(LABELS.values()),
        "browsers": browsers,
        "endpoints": [browser.endpoint for browser in browsers],
        "push_key": push.public_key() if site.SERVICE_WORKER else "",
        "failures": choices.failures_of(reader, timezone.now()),
    }
    return page(request, "players/notifications/settings.html", context, form)


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.HARMLESS)
def subscribe(request: HttpRequest) -> HttpResponse:
    """Show notifications in the browser that sends its subscription."""
    form = SubscribeForm(request.POST)
    if not form.is_valid():
        return refused_back(request, Refused("push_endpoint"), "notification-settings")
    device = push.device_of(request.headers.get("User-Agent", ""))
    try:
        push.subscribe(
            user=me(request),
            device=device,
            session=push.session_id(request.session),
            now=timezone.now(),
            **form.cleaned_data,
        )
    except Refused as refused:
        return refused_back(request, refused, "notification-settings")
    messages.success(request, _("This browser shows your notifications."))
    return redirect("notification-settings")


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.STATE)
def bind(request: HttpRequest) -> HttpResponse:
    """Note the session of the browser that sends its endpoint, if it shows notifications."""
    form = BindForm(request.POST)
    if not form.is_valid():
        return HttpResponse(status=HTTPStatus.UNPROCESSABLE_ENTITY)
    push.bind(user=me(request), endpoint=form.cleaned_data["endpoint"], session=push.session_id(request.session))
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


@open_to(post=Who.SIGNED_IN)
@repeated(Repeat.STATE)
def remove_browser(request: HttpRequest, browser: str) -> HttpResponse:
    """Stop showing notifications in a browser."""
    push.unsubscribe(user=me(request), subscription=int(browser))
    messages.success(request, _("Removed. You can turn push on again in that browser."))
    return redirect("notification-settings")


@csrf_exempt
@never_cache
@open_to(get=Who.EVERYBODY, post=Who.EVERYBODY)
@repeated(Repeat.STATE)
def unsubscribe(request: HttpRequest, unsubscribe_token: str) -> HttpResponse:
    """Show what a link in an e-mail stops, and stop it. Mail programs post to it, too (RFC 8058)."""
    user, kinds = read_token(unsubscribe_token)
    codes = [kind.code for kind in kinds]
    form = UnsubscribeForm(request.POST if request.method == "POST" else None)
    done = ""
    if form.is_valid():
        done = "resumed" if form.cleaned_data["resume"] else "stopped"
        choices.change_emails(user=user, kinds=codes, wanted=form.cleaned_data["resume"])
    context = {"labels": [_(kind.label) for kind in kinds], "done": done}
    return render(request, "players/notifications/unsubscribe.html", context)
