"""Evidence: what a text claims, and which source says the same."""
