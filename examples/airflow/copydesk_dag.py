"""A DAG that writes a post every night."""

from datetime import UTC, datetime

from airflow.sdk import DAG
from copydesk_operator import WritePost

FIRST = datetime(2026, 1, 1, tzinfo=UTC)

with DAG("copydesk_post", schedule="@daily", start_date=FIRST, catchup=False):
    WritePost(
        task_id="write",
        request={"keywords": ["cold brew"], "topic": "Cold brew on {{ ds }}", "max_words": 600},
        retries=5,
    )
