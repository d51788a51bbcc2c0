# %% [markdown]
# # From the web
# %%
import pandas as pd

local = pd.read_csv("../input/west-coast-weather/seattle-temps.csv")
web = pd.read_csv("https://example.org/weather.csv")
print(len(local), len(web))
