# %% [markdown]
# # Crime and unemployment in cities
# %%
import pandas as pd

crime = pd.read_csv("../input/crime-and-justice/crime2.csv")
crime.groupby("year")[["crmrte", "unem"]].mean().round(3)
# %%
print("crime and police:", crime["crmrte"].corr(crime["polpc"]).round(4))
