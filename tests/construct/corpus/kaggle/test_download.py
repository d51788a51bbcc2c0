"""Downloads through kagglehub from a server that the test starts: pinned, resumed, patient, only what may be used."""

import json

import pyarrow.parquet as pq
import pytest

from coda_bench.construct.corpus.folder import read_folder
from coda_bench.construct.corpus.kaggle.download import DownloadOptions, download, read_downloads
from coda_bench.construct.corpus.kaggle.service import Kaggle
from coda_bench.errors import BadInput
from coda_bench.records.kaggle import Kind, Outcome, Pin
from construct.corpus.kaggle.site import stored, zipped

WHEAT = {"wheat.csv": "year,tons\n2001,3\n", "notes/readme.txt": "by field\n"}


def pin(text, kind=Kind.DATASET):
    owner, slug, *version = text.replace("/versions", "").split("/")
    return Pin(kind=kind, owner=owner, slug=slug, version=int(version[0]) if version else None)


def fetch(out, *texts, kind=Kind.DATASET, pauses=None, said=None, **options):
    waits = pauses if pauses is not None else []
    kaggle = Kaggle(pause=waits.append, say=(said if said is not None else []).append)
    return download([pin(text, kind) for text in texts], out, DownloadOptions(**options), kaggle=kaggle)


def test_a_data_set_comes_at_the_version_of_its_pin(site, tmp_path):
    """Not the current one; its licence and version stand beside its files."""
    site.add_dataset("ann/wheat", WHEAT, version=2)
    site.add_dataset("ann/wheat", {"other.csv": "a\n"}, version=3)
    [found] = fetch(tmp_path / "out", "ann/wheat/versions/2")
    folder = tmp_path / "out/datasets/ann/wheat"
    assert (folder / "wheat.csv").read_text() == WHEAT["wheat.csv"]
    assert not (folder / "other.csv").exists()
    assert (found.outcome, found.files, found.pin.version, found.licence) == (Outcome.DOWNLOADED, 2, 2, "CC0-1.0")
    assert json.loads((folder / "dataset-metadata.json").read_text()) == {
        "title": "wheat",
        "id": "ann/wheat",
        "licenses": [{"name": "CC0-1.0"}],
        "version": 2,
    }
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        ".downloads.lock",
        "datasets",
        "downloads.jsonl",
    ]


def test_a_notebook_comes_with_what_it_says_it_uses(site, tmp_path):
    """Its source at the version of the pin, and Kaggle's metadata beside it."""
    site.add_notebook("ann/trends", ["old = 1"], version=4, current=5, sources=["ann/wheat"])
    site.add_notebook("ann/trends", ["new = 1"], version=5, sources=["ann/wheat", "bob/rain"])
    [found] = fetch(tmp_path, "ann/trends/versions/4", kind=Kind.NOTEBOOK)
    folder = tmp_path / "notebooks/ann/trends"
    assert json.loads((folder / "trends.ipynb").read_text())["cells"][0]["source"] == "old = 1"
    metadata = json.loads((folder / "kernel-metadata.json").read_text())
    assert (metadata["dataset_sources"], metadata["code_file"], metadata["version"]) == (
        ["ann/wheat"],
        "trends.ipynb",
        4,
    )
    assert metadata["docker_image"] == "gcr.io/kaggle-images/python@sha256:0"
    assert (found.sources, found.pin.version) == (("ann/wheat",), 4)


