"""What is wrong with a reference program: no data, made-up data, network, randomness, packages, literal golds."""

import ast
import re
import sys
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import PurePosixPath

from coda_bench.answers.quantities import Number
from coda_bench.answers.spec import AnswerSpec, compile_spec
from coda_bench.answers.text import canonical
from coda_bench.records.audit import AuditFinding, DefectClass
from coda_bench.records.task import Task
from coda_bench.tasks.audit.finding import finding
from coda_bench.tasks.audit.program import Program, Unparsable, name_of, parse
from coda_bench.tasks.audit.shape import printed_parts
from coda_bench.tasks.audit.wording import numbers_in

_READS = re.compile(
    r"(?:^|\.)(?:read_\w+|open|connect|load\w*|genfromtxt|glob|iglob|listdir|walk|imread|scan_\w+|from_file|Path)$"
)
_NETWORK_CALLS = re.compile(r"^(?:requests\.\w+|urllib\.request\.\w+|urlopen|urlretrieve|yf\.download|wget\.download)$")
_SHELL = re.compile(r"\b(?:pip3? install|wget|curl) ")
_MADE_UP = re.compile(
    r"\b(?:dummy|mock|synthetic|fabricated|fake)[ -](?:data\w*|frame\w*|values?|rows?)|\bsimulat\w+ (?:the |a )?"
    r"(?:data|dataframe|dataset|data loading)|mirrors? the structure|mimics?\b|testing environments?|without crashing"
    r"|create (?:the dataset|it|the data) manually|standalone execution",
    re.IGNORECASE,
)
_DRAWS = re.compile(
    r"(?:^|\.)random\.(?!seed$|default_rng$|RandomState$|set_state$)\w+$|^random\.(?!seed$)\w+$|\.sample$|^train_test_split$"
    r"|(?:^|\.)(?:KMeans|MiniBatchKMeans|RandomForest\w+|IsolationForest|shuffle|TSNE|GaussianMixture|ExtraTrees\w+"
    r"|MLP\w+|mutual_info_\w+|StratifiedKFold|KFold)$"
)
_SEEDS = re.compile(r"(?:^|\.)(?:seed|default_rng|RandomState|set_state)$")
_USUAL = frozenset(
    (
        "pandas numpy matplotlib seaborn scipy sklearn statsmodels openpyxl pyarrow xlrd pyreadstat polars duckdb "
        "mpl_toolkits IPython"
    ).split()
)
_DATA_SUFFIXES = frozenset(
    (".csv .tsv .xlsx .xls .json .parquet .feather .sqlite .db .npy .txt .geojson .shp .sql .gz .zip").split()
)
_OUTSIDE = re.compile(r"(?:/|~|\.\./|[a-z]:[\\/])(?!data/[^/]+/full_community/)", re.IGNORECASE)
_SMALLEST_TELLING = 10


def check_code(task: Task) -> Iterator[AuditFinding]:
    """Yield what is wrong with the reference program of a task; it is parsed, never run."""
    if not task.reference_code.strip():
        yield finding(DefectClass.NO_COMPUTATION, task, "there is no reference code")
        return
    try:
        program = parse(task.reference_code)
    except Unparsable as error:
        yield finding(DefectClass.UNPARSABLE_CODE, task, str(error))
        return
    spec = compile_spec(task.answer, task.answer_guidelines, task.question)
    yield from _data(task, program)
    yield from _network(task, program)
    yield from _randomness(task, program)
    yield from _packages(task, program)
    yield from _paths(task, program)
    if (literal := _literal_gold(spec, program)) is not None:
        yield finding(DefectClass.GOLD_LITERAL_IN_CODE, task, literal)
    parts = printed_parts(program)
    n_parts = len(spec.fields) if spec.separator == ";" else 1
    if parts is not None and parts.n != n_parts:
        evidence = f"prints {parts.n} parts ({parts.evidence}), the gold has {n_parts}"
        yield finding(DefectClass.OUTPUT_SHAPE, task, evidence)


