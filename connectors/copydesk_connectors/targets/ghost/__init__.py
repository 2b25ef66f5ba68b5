"""Ghost by its Admin API and the key of an integration."""
