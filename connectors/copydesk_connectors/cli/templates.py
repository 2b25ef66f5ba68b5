"""The command ``templates``."""

from pathlib import Path

import click

from copydesk_connectors.cli.session import errors_as_sentences
from copydesk_connectors.target.errors import ConfigError


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
def templates(folder: Path) -> None:
    """Write the templates of plain HTML pages to FOLDER, which must not exist yet.

    Change those that you need, delete the others, and name the folder under `templates`.
    """
    # Imported here: no other command waits for it.
    from copydesk_connectors.targets.page_templates import BUILT_IN

    with errors_as_sentences():
        try:
            folder.mkdir()
            for file in sorted(BUILT_IN.iterdir()):
                (folder / file.name).write_bytes(file.read_bytes())
        except FileExistsError:
            raise ConfigError(f"{folder} exists already: name another folder") from None
        except OSError as error:
            raise ConfigError(f"{folder} cannot be written: {error.strerror}") from None
        click.echo(f'set templates = "{folder}" in the [[target]] of type html')
