"""replay: a post built again from its journal."""

import sys

import click

from app.commands.output import as_json, fail, opened_database, settings_or_exit


@click.command()
@click.argument("request_id")
@as_json
def replay(request_id: str, as_json: bool) -> None:
    """Build a post again from the stored answers of the model.

    REQUEST_ID is the requestId of a call or a job, or the id of a job, a run or a feed item. No
    model is called, and nothing is written. Prints the post as Markdown; with --json, exactly what
    Copydesk has stored: the body of the call, the result of the job, or the feed item. A line on
    stderr says how the post compares with the stored one.

    Exit codes: 0 the post equals the stored one, or none is stored; 1 it differs, the journal is
    incomplete, or the writing failed.
    """
    # Imported here, so that other commands start without the pipeline.
    from app.core.errors import NotFound, ServiceError
    from app.services.replay import JournalIncomplete
    from app.services.replay import replay as run

    with opened_database(settings_or_exit()):
        try:
            built = run(request_id)
        except (JournalIncomplete, NotFound):
            raise
        except ServiceError as error:
            fail(f"the writing failed with {error.code}: {error.operator}")
    click.echo(built.result if as_json else built.markdown, nl=as_json)
    if not built.is_stored:
        click.echo(f"Built from {built.calls} calls. No result is stored.", err=True)
    elif built.differs:
        click.echo(f"Built from {built.calls} calls. The stored result DIFFERS.", err=True)
        sys.exit(1)
    else:
        click.echo(f"Built from {built.calls} calls. The stored result is the same.", err=True)
