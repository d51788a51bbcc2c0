"""Archives made member by member, as a sound packer never would."""

import hashlib
import io
import subprocess
import tarfile

import pytest

from coda_bench.records.archive import ArchiveEntry

ROOT = "data/c/full_community"


@pytest.fixture
def compress():
    """A function that compresses bytes into one sound zstd frame."""

    def run(raw):
        return subprocess.run(["zstd", "-cq"], input=raw, capture_output=True, check=True).stdout

    return run


@pytest.fixture
def make_archive(tmp_path, compress):
    """A function that makes `c.tar.zst` from members or raw tar bytes, and returns it with a fitting entry."""

    def make(members=(), *, raw=None, compressed=None, **entry):
        if raw is None:
            buffer = io.BytesIO()
            with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
                for member, content in members:
                    tar.addfile(member, io.BytesIO(content) if content else None)
            raw = buffer.getvalue()
        if compressed is None:
            compressed = compress(raw)
        path = tmp_path / "c.tar.zst"
        path.write_bytes(compressed)
        fields = {
            "community_id": "c",
            "archive_path": "archives/c.tar.zst",
            "size_bytes": len(compressed),
            "sha256": hashlib.sha256(compressed).hexdigest(),
        }
        return path, ArchiveEntry.model_validate(fields | entry)

    return make


@pytest.fixture
def file():
    """A function that makes a file member."""

    def make(name, content=b"a,b\n1,2\n", **attributes):
        member = tarfile.TarInfo(name)
        member.size = len(content)
        for key, value in attributes.items():
            setattr(member, key, value)
        return member, content

    return make


@pytest.fixture
def special():
    """A function that makes a member without content."""

    def make(name, kind, linkname=""):
        member = tarfile.TarInfo(name)
        member.type, member.linkname = kind, linkname
        return member, None

    return make
