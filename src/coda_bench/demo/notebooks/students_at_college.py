# %% [markdown]
# # Grades at college
# %%
import pandas as pd

gpa = pd.read_csv("../input/college-grades-and-campus-life/gpa1.csv")
attend = pd.read_csv("../input/college-grades-and-campus-life/attend.csv")
# %%
gpa.groupby("PC")["colGPA"].agg(["size", "mean"]).round(3)
# %%
print("attendance and final:", attend["atndrte"].corr(attend["final"]).round(4))
