# %% [markdown]
# # Do training programmes pay?
# The experiment, the same programme against survey controls, and the survey itself.

# %%
from pathlib import Path

import pandas as pd

INPUT = Path("../input")
nsw = pd.read_stata(INPUT / "causal-labour-samples" / "nsw_mixtape.dta")
jtrain = pd.read_csv(INPUT / "job-training-programmes" / "jtrain2.csv.bz2")
panel = pd.read_csv(INPUT / "cps-wage-surveys" / "panels" / "wagepan.csv.bz2")

# %%
effect = nsw.groupby("treat")["re78"].mean()
print(f"Effect in the experiment: {effect[1] - effect[0]:.2f} dollars a year")

# %%
jtrain.groupby("train")[["re74", "re75", "re78"]].mean().round(3)

# %%
jtrain.groupby("train")["unem78"].mean().mul(100).round(1)

# %%
by_year = panel.groupby("year")["lwage"].mean()
growth = by_year.iloc[-1] - by_year.iloc[0]
print("men in the panel:", panel["nr"].nunique())
print("growth of log wages, first to last year: %.4f" % growth)
