"""When the web server was alive, and when it was not."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Pulse(models.Model):
    """The last sign of life of any web process; one row."""

    ONLY = 1

    beat_at = models.DateTimeField()

    class Meta:
        verbose_name = _("pulse of the web server")
        verbose_name_plural = _("pulses of the web server")

    def __str__(self) -> str:
        return str(self.beat_at)


class Outage(models.Model):
    """A time in which no web process answered; it costs no player anything."""

    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    credited_at = models.DateTimeField(
        null=True, blank=True, help_text=_("When the clocks of all matches had been put back.")
    )

    class Meta:
        verbose_name = _("outage")
        verbose_name_plural = _("outages")

    def __str__(self) -> str:
        return f"{self.started_at} – {self.ended_at}"
