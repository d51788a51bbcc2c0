"""The page as a reader, a browser and a screen reader get it."""

import csv
import io
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest

from coda_bench.analyse.report import write_report
from coda_bench.records.attempt import Usage


@pytest.fixture
def runs(bench):
    """Return a perfect run and one with every kind of trouble."""
    bench.write_release()
    good = bench.write_run("reference", [bench.attempt(id_) for id_ in range(6)])
    unsure = bench.access(["set4/table4.csv"], complete=False)
    bad = [
        bench.attempt(0, answer="7.7", file_access=bench.access(["set0/table0.csv", "set5/table5.csv"])),
        bench.attempt(1, status="sandbox_lost", answer="", file_access=None, error="bwrap was killed"),
        bench.attempt(2, status="no_answer", answer="", file_access=bench.access(())),
        bench.attempt(3, usage=Usage(turns=4, input_tokens=10, output_tokens=5)),
        bench.attempt(
            4, status="limit_time", answer="", file_access=unsure, error="time limit 600 s reached after 600.2 s"
        ),
    ]
    return [bench.write_run("react", bad, model="some/model", message_limit=30), good]


@pytest.fixture
def page(bench, runs, parse):
    """Return the parsed report of both runs."""
    return parse(write_report(runs, bench.release, bench.root / "r.html").read_text())


def _rows(page, section: str) -> dict[str, list[str]]:
    """Return the first table after a heading text as rows by first cell."""
    region = page.all("div", **{"aria-label": section})[0]
    inside = page.elements[page.elements.index(region) + 1 :]
    rows: dict[str, list[str]] = {}
    for element in inside:
        if element["tag"] == "div":
            break
        if element["tag"] == "th" and element.get("scope") == "row":
            cells = rows.setdefault(element["text"], [])
        elif element["tag"] == "td":
            cells.append(element["text"])
    return rows


def test_rates_with_denominators_and_intervals(page):
    """Each rate says percent, fraction and interval; the better agent comes first."""
    rows = _rows(page, "Rates of each agent")
    assert list(rows) == ["reference", "react (some/model)"]
    assert rows["reference"][0] == "100.0 %6/661.0\u2013100.0"
    assert rows["react (some/model)"][0] == "16.7 %1/63.0\u201356.4"


def test_discovery_denominator_leaves_out_the_unmeasured(page):
    """The attempt whose tracker lost events leaves DA's denominator; lost and missing attempts do not."""
    assert _rows(page, "Rates of each agent")["react (some/model)"][1].split("%")[1].startswith("1/5")


def test_hard_subset_has_its_own_table(page):
    """Hard tasks 1 and 2 are counted for themselves."""
    assert _rows(page, "Rates on the Hard subset")["reference"][0].startswith("100.0 %2/2")


def test_machine_failures_are_shown_aloud(page):
    """The first notice names the agent, its failures and its missing attempts."""
    notice = page.all("div", class_="bad")[0]["text"]
    assert "react (some/model): 1 of 6 attempts ended by machine failure (sandbox lost 1); 1 of 6" in notice
    assert "reference" not in notice


def test_no_notice_without_trouble(bench, runs, parse):
    """A run that went well is not decorated with a warning."""
    page = parse(write_report(runs[1:], bench.release, bench.root / "r.html").read_text())
    assert page.all("div", class_="bad") == []


def test_unknown_cost_says_unknown(page):
    """The run with an attempt of unknown price has no total; the other one has."""
    rows = _rows(page, "Effort of each agent")
    assert rows["reference"][2] == "$0.00"
    assert rows["react (some/model)"][2] == "unknown (1 attempts)"


def test_matrix_signs_differ_without_colour(page):
    """Right, wrong, no answer, machine failure and missing have signs of their own."""
    cells = {id_: text for name in ("trade", "farms") for id_, text in _matrix(page, name).items()}
    assert [cells[id_] for id_ in range(6)] == ["✕", "!", "\u2013", "✓", "\u2013", "?"]


def _matrix(page, community: str) -> dict[int, str]:
    region = next(e for e in page.all("div", class_="scroll") if e["aria-label"].startswith(f"{community}, tasks"))
    inside = page.elements[page.elements.index(region) + 1 :]
    ids = [int(e["text"]) for e in inside if e["tag"] == "th" and e.get("scope") == "col" and e["text"].isdigit()]
    signs = [e["text"] for e in inside if e["tag"] == "td" and e.get("title", "").startswith("react")]
    return dict(zip(ids[:3], signs[:3], strict=True))


def test_cells_tell_question_and_answer(page):
    """Pointing at a cell shows what was asked and answered."""
    told = next(e["title"] for e in page.all("td", class_="w"))
    assert told.splitlines() == [
        "react (some/model), task 0: wrong value",
        "Question 0: what is the mean yield of plot 0?",
        "answered: 7.7",
    ]


