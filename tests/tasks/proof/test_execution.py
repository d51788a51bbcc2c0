"""Running cells: what is displayed comes back as values with labels, and nothing a notebook does gets out."""

import time

import pytest

from coda_bench.records.anchor import Place, StatementId
from coda_bench.tasks.anchors.parts import parts
from coda_bench.tasks.execution.execute import CellSource, Conditions, Job, execute
from coda_bench.tasks.execution.room import Room

READ = 'import pandas as pd\nbirds = pd.read_csv("../input/penguins/birds.csv")'


def shown(ran, cell):
    """Return (role, source, label, value) of each note of single values in a cell."""
    notes = ran.cell(cell).notes
    return [(note.site.role, note.site.source, note.site.label, note.value.get("value")) for note in notes]


def test_the_last_expression_of_a_cell_is_noted_with_its_source(run):
    assert shown(run(READ, 'birds["mass"].mean()'), 2) == [
        ("result", 'birds["mass"].mean()', "", ["f", pytest.approx(4077.5)])
    ]


def test_a_semicolon_keeps_the_last_expression_from_being_shown(run):
    assert run("x = 3\nx;").cell(1).notes == ()


def test_arguments_of_print_and_values_in_texts_are_noted_with_the_text_before_them(run):
    ran = run('x = 2.5\nprint("x is", x)\nprint(f"twice: {2 * x:.1f}, half: {x / 2}")\nprint("%d and %s" % (3, x))')
    assert [(role, source, label) for role, source, label, _ in shown(ran, 1)] == [
        ("argument", "x", "x is"),
        ("part", "2 * x", "twice: "),
        ("part", "x / 2", ", half: "),
        ("part", "x", ""),
    ]


def test_texts_put_together_by_plus_str_and_format_are_taken_apart(run):
    ran = run('n = 7\nprint("n = " + str(n) + "!")\nprint("{} of {total}".format(n, total=n + 1))')
    assert [(source, value[1]) for _, source, _, value in shown(ran, 1)] == [("n", 7), ("n", 7), ("n + 1", 8)]


def test_what_is_displayed_in_a_loop_or_a_function_is_told_apart_by_occurrence(run):
    ran = run("def show(value):\n    print(value * 2)\n\nfor one in [1, 2, 3]:\n    show(one)")
    assert [(note.occurrence, note.value["value"][1]) for note in ran.cell(1).notes] == [(0, 2), (1, 4), (2, 6)]
    assert ran.note(Place(cell=1, position=0, number=0, occurrence=2)).value["value"] == ["i", 6]


def test_a_value_is_noted_as_it_is_then_not_as_it_becomes(run):
    ran = run("items = [1]\nprint(items)\nitems.append(2)")
    assert [part.value for part in parts(ran.cell(1).notes[0].value)] == [("i", 1)]


def test_tables_come_back_with_the_labels_of_rows_and_columns(run):
    ran = run(READ, 'birds.groupby(["species", "island"])["mass"].agg(["mean", "size"])')
    found = {(part.path[0].label, part.path[1].label): part.value for part in parts(ran.cell(2).notes[0].value)}
    assert found[("m", (("s", "Adelie"), ("s", "Dream"))), ("s", "mean")] == ("f", 3800.0)
    assert found[("m", (("s", "Gentoo"), ("s", "Biscoe"))), ("s", "size")] == ("i", 3)


def test_only_the_statements_that_are_kept_are_run(run):
    ran = run("a = 1\nb = a + 1\nb", keep=frozenset({StatementId(1, 1), StatementId(1, 2)}))
    assert ran.trouble == "cell 1: NameError: name 'a' is not defined"


def test_a_job_ends_at_its_first_error_with_what_was_displayed_until_then(run):
    ran = run("print(41 + 1)", "1 / 0", "print(3)")
    assert ran.cell(1).notes[0].value["value"] == ["i", 42]
    assert [one.cell for one in ran.cells] == [1, 2]
    assert ran.trouble == "cell 2: ZeroDivisionError: division by zero"


def test_a_cell_that_is_no_python_ends_the_job_and_says_so(run):
    assert "cell 1: SyntaxError" in run('print "Python 2"').trouble


def test_magics_are_no_code_and_lines_keep_their_numbers(run):
    ran = run("%matplotlib inline\n!ls\nx = 4\nx?\nx")
    assert [note.site.line for note in ran.cell(1).notes] == [5]


def test_no_job_sees_what_another_left_in_the_interpreter_or_in_its_folder(room, environment):
    leaves = "import builtins, math\nbuiltins.left = 1\nmath.pi = 3\nopen('left.txt', 'w').write('x')\nx = 1"
    looks = "import math, os\nprint(math.pi > 3.1, os.path.exists('left.txt'), 'x' in globals())"
    jobs = [Job("one", [CellSource(1, leaves)]), Job("two", [CellSource(1, looks)])]
    done = execute(jobs, room, environment).jobs
    assert done["one"].trouble == ""
    assert done["two"].cell(1).stdout == "True False False\n"


def test_the_files_a_statement_reads_are_known_relative_to_the_data(room, environment):
    job = Job("job", [CellSource(1, READ), CellSource(2, 'open("/kaggle/input/islands/areas.csv").read()')])
    done = execute([job], room, environment)
    assert done.watched
    assert done.opened == {"penguins/birds.csv", "islands/areas.csv"}
    assert done.jobs["job"].cell(1).files == ((1, "/data/penguins/birds.csv", "r"),)


