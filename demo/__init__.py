"""A demonstration club, created by the same services as a real one."""