def test_page_needs_nothing_else(page):
    """No script, no address outside the page: only anchors and data in the page itself."""
    assert not [e for e in page.elements if e["tag"] in ("script", "link", "img", "iframe", "object")]
    links = [e["href"] for e in page.elements if "href" in e] + [e["src"] for e in page.elements if "src" in e]
    assert {link.split(":")[0] if ":" in link else link[0] for link in links} == {"data", "#"}


def test_anchors_lead_somewhere_and_ids_are_unique(page):
    """Every inner link has its target, and no id stands twice, those of the drawings included."""
    ids = Counter(e["id"] for e in page.elements if "id" in e)
    assert [id_ for id_, n in ids.items() if n > 1] == []
    anchors = {e["href"][1:] for e in page.all("a") if e["href"].startswith("#")}
    assert anchors <= ids.keys()


def test_drawings_are_announced(page):
    """Each drawing has a title and a description with the figures in words."""
    drawings = page.all("svg")
    assert len(drawings) == 4
    for drawing in drawings:
        title, description = drawing["aria-labelledby"].split()
        assert page.text(title)
        assert "reference" in page.text(description)
    assert "EA 100% (6 of 6)" in page.text("rates-wide-desc")


def test_drawings_use_the_colours_of_the_page(bench, runs):
    """No colour of matplotlib's is left: light and dark follow the style sheet."""
    html = write_report(runs, bench.release, bench.root / "r.html").read_text()
    drawings = html[html.index("<svg") : html.rindex("</svg>")]
    assert "var(--blue)" in drawings
    assert "#0102" not in drawings
    assert "#000000" not in drawings


def test_every_picture_has_caption_and_data(page):
    """Captions state n and what is excluded; the data reads back."""
    captions = [e["text"] for e in page.all("figcaption")]
    assert len(captions) == 3
    assert all("n = " in text and "xcluded" in text and "nterval" in text for text in captions)
    saved = {e["download"]: _saved(e["href"]) for e in page.all("a", class_="csv")}
    assert saved["rates.csv"][1][:4] == ["reference", "EA", "6", "6"]
    assert saved["tasks.csv"][1] == ["0", "trade", "right", "wrong value"]
    assert saved["files_opened.csv"][1:3] == [
        ["reference", "0", "1", "1", "1", "1", "True"],
        ["reference", "1", "1", "2", "2", "2", "True"],
    ]


def _saved(href: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(unquote(href.split(",", 1)[1]))))


def test_settings_shared_and_different(page):
    """What all runs share stands once; model and limits stand where they differ."""
    shared, different = _rows(page, "Shared settings"), _rows(page, "Settings that differ")
    assert shared["memory limit"] == ["4,096 MB"]
    assert shared["sandbox"] == ["bubblewrap 0.11.0"]
    assert "some/model" in different["react (some/model)"]


def test_golds_are_announced(page):
    """A page with golds says so where nobody can miss it."""
    assert any("do not publish" in e["text"] for e in page.all("p", class_="notice"))


def test_without_golds_no_gold_answer_or_target_is_left(bench, parse):
    """Right answers are golds too: no answer, no target path and no gold stands anywhere in the page."""
    release = bench.write_release()
    bench.tasks[0] = bench.tasks[0].model_copy(update={"answer": "gold-of-zero"})
    bench.write_release()
    access = bench.access(["set0/table0.csv"])  # the target of task 0 is a look-alike to task 2
    looked = bench.attempt(2, file_access=access)
    run = bench.write_run("a", [bench.attempt(0), bench.attempt(1, answer="shown-by-agent"), looked])
    shown = write_report([run], release, bench.root / "with.html").read_text()
    hidden = write_report([run], release, bench.root / "without.html", with_golds=False).read_text()
    for secret in ("gold-of-zero", "shown-by-agent", "set0/table0.csv"):
        assert secret in shown
        assert secret not in hidden
    assert any("left out" in e["text"] for e in parse(hidden).all("p", class_="notice"))


def test_equal_runs_give_equal_bytes(bench, runs):
    """The report holds no clock and no random number."""
    one = write_report(runs, bench.release, bench.root / "1.html").read_bytes()
    assert one == write_report(runs[::-1], bench.release, bench.root / "2.html").read_bytes()


HOSTILE = "</td></table><script>alert(1)</script>\u202egnp.exe\x00\x1b[31m" + "A" * 1_000_000


