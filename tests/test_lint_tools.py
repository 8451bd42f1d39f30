"""The checks of templates and messages find what they are for."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from django.conf import settings
from django.template.loader import get_template
from django.utils.translation.trans_real import all_locale_paths

from tools import audiences, lint_messages, lint_templates, messages
from tools.pseudo_locale import pseudo


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("<p>" + "x" * 120 + "</p>", "the limit is 120"),
        ("<div><p>One</p>\n</div>", "more than one block-level element starts"),
        ("<ul>\n<li>One\n</li></ul>", "more than one block-level element ends"),
        ("{% if a %}<p>One</p>{% endif %}", "wraps a block-level element"),
        ("{% if a %}One{% endif %}{% if b %}Two{% endif %}", "more than one block tag"),
        ("{% load i18n %}{% if a %}\nOne\n{% endif %}", "stands alone"),
        ('<p class="{% if a %}x{% endif %}{% if b %}y{% endif %}">', "more than one {% if %}"),
        ("{{ a }}: {{ b }}", "write this colon"),
        ("{% if a and b or c %}\nOne\n{% endif %}", "move this condition"),
        ("<li>{{ row.names.0 }}</li>", "put the name into <bdi>"),
        ('<p class="name">{{ player.name }} 7</p>', "put the name into <bdi>"),
        (
            "{% blocktranslate with name=player.shown_name %}{{ name }} wins{% endblocktranslate %}",
            "add the filter bdi",
        ),
    ],
)
def test_a_crowded_template_is_refused(source: str, fault: str) -> None:
    assert [fault in text for _line, text in lint_templates.problems(source)] == [True]


def test_a_template_with_one_tag_a_line_is_accepted() -> None:
    source = '{% load i18n %}\n{% if a %}\n  <p class="{% if b %}x{% endif %}">\n    One\n  </p>\n{% endif %}\n'
    assert list(lint_templates.problems(source)) == []


@pytest.mark.parametrize(
    "source",
    [
        "<li><bdi>{{ names.0 }}</bdi> 7</li>",
        '<b class="name">{{ player.name }}</b>',
        '<li aria-label="{{ player.name }}">One</li>',
        "<option>{{ names.0 }}</option>",
        "{% block title %}{{ player.shown_name }}{% endblock %}",
        "{% blocktranslate with name=player.name|bdi %}{{ name }} wins{% endblocktranslate %}",
        "{% blocktranslate with name=player.name %}<bdi>{{ name }}</bdi> wins{% endblocktranslate %}",
        "{% blocktranslate asvar label with name=player.name %}{{ name }} wins{% endblocktranslate %}",
    ],
)
def test_a_name_that_keeps_its_direction_is_accepted(source: str) -> None:
    assert list(lint_templates.problems(source)) == []


@pytest.mark.parametrize(
    "source",
    [
        "<p>Hello there</p>",
        '<p title="Hello there">{% translate "Marked" %}</p>',
        '<input placeholder="Hello there">',
        '<button aria-label="Hello {{ name }}"></button>',
        '<input type="submit" value="Hello there">',
    ],
)
def test_text_in_a_template_is_marked(source: str) -> None:
    assert [text for _line, text in lint_messages.template_faults(source)] != []


def test_marked_text_and_names_pass() -> None:
    source = '<p title="{% translate "Hello" %}">{% blocktranslate %}Hello{% endblocktranslate %} Barpoint {{ x }}</p>'
    source += "<bdi>Alice</bdi>"
    assert list(lint_messages.template_faults(source)) == []


@pytest.mark.parametrize(
    "source",
    [
        'name = forms.CharField(label="Hello there")',
        'raise ValidationError("Hello there")',
        'messages.success(request, f"Hello {name}")',
        'class Kind(models.TextChoices):\n    ONE = "one", "Hello"',
        'class Kind(models.TextChoices):\n    ONE = "one"',
        'class Meta:\n    verbose_name = "Hello"',
    ],
)
def test_labels_in_python_are_marked(source: str) -> None:
    assert len(list(lint_messages.python_faults(source))) == 1
    marked = source.replace('f"Hello {name}"', '_("Hello")').replace('"Hello there"', '_("Hello")')
    marked = (
        marked.replace('"one", "Hello"', '"one", _("Hello")').replace('"one"\n', "").replace('= "Hello"', '= _("x")')
    )
    if marked != source:
        assert list(lint_messages.python_faults(marked)) == []


def test_labels_of_choices_that_no_page_shows_are_plain_in_models() -> None:
    source = 'class Kind(models.TextChoices):\n    ONE = "one", "Hello"\n    TWO = "two"'
    assert [line for line, _ in lint_messages.python_faults(source, english=True)] == [3]


def test_what_a_serializer_refuses_is_english() -> None:
    refusal = 'class A({}):\n    def validate(self, a):\n        raise ValidationError("Hello there")'
    assert list(lint_messages.python_faults(refusal.format("Serializer[Any]"))) == []
    assert len(list(lint_messages.python_faults(refusal.format("forms.Form")))) == 1


def test_descriptions_of_api_fields_stay_english_beside_a_page() -> None:
    serializer = 'class A(serializers.Serializer[Any]):\n    a = serializers.CharField(help_text="Public id.")\n'
    form = 'class B(forms.Form):\n    b = forms.CharField(help_text="Your name.")\n'
    assert [line for line, _ in lint_messages.python_faults(serializer + form)] == [4]


@pytest.mark.parametrize(
    ("translation", "count"),
    [
        ("Hallo {name}", 0), ("Hallo {namen}", 1), ("Hallo", 1), ("", 0), ("Hallo {name} {more}", 1),
        ("Hallo <b>{name}</b>", 1), (" Hallo {name}", 1), ("Hallo {name}\\n", 1),
    ],
)  # fmt: skip
def test_a_translation_has_the_placeholders_and_tags_of_its_message(
    tmp_path: Path, translation: str, count: int
) -> None:
    path = catalogue_of(tmp_path, f'msgid "Hi {{name}}"\nmsgstr "{translation}"\n')
    assert len(list(lint_messages.translation_faults(path))) == count


def test_a_translation_has_all_plural_forms(tmp_path: Path) -> None:
    plural = 'msgid "{n} game"\nmsgid_plural "{n} games"\nmsgstr[0] "{n} Partie"\n'
    assert list(lint_messages.translation_faults(catalogue_of(tmp_path, plural + 'msgstr[1] ""\n')))
    assert not list(lint_messages.translation_faults(catalogue_of(tmp_path, plural + 'msgstr[1] "{n} Partien"\n')))


def catalogue_of(folder: Path, messages: str) -> Path:
    path = folder / "de" / "LC_MESSAGES" / "django.po"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8"\n\n{messages}')
    return path


@pytest.mark.parametrize(
    ("flags", "translation", "count"),
    [
        ("", "Annehmen", 0),
        ("#, fuzzy\n", "Annehmen", 1),  # less than 98 % are reviewed
        ("", "", 2),  # and it is not even a draft
    ],
)
def test_a_language_is_offered_if_what_players_read_is_reviewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: str, translation: str, count: int
) -> None:
    monkeypatch.setattr(messages, "ROOT", tmp_path)
    sources = {"templates/matches/play/play.html": "{% translate 'Take' %}", "tournaments/floor/undo.py": '_("Undo")'}
    for name, text in sources.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    catalogue_of(tmp_path / "matches" / "locale", f'{flags}msgid "Take"\nmsgstr "{translation}"\n')
    catalogue_of(tmp_path / "tournaments" / "locale", 'msgid "Undo"\nmsgstr ""\n')
    assert len(list(audiences.offer_faults("de"))) == count


@pytest.mark.parametrize(
    ("text", "context", "count"),
    [("Draw", None, 1), (("point", "points"), None, 1), ("Draw", "verb", 0), ("Draw again", None, 0)],
)
def test_a_word_of_several_meanings_has_a_context(text: str | tuple[str, ...], context: str | None, count: int) -> None:
    message = messages.Message(text, context, "page.html")
    assert len(list(lint_messages.homonym_faults([message]))) == count


def test_a_message_with_a_plural_is_looked_up_with_a_number_everywhere() -> None:
    plural = messages.Message(("%(count)d min", "%(count)d min"), None, "a.py")
    others = [messages.Message("%(count)d min", context, "b.py") for context in (None, "of a clock")]
    (fault,) = lint_messages.singular_faults([plural, *others])
    assert fault == "b.py: has a plural elsewhere, so needs a number or a context: %(count)d min"


def test_messages_of_packages_without_django_are_in_a_catalogue() -> None:
    engine = {message.id for message in messages.messages_of("engine")}
    assert len(engine) > 90
    formats = {message.id for message in messages.messages_of("formats")}
    assert len(formats) > 50


@pytest.mark.slow
def test_a_catalogue_is_written_the_same_way_each_time_and_names_no_date() -> None:
    first, again = (messages.rendered(messages.source_catalogues()["players"]) for _time in range(2))
    assert first == again
    assert "-Date" not in first
    then, now = (Catalog(locale="de", creation_date=datetime(year, 1, 1, tzinfo=UTC)) for year in (2025, 2026))
    assert messages.compiled(then) == messages.compiled(now)
    assert first.count("msgid ") > 100


def test_the_pseudo_translation_is_longer_and_keeps_placeholders() -> None:
    text = pseudo("Save the result of %(name)s with <b>{count}</b> points")
    assert "%(name)s" in text
    assert "<b>{count}</b>" in text
    assert "Save" not in text
    assert len(text) > 1.3 * len("Save the result of  with  points")


def test_django_reads_every_catalogue() -> None:
    paths = {Path(path) for path in all_locale_paths()}
    assert {path for app in messages.SOURCES if (path := messages.ROOT / app / "locale").exists()} <= paths


def test_every_template_compiles() -> None:
    """A filter that is not loaded is found here, and not by the page that shows its rarest part."""
    folder = Path(settings.BASE_DIR) / "templates"
    names = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*.html"))]
    assert len(names) > 200
    for name in names:
        get_template(name)
