# %% [markdown]
# # Two kinds of survival: patients and prisoners

# %%
import pandas as pd

lung = pd.read_csv("../input/survival-cohorts/lung.csv")
rossi = pd.read_csv("../input/durations-and-censoring/rossi.csv")

# %%
lung["dead"] = (lung["status"] == lung["status"].max()).astype(int)
lung.groupby("sex")[["time", "dead"]].agg({"time": "median", "dead": "mean"}).round(3)


# %%
def kaplan_meier(time, event):
    table = pd.DataFrame({"t": time, "d": event}).groupby("t")["d"].agg(["sum", "count"])
    at_risk = table["count"][::-1].cumsum()[::-1]
    return (1 - table["sum"] / at_risk).cumprod()


curve = kaplan_meier(lung["time"], lung["dead"])
print("median survival in days:", int(curve[curve <= 0.5].index[0]))

# %%
rossi.groupby("fin")["arrest"].mean().round(4)

# %%
print(f"{rossi['arrest'].sum()} of {len(rossi)} were arrested again within a year")
