"""Plans: what an account may use. The figures here are the ones that a new database starts with."""

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


PLANS = (
    Plan("starter", "Starter", 20_000, 1_500, 10, 50, priority_processing=False, team_seats=1),
    Plan("growth", "Growth", 100_000, 3_000, 60, 500, priority_processing=False, team_seats=5),
    Plan("scale", "Scale", 500_000, 5_000, 300, 5_000, priority_processing=True, team_seats=25),
)
