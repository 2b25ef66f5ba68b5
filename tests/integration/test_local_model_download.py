"""The first page of a service that has no model yet."""

import os
from pathlib import Path

import requests

from app.adapters.weights import QWEN_CODER_1_5B
from tests.support.consoles import PASSWORD
from tests.support.process_group import ProcessGroup
from tests.support.service import CopydeskService

MB = 1_000_000
SECONDS = 30.0


def test_the_first_page_follows_the_download_of_the_local_model(tmp_path: Path) -> None:
    """“first run: model key (or local model, with its progress)”"""
    cache = tmp_path / "cache"
    file = cache / "models" / QWEN_CODER_1_5B.filename
    settings = {"OPENAI_BASE_URL": "", "OPENAI_API_KEY": "", "COPYDESK_MODEL_CACHE": str(cache)}
    with ProcessGroup() as group:
        service = CopydeskService(group, "", **settings)
        service.cli("operator", "create", "ada", typed=f"{PASSWORD}\n")
        ada = requests.Session()
        ada.post(f"{service.url}/sign-in", {"name": "ada", "password": PASSWORD}, timeout=SECONDS)

        def home(query: str = "") -> str:
            return ada.get(f"{service.url}/{query}", timeout=SECONDS).text

        page = home("?follow")
        assert "copydesk-server model pull" in page
        assert "of the local model" not in page
        assert 'http-equiv="refresh"' not in page
        part = file.with_name(f"{file.name}.part")
        part.parent.mkdir(parents=True)
        part.touch()
        os.truncate(part, 34 * MB)
        assert "34 of 1,117 MB" in home()
        assert "3 % of the local model" in home()
        assert 'http-equiv="refresh"' not in home()
        assert 'http-equiv="refresh"' in home("?follow")
        os.truncate(part, 44 * MB)
        assert "44 of 1,117 MB" in home()
        os.truncate(part, QWEN_CODER_1_5B.size)
        part.rename(file)
        assert "The local model is downloaded. Restart the service." in home()