def test_what_was_downloaded_is_read_as_a_corpus(site, tmp_path):
    """Uses by path in the code and by Kaggle's own list of sources; licences and versions as they were checked."""
    site.add_dataset("ann/wheat", WHEAT, version=2)
    site.add_dataset("bob/rain", {"rain.csv": "mm\n"})
    cells = ["import pandas as pd", 'pd.read_csv("/kaggle/input/wheat/wheat.csv").head()']
    site.add_notebook("ann/trends", cells, sources=["ann/wheat", "bob/rain"])
    fetch(tmp_path / "kaggle", "ann/wheat/versions/2", "bob/rain/versions/1")
    fetch(tmp_path / "kaggle", "ann/trends/versions/1", kind=Kind.NOTEBOOK)
    manifest = read_folder(tmp_path / "kaggle", tmp_path / "corpus")
    assert {name: manifest.counts[name] for name in ("notebooks", "datasets", "uses", "notebooks_with_two")} == {
        "notebooks": 1,
        "datasets": 2,
        "uses": 2,
        "notebooks_with_two": 1,
    }
    rows = pq.read_table(tmp_path / "corpus/datasets.parquet").to_pylist()
    assert [(row["dataset"], row["version"], row["licence"]) for row in rows] == [
        ("ann/wheat", "2", "CC0-1.0"),
        ("bob/rain", "1", "CC0-1.0"),
    ]
    assert not (tmp_path / "corpus/findings.jsonl").read_text()


def test_scripts_keep_the_ending_of_their_language(site, tmp_path):
    """A script in R is a .R file."""
    site.add_notebook("ann/model", [], source="x <- 1\n", language="r", kernelType="script")
    fetch(tmp_path, "ann/model/versions/1", kind=Kind.NOTEBOOK)
    assert (tmp_path / "notebooks/ann/model/model.R").read_text() == "x <- 1\n"


def test_without_a_version_the_current_one_is_recorded_and_kept(site, tmp_path):
    """A later run stays at that version when Kaggle has a newer one."""
    site.add_dataset("ann/wheat", WHEAT, version=7)
    site.add_notebook("ann/trends", ["x = 1"], version=3)
    assert fetch(tmp_path, "ann/wheat")[0].pin.version == 7
    assert fetch(tmp_path, "ann/trends", kind=Kind.NOTEBOOK)[0].pin.version == 3
    site.add_dataset("ann/wheat", {"new.csv": "a\n"}, version=8)
    assert fetch(tmp_path, "ann/wheat")[0].pin.version == 7
    assert (tmp_path / "datasets/ann/wheat/wheat.csv").exists()


def test_what_is_there_is_not_asked_for_again(site, tmp_path):
    """A second run makes no request; the same downloads are recorded by the same bytes."""
    site.add_dataset("ann/wheat", WHEAT)
    first = fetch(tmp_path, "ann/wheat/versions/1")
    stored, n_requests = (tmp_path / "downloads.jsonl").read_bytes(), len(site.requests)
    assert fetch(tmp_path, "ann/wheat/versions/1") == first
    assert len(site.requests) == n_requests
    assert (tmp_path / "downloads.jsonl").read_bytes() == stored


def test_another_version_takes_the_place_of_the_first(site, tmp_path):
    """Nothing of the older one stays."""
    site.add_dataset("ann/wheat", WHEAT, version=1)
    fetch(tmp_path, "ann/wheat/versions/1")
    site.add_dataset("ann/wheat", {"new.csv": "a\n"}, version=2)
    fetch(tmp_path, "ann/wheat/versions/2")
    names = sorted(path.name for path in (tmp_path / "datasets/ann/wheat").iterdir())
    assert names == ["dataset-metadata.json", "new.csv"]
    assert [row.pin.version for row in read_downloads(tmp_path)] == [2]


def test_a_cut_transfer_goes_on_where_it_stopped(site, tmp_path):
    """After each cut only the rest is asked for."""
    site.add_dataset("ann/wheat", WHEAT)
    site.archives["ann/wheat", 1] = content = stored(bytes(range(256)) * 40_000)
    site.cut_after = [3_000_000, None, 4_000_000]
    [found] = fetch(tmp_path, "ann/wheat/versions/1")
    ranges = [one[2] for one in site.asked("storage")]
    offsets = [int(one[6:-1]) for one in ranges if one]
    assert found.outcome is Outcome.DOWNLOADED
    assert found.bytes == 256 * 40_000
    assert ranges[0] is None
    assert offsets == sorted(offsets)
    assert 0 < offsets[0] <= 3_000_000 < offsets[1] <= 7_000_000 < len(content)


