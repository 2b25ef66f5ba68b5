"""WordPress by its REST API and an application password."""