def test_hostile_texts_stay_text(bench, parse):
    """Answers, errors, labels and file names of an agent cannot add elements, reorder or swell the page."""
    release = bench.write_release()
    access = bench.access(["set0/table0.csv", '<img src=x onerror="alert(1)">.csv'])
    attempts = [
        bench.attempt(0, answer=HOSTILE, file_access=access),
        bench.attempt(1, status="agent_failed", answer="", error=HOSTILE),
    ]
    run = bench.write_run("bad", attempts, agent='<b onclick="x">$\\frac{1}{2}$</b>\u202e 数据')
    html = write_report([run], release, bench.root / "r.html").read_text()
    page = parse(html)
    assert not page.all("script")
    assert not page.all("img")
    assert not [e for e in page.elements if any(name.startswith("on") for name in e)]
    assert not {"\u202e", "\x00", "\x1b"} & set(html)
    assert "(1,000,0" in page.text("answers")
    assert len(html) < 400_000


def test_run_without_any_attempt(bench, parse):
    """Before the first attempt there is still a page: all missing, nothing measured."""
    release = bench.write_release()
    page = parse(write_report([bench.write_run("a", [], scores=False)], release, bench.root / "r.html").read_text())
    assert "No run in this report has been scored yet" in page.all("p", class_="lede")[0]["text"]
    assert "6 of 6 attempts are missing" in page.all("div", class_="bad")[0]["text"]
    assert _rows(page, "Rates of each agent")["a"] == ["not measured"] * 8
    assert len(page.all("td", class_="q")) == 6


def test_release_without_targets(bench, parse):
    """Without targets EA is reported, DA is not measured, and the picture of files gives way to a sentence."""
    release = bench.write_release(targets=False, hard=())
    run = bench.write_run("a", [bench.attempt(id_) for id_ in range(6)])
    page = parse(write_report([run], release, bench.root / "r.html").read_text())
    assert _rows(page, "Rates of each agent")["a"][1] == "not measured"
    assert "6 without known targets" in page.text("files")
    assert page.all("div", **{"aria-label": "Rates on the Hard subset"}) == []


def test_part_of_the_tasks(bench, parse):
    """Only the tasks that some run was given are shown; the ones of the other run are marked as outside."""
    release = bench.write_release()
    one = bench.write_run("one", [bench.attempt(0)], planned=[0])
    two = bench.write_run("two", [bench.attempt(2)], planned=[2])
    page = parse(write_report([one, two], release, bench.root / "r.html").read_text())
    assert [e["id"] for e in page.all("th") if "id" in e] == ["task-0", "task-2"]
    assert len(page.all("td", class_="o")) == 2


def test_the_full_benchmark_stays_a_page(tmp_path, bench, parse):
    """1,009 tasks by four agents: every cell is there, hover text is kept to the headings, the page is light."""
    large = type(bench)(tmp_path / "large", n_tasks=1009, files=300)
    release = large.write_release()
    attempts = [large.attempt(id_) for id_ in range(1009)]
    runs = [large.write_run(f"agent{k}", attempts) for k in range(4)]
    written = write_report(runs, release, Path(tmp_path) / "r.html")
    page = parse(written.read_text())
    assert written.stat().st_size < 3_000_000
    assert len(page.all("table", class_="matrix")) == 15 + 14  # 505 and 504 tasks, 36 a line
    assert len(page.all("td", class_="r")) == 1009 * 4
    assert not [e for e in page.all("td", class_="r") if "title" in e]


def test_marks_are_spoken(page):
    """A screen reader hears the outcome that the sign stands for."""
    spoken = {e["aria-label"] for e in page.all("span", role="img")}
    assert {"right", "wrong value", "no answer", "machine failure", "missing"} <= spoken


def test_setting_with_hints_is_not_called_blind(bench, parse):
    """Only runs in the community setting are said to have had no file named."""
    release = bench.write_release()
    blind = bench.write_run("blind", [bench.attempt(0)])
    told = bench.write_run("told", [bench.attempt(0)], setting="oracle")
    header = {
        runs: parse(write_report(runs, release, bench.root / "r.html").read_text()).all("header")[0]["text"]
        for runs in ((blind,), (blind, told))
    }
    assert "names no file" in header[blind,]
    assert "names no file" not in header[blind, told]


def test_keys_are_not_shown(bench, parse):
    """Settings named like a key, token or header of authorisation are hidden; others, nested too, are shown."""
    release = bench.write_release()
    secrets = {"api_key": "sk-1", "max_tokens": 512, "headers": {"Authorization": "Bearer sk-2", "X-Trace": "on"}}
    run = bench.write_run("a", [bench.attempt(0)], model="m", model_args=secrets, agent_args={"hf_token": "sk-3"})
    page = parse(write_report([run], release, bench.root / "r.html").read_text())
    told = page.text("settings")
    assert "sk-" not in told
    assert "api_key (hidden), headers (Authorization (hidden), X-Trace on), max_tokens 512" in told