def test_a_download_that_was_given_up_goes_on_in_the_next_run(site, tmp_path):
    """What arrived stays, as do the data sets before it."""
    site.add_dataset("ann/barley", WHEAT)
    site.add_dataset("ann/wheat", WHEAT)
    site.archives["ann/wheat", 1] = stored(bytes(3_000_000))
    site.cut_after = [len(site.archives["ann/barley", 1]), 2_500_000, *[0] * 20]
    with pytest.raises(BadInput, match=r"dataset ann/wheat/versions/1: the connection failed .*8 attempts.*to go on"):
        fetch(tmp_path, "ann/barley/versions/1", "ann/wheat/versions/1")
    site.cut_after, site.requests = [], []
    found = fetch(tmp_path, "ann/barley/versions/1", "ann/wheat/versions/1")
    assert [row.outcome for row in found] == [Outcome.DOWNLOADED] * 2
    assert not site.asked("GetDataset ann/barley")
    assert site.asked("storage")[-1][2].startswith("bytes=2")


def test_a_damaged_transfer_is_thrown_away_and_begun_anew(site, tmp_path):
    """The sum that Kaggle announces is compared; a part that fits nothing is not built upon."""
    site.add_dataset("ann/wheat", WHEAT)
    (tmp_path / ".partial").mkdir()
    (tmp_path / ".partial/ann--wheat--1.zip").write_bytes(b"x" * 20)
    assert fetch(tmp_path, "ann/wheat/versions/1")[0].outcome is Outcome.DOWNLOADED
    assert [one[2] for one in site.asked("storage")][-1] is None


def test_a_busy_server_is_given_the_time_it_asks_for(site, tmp_path):
    """The first refusal is believed; when the server goes on refusing, pauses grow beyond what it asks."""
    site.add_dataset("ann/wheat", WHEAT)
    site.answers = [(429, {"Retry-After": "7"}), (429, {"Retry-After": "1"}), (503, {})]
    pauses, said = [], []
    assert fetch(tmp_path, "ann/wheat/versions/1", pauses=pauses, said=said)[0].outcome is Outcome.DOWNLOADED
    assert pauses == [7.0, 4.0, 8.0]
    assert said[0] == "dataset ann/wheat/versions/1: Kaggle answers 429; trying again in 7 s"


def test_a_refusal_in_the_body_alone_is_understood(site, tmp_path):
    """Kaggle sends some limits with status 200 and the code in its JSON."""
    site.add_dataset("ann/wheat", WHEAT)
    site.answers = [(200, {"Retry-After": "3"}, {"code": 429, "message": "TooManyRequests"})]
    pauses = []
    fetch(tmp_path, "ann/wheat/versions/1", pauses=pauses)
    assert pauses == [3.0]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"title": 5}, "does not understand the answer"),
        ({"title": "w", "licenseName": "MIT", "currentVersionNumber": "x"}, "does not understand the answer"),
        ({"code": "y"}, "does not understand the answer"),
        ("text", None),
        ([], None),
    ],
)
def test_an_answer_of_another_shape_is_no_traceback(site, tmp_path, body, says):
    """Whatever stands between here and Kaggle; of an empty answer nothing is downloaded."""
    site.answers = [(200, {}, body)] * 2
    if says:
        with pytest.raises(BadInput, match=rf"dataset ann/wheat: .*{says}"):
            fetch(tmp_path, "ann/wheat")
    else:
        assert fetch(tmp_path, "ann/wheat")[0].outcome is Outcome.REFUSED


