"""The form of a result: who won, then the points of the other player."""

from playwright.sync_api import Locator, Page


def choose_result(where: Page | Locator, winner: str, points: int) -> None:
    """Tap a winner, as the chip is labelled, and the points of the other player."""
    where.get_by_role("radio", name=winner, exact=True).first.check()
    where.get_by_role("radio", name=str(points), exact=True).first.check()
