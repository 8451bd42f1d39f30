"""What every app needs and none owns: messages, row locks, queue, throttling, e-mail, names, parsing. No models."""
