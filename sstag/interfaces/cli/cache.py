"""The command `sstag cache`: it shows the vectors that were kept, and removes them."""

import time

import click

from sstag.foundation.errors import ConfigError
from sstag.interfaces.cli.help_sections import OUTPUT, Command, options_of

MIB = 2**20


@click.command(name="cache", cls=Command)
@options_of(OUTPUT)("--clear", is_flag=True, help="Remove everything, or what --digest names.")
@options_of(OUTPUT)("--digest", metavar="DIGEST", help="Only the encoder whose digest, as it is shown, begins so.")
def command(clear: bool, digest: str | None) -> None:
    """Show or clear the vectors that were kept.

    What `sstag encode`, a training or tagging encoded is kept in the folder sstag of XDG_CACHE_HOME, or in the folder
    that SSTAG_CACHE names, up to 20 GiB or to SSTAG_CACHE_GIB. What was not used for longest goes first.

    \b
    Example:
        sstag cache
        sstag cache --clear --digest 5d41402a
    """
    from sstag.features.encoders.store import usual_store
    from sstag.foundation.display import aligned

    store = usual_store()
    kept = [one for one in store.kept() if one.digest.startswith(digest or "")]
    if digest is not None and not kept:
        raise ConfigError(f"nothing is kept of an encoder {digest}…", str(store.folder))
    if clear:
        click.echo(f"{store.cleared(digest or '') / MIB:,.1f} MiB freed in {store.folder}")
        return
    head = ("encoder", "sentences", "MiB", "last used")
    rows = [
        (
            one.digest[:12],
            f"{one.sentences:,}",
            f"{one.bytes / MIB:,.1f}",
            time.strftime("%Y-%m-%d", time.gmtime(one.used)),
        )
        for one in kept
    ]
    for line in aligned([head, *rows], left=(0,)):
        click.echo(line)
    click.echo(f"{sum(one.bytes for one in kept) / MIB:,.1f} MiB of {store.limit / MIB:,.0f} in {store.folder}")
