"""What the agent is told: the question, how to answer, where things are, and the deadline."""

from coda_bench.records.run import Setting

_COMMUNITY = """\
The data lies below /data: many data sets, most of them irrelevant to this question. Search it, decide which
files the question is about, and compute the answer from those."""

_ORACLE = """\
The data lies below /data. The answer follows from exactly these files:
{files}"""

_NO_DATA = """\
No data is provided: /data is empty. Answer from what you know as well as you can."""

_TEMPLATE = """\
Answer a question about data.

Question:
{question}

How the answer must be written:
{guideline}

{data}

/data is read-only and there is no network. Put the answer, and nothing but the answer, into
/workspace/result.txt. You have {minutes} from the start; what stands in that file then is your answer,
so write it as soon as you have one and improve it later.
"""


def task_prompt(
    question: str, guideline: str, *, setting: Setting, files: tuple[str, ...] = (), time_s: float = 600
) -> str:
    """Return the text given to the agent, which starts in `/`.

    Args:
        question: the task's question, as it is.
        guideline: the task's answer guideline, as it is.
        setting: what the agent is told about the data.
        files: exact paths inside the sandbox, for the oracle setting.
        time_s: wall clock of the attempt.
    """
    data = {Setting.COMMUNITY: _COMMUNITY, Setting.ORACLE: _ORACLE, Setting.NO_DATA: _NO_DATA}[setting]
    listed = "\n".join(f"- {path}" for path in files)
    return _TEMPLATE.format(
        question=question.strip(),
        guideline=guideline.strip(),
        data=data.format(files=listed),
        minutes=_duration(time_s),
    )


def _duration(seconds: float) -> str:
    if seconds >= 120 and seconds % 60 == 0:  # noqa: PLR2004  # below two minutes seconds read better
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds:g} seconds"
