"""Downloads from a server that the test starts: resumed, retried, checked, and refused when wrong."""

import hashlib
import json
import subprocess
import threading
from collections import Counter
from contextlib import suppress

import pytest

from archives.hub import Hub
from coda_bench.archives.fetch import Fetcher, Place
from coda_bench.errors import BadInput
from coda_bench.records.archive import ArchiveEntry

CONTENT = bytes(range(256)) * 20_000
PATH = "archives/c.tar.zst"
LOCK = ".c.tar.zst.lock"


@pytest.fixture
def hub():
    """A running hub."""
    found = Hub(CONTENT)
    yield found
    found.close()


@pytest.fixture
def other():
    """A second running hub."""
    found = Hub(CONTENT)
    yield found
    found.close()


def entry(content=CONTENT, **changes):
    fields = {
        "community_id": "c",
        "archive_path": PATH,
        "size_bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    return ArchiveEntry.model_validate(fields | changes)


def fetcher(*hubs, pauses=None, **options):
    places = [Place.on_hub("v1.0.1", hub=one.address) for one in hubs]
    return Fetcher(places, pause=(pauses if pauses is not None else []).append, timeout_s=5, **options)


def test_a_file_is_fetched_at_its_revision_and_not_again(hub, tmp_path):
    """The address is the hub's; a sound file is not asked for a second time."""
    seen = []
    path = fetcher(hub).fetch_archive(entry(), tmp_path, progress=seen.append)
    assert path.read_bytes() == CONTENT
    assert seen[-1] == len(CONTENT)
    assert hub.requests[0]["path"] == f"/datasets/RUC-DataLab/CoDA-Bench/resolve/v1.0.1/{PATH}"
    fetcher(hub).fetch_archive(entry(), tmp_path)
    assert len(hub.requests) == 1
    assert sorted(item.name for item in path.parent.iterdir()) == [LOCK, "c.tar.zst"]


def test_a_cut_transfer_goes_on_where_it_stopped(hub, tmp_path):
    """After two cuts the third request asks for the rest only."""
    hub.cut_after = [1_000_000, 500_000]
    pauses = []
    assert fetcher(hub, pauses=pauses).fetch_archive(entry(), tmp_path).read_bytes() == CONTENT
    assert [request.get("Range") for request in hub.requests] == [None, "bytes=1000000-", "bytes=1500000-"]
    assert pauses == [2.0, 4.0]


def test_a_killed_fetch_goes_on_in_the_next_one(hub, tmp_path):
    """What arrived stays, with the tag of the version it belongs to."""
    hub.cut_after = [1_000_000] + [0] * 20
    with pytest.raises(BadInput, match="6 attempts"):
        fetcher(hub).fetch_archive(entry(), tmp_path)
    hub.cut_after = []
    hub.requests.clear()
    assert fetcher(hub).fetch_archive(entry(), tmp_path).read_bytes() == CONTENT
    assert hub.requests[0]["Range"] == "bytes=1000000-"


def test_a_file_that_changed_meanwhile_begins_anew(hub, tmp_path):
    """Another tag: the server sends all of it, and nothing of the old one is left in the middle."""
    hub.cut_after = [1_000_000]
    new = CONTENT[::-1]

    def change(_):
        hub.content, hub.tag = new, '"two"'

    places = [Place.on_hub("v1.0.1", hub=hub.address)]
    assert Fetcher(places, pause=change).fetch_archive(entry(new), tmp_path).read_bytes() == new


def test_a_server_without_ranges_begins_anew(hub, tmp_path):
    """The answer to a range is then the whole file."""
    hub.ranges, hub.cut_after = False, [1_000_000]
    assert fetcher(hub).fetch_archive(entry(), tmp_path).read_bytes() == CONTENT


def test_a_busy_server_is_asked_again_when_it_says(hub, tmp_path):
    """429 with Retry-After, 503 and 500 are waited for."""
    hub.statuses, pauses = [429, 503, 500], []
    assert fetcher(hub, pauses=pauses).fetch_archive(entry(), tmp_path).read_bytes() == CONTENT
    assert pauses == [7.0, 4.0, 8.0]


@pytest.mark.parametrize(("status", "words"), [(404, "is the revision right"), (401, "HF_TOKEN"), (403, "HF_TOKEN")])
def test_what_waiting_cannot_mend_is_said_at_once(hub, tmp_path, status, words):
    """Unknown files and refused ones: one request, one sentence."""
    hub.statuses = [status]
    with pytest.raises(BadInput, match=words):
        fetcher(hub).fetch_archive(entry(), tmp_path)
    assert len(hub.requests) == 1


def test_a_wrong_hash_is_never_used(hub, tmp_path):
    """The file is removed, so that the next fetch begins anew."""
    with pytest.raises(BadInput, match="the manifest says"):
        fetcher(hub).fetch_archive(entry(sha256="0" * 64), tmp_path)
    assert [item.name for item in (tmp_path / "archives").iterdir()] == [LOCK]


def test_a_mirror_takes_over_from_a_place_with_wrong_bytes(hub, other, tmp_path):
    """A hash that is wrong at the first place says nothing of the second."""
    hub.content = CONTENT[::-1]
    assert fetcher(hub, other).fetch_archive(entry(), tmp_path).read_bytes() == CONTENT


def test_what_is_left_of_a_longer_file_is_not_continued(hub, tmp_path):
    """More than the whole is here, or more than the server has, or a note that cannot be read."""
    (tmp_path / "archives").mkdir()
    partial = tmp_path / "archives" / ".c.tar.zst.part"
    note = partial.with_name(f"{partial.name}.json")
    url = Place.on_hub("v1.0.1", hub=hub.address).url(PATH)
    for left, text in (
        (CONTENT + b"more", json.dumps({"url": url, "etag": hub.tag})),
        (CONTENT[:999], "{torn"),
        (CONTENT, json.dumps({"url": url, "etag": hub.tag})),
    ):
        partial.write_bytes(left)
        note.write_text(text)
        assert fetcher(hub).fetch_archive(entry(), tmp_path).read_bytes() == CONTENT
        (tmp_path / PATH).unlink()
    hub.content = CONTENT[:-5]
    partial.write_bytes(CONTENT[:-1])
    note.write_text(json.dumps({"url": url, "etag": hub.tag}))
    with pytest.raises(BadInput, match="the manifest says"):
        fetcher(hub).fetch_archive(entry(), tmp_path)


def test_two_fetches_of_one_archive_do_not_mix(hub, tmp_path):
    """The second waits and finds it."""
    threads = [
        threading.Thread(target=lambda: fetcher(hub).fetch_archive(entry(), tmp_path), daemon=True) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(hub.requests) == 1
    assert (tmp_path / PATH).read_bytes() == CONTENT


def test_a_disk_that_fills_meanwhile_is_said_and_what_arrived_is_kept(hub, tmp_path):
    """Somebody else writes; with room made, the fetch goes on."""
    mount = tmp_path / "small"
    mount.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300m", "tmpfs", str(mount)], check=False).returncode:
        pytest.skip("this user may not mount a small file system")
    filler = mount / "filler"

    def fill(_):
        if not filler.exists():
            with suppress(OSError), filler.open("wb", buffering=0) as out:
                while True:
                    out.write(bytes(1 << 20))

    try:
        with pytest.raises(BadInput, match="the disk is full; make room and run again"):
            fetcher(hub).fetch_archive(entry(), mount, progress=fill)
        assert not (mount / PATH).exists()
        filler.unlink()
        hub.requests.clear()
        assert fetcher(hub).fetch_archive(entry(), mount).read_bytes() == CONTENT
        assert hub.requests[0]["Range"].startswith("bytes=")
    finally:
        subprocess.run(["umount", str(mount)], check=True)


def test_a_revision_is_one_word_of_the_address():
    """As the hub wants branches of pull requests; nothing climbs out of the repository."""
    assert Place.on_hub("refs/pr/1").base.endswith("/resolve/refs%2Fpr%2F1")
    assert Place.on_hub("../../x").base.endswith("/resolve/..%2F..%2Fx")


def test_more_than_promised_is_not_stored(hub, tmp_path):
    """A server that sends on and on is left."""
    with pytest.raises(BadInput, match="more than the 1000 bytes"):
        fetcher(hub).fetch_archive(entry(size_bytes=1000), tmp_path)
    assert not (tmp_path / PATH).exists()


def test_the_next_place_is_tried(hub, other, tmp_path):
    """A mirror takes over, and the message names both when neither has it."""
    hub.statuses = [404]
    assert fetcher(hub, other).fetch_archive(entry(), tmp_path).read_bytes() == CONTENT
    hub.statuses, other.statuses = [404], [404]
    (tmp_path / PATH).unlink()
    with pytest.raises(BadInput) as caught:
        fetcher(hub, other).fetch_archive(entry(), tmp_path)
    assert hub.address in str(caught.value)
    assert other.address in str(caught.value)


def test_the_token_goes_to_the_first_place_only(hub, other, tmp_path):
    """Neither a redirect to another host nor a mirror gets it."""
    hub.redirect_to = other.address.replace("127.0.0.1", "localhost")
    fetcher(hub, token="secret").fetch_archive(entry(), tmp_path)  # noqa: S106 no real one
    assert hub.requests[0]["Authorization"] == "Bearer secret"
    assert "Authorization" not in other.requests[0]
    (tmp_path / PATH).unlink()
    hub.redirect_to, hub.statuses = None, [404]
    fetcher(hub, other, token="secret").fetch_archive(entry(), tmp_path)  # noqa: S106 no real one
    assert all("Authorization" not in request for request in other.requests)


def test_a_small_disk_is_noticed_before_anything_is_fetched(hub, tmp_path):
    """The archive and its files must fit."""
    with pytest.raises(BadInput, match="make room"):
        fetcher(hub).fetch_archive(entry(extracted_bytes=1 << 60), tmp_path)
    assert hub.requests == []


def test_metadata_is_replaced_in_one_step(hub, tmp_path):
    """A task file on disk is the old one or the new one."""
    hub.content = json.dumps([1]).encode()
    (tmp_path / "coda_bench.json").write_text("old")
    hub.statuses = [404]
    with pytest.raises(BadInput):
        fetcher(hub).fetch_metadata("coda_bench.json", tmp_path)
    assert (tmp_path / "coda_bench.json").read_text() == "old"
    fetcher(hub).fetch_metadata("coda_bench.json", tmp_path)
    assert (tmp_path / "coda_bench.json").read_text() == "[1]"
    assert Counter(item.suffix for item in tmp_path.iterdir()) == {".json": 1}


def test_only_http_addresses_are_taken():
    """No file, no other scheme."""
    with pytest.raises(BadInput, match="http"):
        Fetcher([Place("file:///etc")])
