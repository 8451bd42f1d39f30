"""Pages of an event for a big screen."""
