"""How long the texts may be that people and programs send, in characters, wherever they are stored or entered."""

MAX_NAME_LENGTH = 80
"""Of a person, a club, an event or a division."""
MAX_NOTE_LENGTH = 300
"""Of a note, a message to an opponent or a reason."""
MAX_KEY_LENGTH = 100
"""Of an idempotency key."""
MAX_LINE_LENGTH = 120
"""Of a text of one line: a name, a label, a key. Texts that may be longer may have line breaks, too."""
