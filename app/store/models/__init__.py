"""The tables, as SQLAlchemy models. A new database is created from them; the migrations bring those
of earlier versions here.

Services import the module (``from app.store import models``), as they have classes of the same
names. Ids are opaque strings that sort by creation time. Secrets are stored only as SHA-256 hashes,
except those that sign webhooks or links to reviews, and those that make the codes of operators.
"""

from app.store.models.accounts import *  # noqa: F403
from app.store.models.columns import *  # noqa: F403
from app.store.models.costs import *  # noqa: F403
from app.store.models.feeds import *  # noqa: F403
from app.store.models.jobs import *  # noqa: F403
from app.store.models.operators import *  # noqa: F403
from app.store.models.posts import *  # noqa: F403
from app.store.models.webhooks import *  # noqa: F403
