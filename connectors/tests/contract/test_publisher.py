"""The suite that every target passes, on each of ours."""

from copydesk_connectors.contract import *  # noqa: F403
