"""A database that the console cannot use. tests/browser/test_console_faults.py has other faults."""

import pytest
from sqlalchemy import text

from app import create_app
from app.settings import Settings
from app.store import database
from tests.support.consoles import ConsoleOperator
from tests.support.integration import Feed


@pytest.fixture
def ada(feed: Feed) -> ConsoleOperator:
    """An operator of a service without a model, whose Redis does not answer."""
    app = create_app(Settings(database_url=feed.url, redis_url="redis://127.0.0.1:1/0"))
    return ConsoleOperator(app.test_client())


def test_a_database_that_cannot_be_used_is_said_on_each_page(
    ada: ConsoleOperator, feed: Feed
) -> None:
    """an old schema, which may have no sessions yet: the page names the cause, with no click"""
    with database.writing() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0018'"))
        session.execute(text("DROP TABLE operator_sessions"))
    for path in ("/", "/console/posts"):
        answer = ada.client.get(path)
        assert answer.status_code == 503
        assert "run <code>copydesk-server migrate</code>" in answer.text
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
