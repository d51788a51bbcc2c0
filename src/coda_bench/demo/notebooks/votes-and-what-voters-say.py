# %% [markdown]
# # Votes and what voters say

# %%
import pandas as pd

vote = pd.read_csv("../input/elections-and-approval/vote1.csv")
survey = pd.read_csv("../input/voters-and-marriages/src/anes96.csv", sep=" ")

# %%
print("districts:", len(vote), "respondents:", len(survey))
vote[["voteA", "shareA"]].corr().iloc[0, 1].round(4)

# %%
winners = vote[vote["voteA"] > 50]
print(f"candidate A wins {len(winners)} of {len(vote)} districts, {100 * len(winners) / len(vote):.1f} %")

# %%
survey.groupby("educ")["vote"].mean().mul(100).round(1)

# %%
pd.crosstab(survey["PID"], survey["vote"], normalize="index").round(3)
