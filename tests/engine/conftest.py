"""Settings of the engine's tests."""

from hypothesis import settings

# Time is measured in the benchmarks; a busy machine must not fail a test.
settings.register_profile("engine", deadline=None)
settings.load_profile("engine")
