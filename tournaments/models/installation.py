"""What an installation knows about itself."""

from django.db import models


class Installation(models.Model):
    """The link of the installation's owner, and what the owner has decided; at most one row.

    Of the link's secret only the hash is stored.
    """

    ONLY = 1

    demo_declined_at = models.DateTimeField(
        null=True, blank=True, help_text="When the demo was declined, so that a start does not create it."
    )
    link_hash = models.CharField(max_length=64, blank=True)
    link_expires_at = models.DateTimeField(null=True, blank=True)
    link_used_at = models.DateTimeField(null=True, blank=True)
    link_form_hash = models.CharField(
        max_length=64, blank=True, help_text="Of the form that used the link; only that form can be sent again."
    )

    class Meta:
        verbose_name = "installation"
        verbose_name_plural = "installations"
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="one_installation")]

    def __str__(self) -> str:
        return str(self.pk)
