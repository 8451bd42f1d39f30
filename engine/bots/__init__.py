"""Players made of code: at random, by the pip count, and one that plays decently (`engine.bots.decisions`)."""

from engine.bots.decisions import Bot, decide, ranked_plays

__all__ = ["Bot", "decide", "ranked_plays"]
