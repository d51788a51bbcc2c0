# %% [markdown]
# # Two lists of the Titanic
# %%
import pandas as pd

passengers = pd.read_csv("../input/titanic-passenger-list/titanic_all.csv")
aboard = pd.read_stata("../input/titanic-on-board/titanic.dta")
# %%
passengers.groupby(["class", "sex"])["survived"].count().unstack()
# %%
print(len(passengers), len(aboard))
