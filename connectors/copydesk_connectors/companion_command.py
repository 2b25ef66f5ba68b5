"""The command ``companion``."""

from pathlib import Path

import click


@click.command()
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write it to this file in place of standard output; must not exist.",
)
def companion(output: Path | None) -> None:
    """Write the companion plugin for WordPress: one PHP file, for wp-content/mu-plugins.

    It is optional. With it a post takes one request, and the site itself keeps each post unique.
    """
    # Imported here: no other command waits for it.
    from copydesk_connectors.targets.wordpress.companion import PLUGIN, plugin_version

    plugin = PLUGIN.read_text(encoding="utf-8")
    if output is None:
        click.echo(plugin, nl=False)
        return
    try:
        with output.open("x", encoding="utf-8") as file:
            file.write(plugin)
    except FileExistsError:
        raise click.ClickException(
            f"{output} exists already: remove it, or name another file"
        ) from None
    except OSError as error:
        raise click.ClickException(f"{output} cannot be written: {error.strerror}") from None
    click.echo(f"{output} holds version {plugin_version()}: put it into wp-content/mu-plugins")
