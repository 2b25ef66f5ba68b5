"""The README's target of another author in the contract suite; and broken ones, which it finds."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
README = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
TARGET, SUITE = re.findall(
    r"```python\n(from copydesk_connectors.target import.*?|# test_my_blog.*?)```", README, re.S
)
CONFTEST = """
import pytest
from json_blog import json_blog

@pytest.fixture
def blog_server():
    with json_blog() as server:
        yield server
"""
SECONDS = 120.0


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """What an author has who copied the README."""
    (tmp_path / "my_blog.py").write_text(TARGET)
    (tmp_path / "test_my_blog.py").write_text(SUITE)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    shutil.copy(FOLDER / "json_blog.py", tmp_path)
    return tmp_path


def run_pytest(package: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    """The author's run of pytest, with no plug-in but the one of this package."""
    command = ["-m", "pytest", "-q", "-p", "pytest_copydesk_connectors", "-W", "error"]
    # -c: the settings of this repository are not the author's.
    return subprocess.run(
        [sys.executable, *command, "-c", os.devnull, "--rootdir", str(package), *options],
        cwd=package,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=os.environ
        | {
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONPATH": os.pathsep.join([str(package), *filter(None, sys.path)]),
        },
    )


def test_the_target_of_the_readme_passes_the_suite(package: Path) -> None:
    """third-party target: from the README alone, in at most 45 lines, green in the suite"""
    assert len(TARGET.splitlines()) <= 45
    done = run_pytest(package, "test_my_blog.py")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
    assert int(re.findall(r"(\d+) passed", done.stdout)[0]) >= 30


@pytest.mark.parametrize(
    ("right", "wrong", "found_by"),
    [
        pytest.param(
            "    def message(self, content):",
            "    def raise_for_status(self, answer):\n"
            "        if answer.status_code == 500:\n"
            "            raise Refused('answered 500')\n"
            "        super().raise_for_status(answer)\n\n"
            "    def message(self, content):",
            "a_fault_at_any_request_loses_and_doubles_nothing[500-once]",
            id="500 is a refusal",
        ),
        pytest.param(
            "    def message(self, content):",
            "    def refusal(self, answer):\n"
            "        return Refused(f'answered {answer.status_code}')\n\n"
            "    def message(self, content):",
            "a_fault_at_any_request_loses_and_doubles_nothing[403-once]",
            id="a firewall's 403 is a refusal",
        ),
        pytest.param(
            '        return seen(self.api.post(f"/posts/{draft.remote_id}/publish", {}))\n',
            '        url = f"{self.api.url}/posts/{draft.remote_id}/publish"\n'
            "        if self.api.send('POST', url, json={}).status_code != 200:\n"
            "            raise Unavailable('not shown')\n"
            "        return SiteCopy(draft.remote_id, CopyState.PUBLIC, 'https://blog.example/')\n",
            "a_fault_at_any_request_loses_and_doubles_nothing[a web page-once]",
            id="any 200 is a success",
        ),
        pytest.param(
            '        self.api.delete(f"/posts/{draft.remote_id}")\n',
            "        for number in range(1, 9):\n"
            "            with suppress(Refusal):\n"
            "                self.api.delete(f'/posts/{number}')\n",
            "the_draft_of_another_post_is_not_swept",
            id="another post's draft is swept",
        ),
        pytest.param(
            "key=post.id, or_id",
            "key=post.id[:5], or_id",
            "the_draft_of_another_post_is_not_swept",
            id="two ids are one",
        ),
        pytest.param(
            '        self.api.get("/me")\n',
            "        pass\n",
            "a_site_that_cannot_be_used_says_so_before_anything_is_tried",
            id="it is always ready",
        ),
    ],
)
def test_a_broken_target_fails_the_suite(
    package: Path, right: str, wrong: str, found_by: str
) -> None:
    """a target that maps 500 to a refusal or sweeps another's copy fails it"""
    assert TARGET.count(right) == 1
    more = "from contextlib import suppress\nfrom copydesk_connectors.target import *\n"
    (package / "my_blog.py").write_text(more + TARGET.replace(right, wrong))
    done = run_pytest(package, f"test_my_blog.py::TestMyBlog::test_{found_by}")
    assert "1 failed" in done.stdout, done.stdout[-4000:] + done.stderr


def test_the_fixture_of_the_plug_in_breaks_a_request(package: Path) -> None:
    """the fault proxy inside"""
    (package / "test_proxy.py").write_text(
        "import pytest, requests\n"
        "from copydesk_connectors.suite import Replace, Rule\n"
        "def test_it(blog_server, copydesk_fault_proxy):\n"
        "    proxy = copydesk_fault_proxy(blog_server.url)\n"
        "    proxy.add(Rule(Replace(503), path='/me'))\n"
        "    seen = [requests.get(proxy.url + '/me', timeout=9).status_code for _ in range(2)]\n"
        "    assert seen == [503, 401]\n"
    )
    done = run_pytest(package, "test_proxy.py")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_plug_in_imports_nothing_before_a_test_asks_for_it(package: Path) -> None:
    """pytest loads it in every run of an environment that has the package"""
    (package / "test_nothing.py").write_text(
        "import sys\ndef test_it():\n    assert 'copydesk_connectors' not in sys.modules\n"
    )
    (package / "conftest.py").unlink()
    done = run_pytest(package, "test_nothing.py")
    assert done.returncode == 0, done.stdout + done.stderr
