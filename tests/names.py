"""The columns that hold names, and rows whose name cannot be seen."""

import re
from typing import Any

from django.apps import apps
from django.db.models import CharField, Model

from core.name_field import NameField
from core.names import INVISIBLE
from core.packages import PACKAGES

NAME = re.compile(r"name|\w+_name|label|team|venue|event|told_event|title|partner|names|labels")
"""What a column, a field of a form or of the API is called that holds a name."""


def name_columns() -> list[tuple[type[Model], Any]]:
    """The columns of names in all tables of the site."""
    return [
        (model, field)
        for model in apps.get_models()
        if model._meta.app_label in PACKAGES
        for field in model._meta.local_fields
        if type(field) in (CharField, NameField) and not field.choices
        if NAME.fullmatch(field.name)
    ]


def unseen_names() -> set[tuple[str, Any, str]]:
    """The stored names that have something in them that is not seen, or where nothing is seen though there must be."""
    return {
        (f"{model.__name__}.{field.name}", pk, name)
        for model, field in name_columns()
        for pk, name in model._base_manager.values_list("pk", field.name)
        if re.search(INVISIBLE, name) or not (name.strip() or field.blank)
    }
