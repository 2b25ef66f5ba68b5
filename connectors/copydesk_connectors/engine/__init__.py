"""The engine: takes items from a feed and publishes each one exactly once."""
