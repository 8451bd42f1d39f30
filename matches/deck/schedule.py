"""When a card is shown again: FSRS with whole days, as the calendar of its user counts them."""

from datetime import UTC, date, datetime, time
from typing import Any

from fsrs import Card as FsrsCard
from fsrs import Rating, Scheduler, State

_SCHEDULER = Scheduler(
    desired_retention=0.9, learning_steps=(), relearning_steps=(), maximum_interval=365, enable_fuzzing=False
)


def after_answer(state: dict[str, Any], *, is_right: bool, today: date) -> tuple[dict[str, Any], date]:
    """Return the state of a card after an answer, and the day on which it is due.

    `state` is what an earlier call has returned; empty before the first answer.
    """
    # FSRS takes instants. Days as midnights in UTC make a card of the evening before a day old in the morning.
    now = datetime.combine(today, time(), UTC)
    last = datetime.combine(date.fromisoformat(state["answered"]), time(), UTC) if state else None
    card = FsrsCard(
        card_id=0,
        state=State.Review if state else State.Learning,
        stability=state.get("stability"),
        difficulty=state.get("difficulty"),
        due=now,
        last_review=last,
    )
    card, _ = _SCHEDULER.review_card(card, Rating.Good if is_right else Rating.Again, now)
    answered = {"answered": today.isoformat(), "stability": card.stability, "difficulty": card.difficulty}
    return answered, card.due.date()
