"""Kinds of defect that a copy editor marks, planted into texts that have none."""
