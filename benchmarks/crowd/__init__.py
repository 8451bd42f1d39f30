"""A crowd of anonymous readers over HTTP."""
