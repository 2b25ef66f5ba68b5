"""Plans: what an account may use."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """Limits of a plan: words per calendar month (UTC) and request, requests per minute and day."""

    id: str
    name: str
    monthly_words: int
    max_words_per_request: int
    requests_per_minute: int
    requests_per_day: int
    priority_processing: bool
    team_seats: int
