"""Puts the posts of a Copydesk feed on sites, each exactly once."""
