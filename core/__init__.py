"""What every app needs and none owns: messages, queue, throttling, public ids, names, parsing. No models."""
