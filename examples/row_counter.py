"""A program as an agent: answers with the number of rows of the largest CSV file.

It runs inside the sandbox, one process per task:

    coda-bench run --release RELEASE --agent command --agent-arg script=examples/row_counter.py
"""

from pathlib import Path

task = Path("/workspace/task_description.txt").read_text()
csv_files = sorted(Path("/data").rglob("*.csv"), key=lambda path: (path.stat().st_size, path))
rows = len(csv_files[-1].read_text(errors="replace").splitlines()) - 1 if csv_files else 0
Path("/workspace/result.txt").write_text(str(rows) if "how many" in task.lower() else "Not Applicable")
