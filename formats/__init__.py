"""Tournament formats as pure functions: who plays whom, and what follows from the results."""
