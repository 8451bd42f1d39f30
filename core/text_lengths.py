"""How long the texts may be that people and programs send, in characters, wherever they are stored or entered."""

LONGEST_NAME = 80
"""Of a person, a club, an event or a division."""
LONGEST_NOTE = 300
"""Of a note, a message to an opponent or a reason."""
LONGEST_KEY = 100
"""Of an idempotency key."""
LONGEST_LINE = 120
"""Of a text of one line: a name, a label, a key. Texts that may be longer may have line breaks, too."""