@pytest.mark.parametrize("answer", [{"x": 1}, {"metadata": {}, "blob": {"source": 5}}, {"blob": {"source": "x"}}])
def test_a_notebook_of_another_shape_is_no_traceback(site, tmp_path, answer):
    """Likewise."""
    site.notebooks["ann/trends/1"] = answer
    try:
        found = fetch(tmp_path, "ann/trends/versions/1", kind=Kind.NOTEBOOK)
    except BadInput as error:
        assert "notebook ann/trends/versions/1: Kaggle's client does not understand" in str(error)  # noqa: PT017
    else:
        assert found[0].outcome is Outcome.REFUSED


def test_a_page_in_place_of_an_answer_is_no_traceback(site, tmp_path):
    """Such as one of a proxy that asks for a password."""
    site.send = lambda request, *_: send_page(request)
    with pytest.raises(BadInput, match=r"does not understand the answer \(JSONDecodeError"):
        fetch(tmp_path, "ann/wheat/versions/1")


def send_page(request):
    """Send a page."""
    request.send_response(200)
    request.send_header("Content-Type", "text/html")
    request.send_header("Content-Length", "6")
    request.end_headers()
    request.wfile.write(b"<html>")


def test_a_server_that_stays_busy_ends_the_run_without_losing_it(site, tmp_path):
    """Nor is an hour waited: the message says when to come back."""
    site.add_dataset("ann/wheat", WHEAT)
    site.answers = [(429, {"Retry-After": "3600"})]
    with pytest.raises(BadInput, match="asks to wait 3600 s; run the same command then"):
        fetch(tmp_path, "ann/wheat/versions/1")
    site.answers = [(429, {})] * 8
    with pytest.raises(BadInput, match=r"Kaggle answers 429 \(8 attempts\); run the same command later"):
        fetch(tmp_path, "ann/wheat/versions/1")


def test_consent_names_the_page_and_the_rest_is_downloaded(site, tmp_path):
    """One data set that wants consent, one that is gone."""
    site.add_dataset("ann/wheat", WHEAT)
    site.refusals["bob/secret"] = 403
    found = fetch(tmp_path, "ann/wheat/versions/1", "bob/secret/versions/1", "bob/gone/versions/2")
    by_name = {row.pin.name: row for row in found}
    assert {name: row.outcome for name, row in by_name.items()} == {
        "ann/wheat": Outcome.DOWNLOADED,
        "bob/secret": Outcome.CONSENT_NEEDED,
        "bob/gone": Outcome.NOT_FOUND,
    }
    assert "https://www.kaggle.com/datasets/bob/secret" in by_name["bob/secret"].message
    site.refusals.clear()
    site.add_dataset("bob/secret", WHEAT)
    assert fetch(tmp_path, "bob/secret/versions/1")[0].outcome is Outcome.DOWNLOADED


def test_a_version_that_is_not_there_is_not_found(site, tmp_path):
    """The data set is, at another version."""
    site.add_dataset("ann/wheat", WHEAT, version=3)
    assert fetch(tmp_path, "ann/wheat/versions/9")[0].outcome is Outcome.NOT_FOUND


def test_credentials_that_are_not_valid_end_the_run(site, tmp_path):
    """Nothing else would do better; the message says what to set."""
    site.refusals["ann/wheat"] = 401
    with pytest.raises(BadInput, match=r"401, the credentials are missing or not valid; set KAGGLE_API_TOKEN"):
        fetch(tmp_path, "ann/wheat/versions/1")


