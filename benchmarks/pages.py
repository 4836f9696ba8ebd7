"""Pages with tables that are made from numbers: between markers, in place of what is there."""

import re
from collections.abc import Callable, Collection

_BLOCK = re.compile(r"<!-- table:(.*?) -->\n.*?<!-- end -->", re.DOTALL)


def filled(page: str, names: Collection[str], table: Callable[[str], str]) -> str:
    """Return a page with a table between each ``<!-- table:name -->`` and ``<!-- end -->``."""
    if page.count("<!-- table:") != page.count("<!-- end -->"):
        raise ValueError("each <!-- table:name --> of the page needs its own <!-- end -->")

    def block(found: re.Match[str]) -> str:
        name = found[1]
        if name not in names:
            raise ValueError(f"there is no table {name!r}; there are {', '.join(names)}")
        return f"<!-- table:{name} -->\n\n{table(name)}\n\n<!-- end -->"

    return _BLOCK.sub(block, page)
