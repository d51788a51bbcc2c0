# %% [markdown]
# # From school to campus
# %%
import pandas as pd

campus = pd.read_csv("../input/college-grades-and-campus-life/campus.csv")
meap = pd.read_csv("../input/school-spending-and-test-scores/meap01.csv")
econ = pd.read_csv("../input/college-grades-and-campus-life/econmath.csv")
# %%
print("crimes per thousand students:", (1000 * campus["crime"].sum() / campus["enroll"].sum()).round(2))
# %%
econ.groupby("econhs")["score"].mean().round(2)
# %%
print("fourth graders who pass:", meap["math4"].mean().round(2))