def test_data_is_found_where_kaggle_shows_it(run):
    places = ("../input/islands", "/kaggle/input/islands", "/kaggle/input/datasets/owner/islands", "/data/islands")
    ran = run(f"import os\nprint([os.listdir(place) for place in {places}])")
    assert ran.cell(1).stdout == f"{[['areas.csv']] * len(places)}\n"


def test_files_beside_a_notebook_are_found_from_its_own_folder(data, run):
    beside = Room(data, {}, folder="penguins")
    ran = run('print(open("birds.csv").readline(), open("../islands/areas.csv").readline())', room=beside)
    assert ran.cell(1).stdout == "species,island,mass,year\n island,area\n\n"


def test_to_write_over_a_file_that_was_read_fails_and_the_data_stays(data, run):
    before = (data / "penguins/birds.csv").read_bytes()
    ran = run(READ + '\nbirds.to_csv("../input/penguins/birds.csv")')
    assert "Read-only file system" in ran.trouble
    assert (data / "penguins/birds.csv").read_bytes() == before


def test_an_output_of_an_earlier_run_may_be_written_anew_and_the_data_stays(data, run):
    before = (data / "penguins/birds.csv").read_bytes()
    ran = run('open("birds.csv", "w").write("new")\nprint(open("birds.csv").read())', room=Room(data, {}, "penguins"))
    assert (ran.trouble, ran.cell(1).stdout) == ("", "new\n")
    assert (data / "penguins/birds.csv").read_bytes() == before


def test_the_clock_can_be_put_forward_without_breaking_the_types_of_times(room, environment):
    source = (
        "import datetime, time\nimport pandas as pd\n"
        "moment = pd.Timestamp('2020-01-01').to_pydatetime()\n"
        "print(time.time(), datetime.datetime.now().timestamp(), pd.Timestamp.now().timestamp())\n"
        "print(isinstance(moment, datetime.datetime), isinstance(moment, datetime.date))"
    )
    job = Job("job", [CellSource(1, source)])
    done = execute([job], room, environment, Conditions(clock_s=1e7)).jobs["job"]
    assert done.trouble == ""
    told, kinds = done.cell(1).stdout.splitlines()
    assert all(abs(float(one) - time.time() - 1e7) < 3600 * 26 for one in told.split())
    assert kinds == "True True"


@pytest.mark.parametrize(("how", "mean"), [("rows", 4025.0), ("few", 3625.0), ("values", 8166.0)])
def test_tables_are_changed_as_they_are_read_when_that_is_asked_for(run, how, mean):
    ran = run(READ, 'birds["mass"].mean()', perturb=how)
    assert ran.cell(2).notes[0].value["value"][1] == pytest.approx(mean, rel=1e-6)
    assert ran.reached == 1


@pytest.mark.parametrize(
    ("source", "ended"),
    [
        ("while True:\n    pass", "ended by timeout"),
        ("import os\nos._exit(0)", ""),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "ended by killed"),
        ("import time\ntime.sleep(1000)", "ended by timeout"),
        ("import sys\nsys.exit(3)", "cell 2: SystemExit: 3"),
        ("raise KeyboardInterrupt", "cell 2: KeyboardInterrupt:"),
    ],
)
def test_a_job_that_does_not_end_well_keeps_the_cells_before(run, source, ended):
    ran = run("print(1)", source, limit_s=4.0)
    assert ran.cells[0].cell == 1
    assert ran.trouble == ended


def test_printing_without_end_costs_what_is_over_a_megabyte(run):
    ran = run("for _ in range(30):\n    print('x' * 100_000)\nprint(7)")
    assert ran.trouble == ""
    assert len(ran.cell(1).stdout) <= 1 << 20


def test_what_a_notebook_sees_of_the_host_is_nothing(run):
    ran = run(
        "import os, socket\n"
        "print(os.path.exists('/work'), os.path.exists('/root/.bashrc'), os.path.exists('/etc/shadow'))\n"
        "try:\n    socket.create_connection(('1.1.1.1', 80), 2)\nexcept OSError as error:\n    print('closed')"
    )
    assert ran.cell(1).stdout == "False False False\nclosed\n"


def test_results_that_a_notebook_wrote_over_count_for_nothing(run):
    ran = run(
        "print(5)",
        "import glob\nfor path in glob.glob('/workspace/.results/*'):\n    open(path, 'w').write('{}\\nnot json\\n')\n",
        "print(6)",
    )
    assert ran.cell(1) is None


def test_the_error_that_a_notebook_stored_is_gone_on_after_and_no_other(room, environment):
    def ran(stored):
        cells = [CellSource(1, "1 / 0", stored), CellSource(2, "print(8)")]
        return execute([Job("job", cells)], room, environment).jobs["job"]

    assert (ran("ZeroDivisionError").trouble, ran("ZeroDivisionError").cell(2).stdout) == ("", "8\n")
    assert (ran("KeyError").trouble, ran("KeyError").cell(2)) == ("cell 1: ZeroDivisionError: division by zero", None)


def test_what_a_notebook_imports_of_ipython_to_display_things_is_there(run):
    ran = run(
        "from IPython.display import display, HTML\nfrom IPython.core.interactiveshell import InteractiveShell\n"
        "InteractiveShell.ast_node_interactivity = 'all'\nget_ipython().run_line_magic('matplotlib', 'inline')\n"
        "x = 5\ndisplay(x)\nHTML('<b>')"
    )
    assert ran.trouble == ""
    assert ran.cell(1).notes[0].value["value"] == ["i", 5]
