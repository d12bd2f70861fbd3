"""Check links, pictures and anchors within the built site: `python docs/check_links.py`."""

import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import html

SITE = Path(__file__).parent / "_build" / "html"


def broken(site: Path) -> list[str]:
    """What leads nowhere, as "page: link"; from elsewhere nothing may be loaded, but links may lead there."""
    files = [page for page in sorted(site.rglob("*.html")) if "_static" not in page.parts]
    pages = {page.resolve(): html.parse(page) for page in files}
    anchors = {page: set(tree.xpath("//@id | //a/@name")) for page, tree in pages.items()}
    found = []
    for page, tree in pages.items():
        loaded = tree.xpath("//script/@src | //link[@rel='stylesheet']/@href | //img/@src")
        for link in [*loaded, *tree.xpath("//a/@href")]:
            parts = urlsplit(str(link))
            if parts.scheme or parts.netloc:
                if link in loaded:
                    found.append(f"{page.name} loads {link}")
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if not target.exists() or (
                parts.fragment and target in anchors and unquote(parts.fragment) not in anchors[target]
            ):
                found.append(f"{page.relative_to(site.resolve())}: {link}")
    return found


if __name__ == "__main__":
    wrong = broken(SITE)
    print("\n".join(sorted(set(wrong))) or "every link leads somewhere")
    sys.exit(bool(wrong))
