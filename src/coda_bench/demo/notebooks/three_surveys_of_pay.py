# %% [markdown]
# # Three surveys, one question
# %%
from pathlib import Path
import pandas as pd

base = Path("/kaggle/input")
surveys = {
    "cps": base / "cps-wage-surveys" / "wage1.csv",
    "young men": base / "wages-ability-and-schooling" / "wage2.csv",
    "engineers": base / "cps-wage-surveys" / "engin.csv",
}
tables = {name: pd.read_csv(path) for name, path in surveys.items()}
# %%
rows = {name: {"people": len(table), "school": table["educ"].mean(), "wage": table["wage"].median()}
        for name, table in tables.items()}
pd.DataFrame(rows).T.round(2)
# %%
mroz = pd.read_csv(base / "married-women-at-work" / "mroz.csv")
print("correlation of school and log pay among wives:", round(mroz["educ"].corr(mroz["lwage"]), 4))