def _data(task: Task, program: Program) -> Iterator[AuditFinding]:
    has_read = any(_READS.search(name) for name in program.called)
    n_computed = len(program.calls) - sum(name == "print" for name in map(_called, program.calls))
    if not has_read and n_computed == 0:
        yield finding(DefectClass.NO_COMPUTATION, task, "the program calls nothing but print")
    elif not has_read:
        yield finding(DefectClass.INLINE_DATA, task, "no call reads a file")
    made_up = _MADE_UP.search(program.source)
    is_built = "DataFrame" in {name.rpartition(".")[2] for name in program.called}
    if made_up and (is_built or any("random" in name for name in program.called)):
        yield finding(DefectClass.DUMMY_DATA, task, _line_of(program.source, made_up))


def _called(call: ast.Call) -> str:
    return name_of(call.func)


def _line_of(source: str, found: re.Match[str]) -> str:
    start = source.rfind("\n", 0, found.start()) + 1
    end = source.find("\n", found.end())
    return source[start : end if end >= 0 else len(source)].strip()


def _network(task: Task, program: Program) -> Iterator[AuditFinding]:
    for call in program.calls:
        name = _called(call)
        urls = [
            argument.value
            for argument in [*call.args, *(keyword.value for keyword in call.keywords)]
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
        ]
        reads_url = _READS.search(name) and any(url.startswith(("http://", "https://", "ftp://")) for url in urls)
        if reads_url or _NETWORK_CALLS.match(name) or any(_SHELL.search(url) for url in urls if "system" in name):
            yield finding(DefectClass.NETWORK, task, f"{name}({', '.join(urls)[:200]})")
            return
    if named := [text for text in program.texts if re.match(r"https?://\S+\.(?:csv|xlsx?|json|geojson|zip)$", text)]:
        yield finding(DefectClass.NETWORK, task, named[0])


def _randomness(task: Task, program: Program) -> Iterator[AuditFinding]:
    draws = [call for call in program.calls if _DRAWS.search(_called(call)) and call not in program.handling]
    if not draws:
        return
    is_seeded = any(_SEEDS.search(name) for name in program.called)
    loose = [call for call in draws if not is_seeded and not _has_seed(call)]
    defect = DefectClass.UNSEEDED_RANDOMNESS if loose else DefectClass.SEEDED_RANDOMNESS
    yield finding(defect, task, ", ".join(sorted({_called(call) for call in loose or draws})))


def _has_seed(call: ast.Call) -> bool:
    return any(keyword.arg in {"random_state", "seed"} for keyword in call.keywords)


def _packages(task: Task, program: Program) -> Iterator[AuditFinding]:
    if others := sorted(program.imports - _USUAL - sys.stdlib_module_names):
        yield finding(DefectClass.THIRD_PARTY, task, ", ".join(others))


def _paths(task: Task, program: Program) -> Iterator[AuditFinding]:
    named = [text for text in program.texts if PurePosixPath(text).suffix.lower() in _DATA_SUFFIXES]
    outside = [text for text in named if _OUTSIDE.match(text) and "\n" not in text]
    if outside:
        yield finding(DefectClass.OUTSIDE_PATHS, task, ", ".join(sorted(set(outside))))


def _literal_gold(spec: AnswerSpec, program: Program) -> str | None:
    """Return the gold when every part of it is a literal of the program and one of them is telling."""
    texts = {canonical(text) for text in program.texts}
    numbers = {_decimal(node.value) for node in program.constants if isinstance(node.value, int | float)}
    if spec.text in texts and len(spec.text) > 3:  # noqa: PLR2004 `yes` and `no` are no evidence
        return spec.text
    asked = numbers_in(spec.rules.asked)
    is_telling = False
    for field in spec.fields:
        own = [token.value for token in field.tokens if isinstance(token, Number)]
        if own and len(own) == len(field.tokens):
            if not all(number in numbers for number in own):
                return None
            is_telling = is_telling or any(abs(one) > _SMALLEST_TELLING and one not in asked for one in own)
        elif field.text not in texts:
            return None
    is_long = len("".join(filter(str.isdigit, spec.text)).strip("0")) > 2  # noqa: PLR2004 three digits
    return spec.text if is_telling and (len(spec.fields) > 1 or is_long) else None


def _decimal(value: object) -> Decimal | None:
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return None
