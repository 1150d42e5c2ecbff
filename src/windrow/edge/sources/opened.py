"""The source that an entry of `tree.yaml` describes."""

from typing import TYPE_CHECKING

from windrow.edge.tree_file import Source as Described

if TYPE_CHECKING:
    from windrow.edge.processes.leaf import Source

__all__ = ["opened"]


def opened(source: Described, leaf: str) -> "Source":
    """A source, which has not begun yet."""
    if source.kind == "http":
        from windrow.edge.sources.http import HttpSource

        return HttpSource(**source.options)
    if source.kind == "mqtt":
        from windrow.edge.sources.mqtt import MqttSource

        return MqttSource(**{"client": f"windrow-{leaf}", **source.options})
    if source.kind == "files":
        from windrow.edge.sources.files import FilesSource

        return FilesSource(**source.options)
    from windrow.edge.sources.lines import LinesSource

    return LinesSource()
