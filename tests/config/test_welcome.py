"""What `make run` prints when it is ready, and which names it answers to."""

import io
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from config import lan
from config.supervisor import Supervisor
from players.models import Club

LAN = "192.168.1.20"
pytestmark = pytest.mark.django_db


@pytest.fixture
def here(settings: Any, tmp_path: Path) -> Any:
    """The settings of a site that only this machine can open, without the demo club and a program for analyses."""
    settings.VAR_DIR, settings.EMAIL_FILE_PATH = tmp_path, tmp_path / "mail"
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.SITE_URL = "http://127.0.0.1:8000"
    settings.ANALYSIS_BACKEND, settings.ANALYSIS_GNUBG = "gnubg", "/nonexistent"
    return settings


def welcome() -> str:
    output = io.StringIO()
    call_command("welcome", stdout=output)
    return output.getvalue()


def test_a_site_for_this_machine_says_how_phones_reach_it(here: Any) -> None:
    printed = welcome()
    assert "This machine  http://127.0.0.1:8000/" in printed
    assert "`make run-lan` opens it to the network, if there is one" in printed
    assert "█" not in printed
    assert f"E-mails       are written to {here.EMAIL_FILE_PATH}/" in printed
    assert "Demo club" not in printed


def test_a_site_for_the_network_shows_its_url_as_a_qr_code(here: Any) -> None:
    here.SITE_URL = f"http://{LAN}:8000"
    printed = welcome()
    assert f"Phones        http://{LAN}:8000/" in printed
    assert "█" in printed


def test_the_logins_of_the_demo_are_shown_with_a_warning_in_a_network(here: Any, tmp_path: Path) -> None:
    (tmp_path / "demo-logins.txt").write_text("alice@example.org  blot-bar-gammon-2987  owner\n")
    assert "alice@example.org" in welcome()
    assert "everybody in the network" not in welcome()
    here.SITE_URL = f"http://{LAN}:8000"
    assert "These logins work for everybody in the network." in welcome()


def test_the_owner_gets_a_new_link_until_there_is_a_club_of_their_own(here: Any, client: Client) -> None:
    here.SITE_URL = "http://testserver"
    [link] = re.findall(r"http://testserver(/owner-link/\S+/)", welcome())
    assert client.get(link, follow=True).status_code == 200
    [newer] = re.findall(r"http://testserver(/owner-link/\S+/)", welcome())
    assert client.get(link).status_code == 404
    assert client.get(newer, follow=True).status_code == 200
    Club.objects.create(name="Riverside", slug="riverside")
    assert "/owner-link/" not in welcome()


def test_a_missing_program_for_analyses_takes_one_line(here: Any) -> None:
    [line] = [line for line in welcome().splitlines() if line.startswith("Analysis")]
    assert "not analysed" in line
    assert "apt-get install gnubg" in line
    here.ANALYSIS_BACKEND = "off"
    assert "Analysis" not in welcome()


def test_a_mail_server_is_named(here: Any) -> None:
    here.EMAIL_BACKEND, here.EMAIL_HOST = "django.core.mail.backends.smtp.EmailBackend", "mail.example.org"
    assert "E-mails       are sent by mail.example.org" in welcome()


def test_a_site_for_the_network_accepts_the_addresses_of_this_machine() -> None:
    env = Supervisor({"HOST": "0.0.0.0", "PORT": "8001"}).env
    allowed = env["ALLOWED_HOSTS"].split(",")
    assert {"127.0.0.1", "localhost", lan.local_name(), *lan.addresses()} <= set(allowed)
    assert not any(address.startswith("127.") for address in lan.addresses())
    if lan.addresses():
        assert env["SITE_URL"] == f"http://{lan.addresses()[0]}:8001"


def test_an_address_that_was_given_is_kept() -> None:
    assert Supervisor({"HOST": LAN}).env["SITE_URL"] == f"http://{LAN}:8000"
    given = {"HOST": "0.0.0.0", "ALLOWED_HOSTS": "club.example.org", "SITE_URL": "https://club.example.org"}
    env = Supervisor(given).env
    assert (env["ALLOWED_HOSTS"], env["SITE_URL"]) == (given["ALLOWED_HOSTS"], given["SITE_URL"])


@pytest.mark.parametrize("environ", [{}, {"HOST": "127.0.0.1"}, {"HOST": "0.0.0.0", "SECRET_KEY": "x" * 50}])
def test_a_site_for_this_machine_and_a_server_accept_no_other_names(environ: dict[str, str]) -> None:
    env = Supervisor(environ).env
    assert "ALLOWED_HOSTS" not in env
    assert "SITE_URL" not in env