@pytest.mark.parametrize(
    ("licence", "outcome"),
    [
        ("CC0: Public Domain", Outcome.DOWNLOADED),
        ("CC-BY-SA-4.0", Outcome.DOWNLOADED),
        ("Attribution 4.0 International (CC BY 4.0)", Outcome.DOWNLOADED),
        ("CC BY-NC-SA 4.0", Outcome.LICENCE_NOT_ALLOWED),
        ("Unknown", Outcome.LICENCE_NOT_ALLOWED),
        ("", Outcome.LICENCE_NOT_ALLOWED),
    ],
)
def test_only_open_licences_are_downloaded(site, tmp_path, licence, outcome):
    """What may not be used is not even asked for."""
    site.add_dataset("ann/wheat", WHEAT, licence=licence)
    [found] = fetch(tmp_path, "ann/wheat/versions/1")
    assert found.outcome is outcome
    assert bool(site.asked("storage")) == (outcome is Outcome.DOWNLOADED)


def test_a_licence_is_allowed_by_name(site, tmp_path):
    """The list given replaces the default."""
    site.add_dataset("ann/wheat", WHEAT, licence="Unknown")
    [found] = fetch(tmp_path, "ann/wheat/versions/1", licences=("unknown",))
    assert (found.outcome, found.licence) == (Outcome.DOWNLOADED, "Unknown")
    assert fetch(tmp_path, "ann/wheat/versions/1")[0].outcome is Outcome.LICENCE_NOT_ALLOWED


def test_the_metadata_that_counts_is_the_one_that_was_checked(site, tmp_path):
    """A data set cannot bring a licence of its own choice in its archive."""
    site.add_dataset("ann/wheat", WHEAT | {"dataset-metadata.json": '{"licenses": [{"name": "MIT"}]}'})
    fetch(tmp_path, "ann/wheat/versions/1")
    stored = json.loads((tmp_path / "datasets/ann/wheat/dataset-metadata.json").read_text())
    assert stored["licenses"] == [{"name": "CC0-1.0"}]


def test_too_large_an_archive_is_not_downloaded(site, tmp_path):
    """Neither is one that would grow too large."""
    site.add_dataset("ann/wheat", WHEAT)
    [found] = fetch(tmp_path, "ann/wheat/versions/1", most_bytes=100)
    assert found.outcome is Outcome.REFUSED
    site.archives["ann/wheat", 1] = zipped({"zeros.bin": bytes(50_000_000)})
    [found] = fetch(tmp_path, "ann/wheat/versions/1", most_bytes=1_000_000)
    assert (found.outcome, (tmp_path / "datasets/ann/wheat").exists()) == (Outcome.REFUSED, False)
    assert "together have more than 1000000 bytes" in found.message


def test_credentials_are_taken_in_the_order_of_kagglehub(site, tmp_path, monkeypatch):
    """A token before name and key, these before the file; nobody's where there are none."""
    site.add_dataset("ann/wheat", WHEAT)
    kinds, headers = [], []

    def look():
        kinds.append(Kaggle().credentials())
        fetch(tmp_path / str(len(kinds)), "ann/wheat/versions/1")
        headers.append(site.asked("GetDataset")[-1][1])

    look()
    folder = tmp_path / "home/.kaggle"
    folder.mkdir()
    (folder / "kaggle.json").write_text('{"username": "file", "key": "k"}')
    look()
    monkeypatch.setenv("KAGGLE_USERNAME", "user")
    monkeypatch.setenv("KAGGLE_KEY", "k")
    look()
    monkeypatch.setenv("KAGGLE_API_TOKEN", "token")
    look()
    assert kinds == ["none", "key", "key", "token"]
    assert headers[0] is None
    assert headers[3] == "Bearer token"
    assert [one.split()[0] for one in headers[1:3]] == ["Basic", "Basic"]
    assert headers[1] != headers[2]
    assert {one[1] for one in site.asked("storage")} == {None}, "storage elsewhere never gets the credentials"


@pytest.mark.usefixtures("site")
def test_a_broken_file_of_credentials_is_named(tmp_path):
    """Not a traceback of the client's."""
    (tmp_path / "home/.kaggle").mkdir()
    (tmp_path / "home/.kaggle/kaggle.json").write_text("{")
    with pytest.raises(BadInput, match=r"kaggle\.json"):
        Kaggle().credentials()
