# %% [markdown]
# # The same flowers from two places?

# %%
import pandas as pd

a = pd.read_csv("/kaggle/input/datasets/coda-bench-demo/iris-flower-measurements/iris.csv")
b = pd.read_json("/kaggle/input/datasets/coda-bench-demo/biology-chart-samples/iris.json")
print(list(a.columns))
print(list(b.columns))

# %%
b = b[["sepalLength", "sepalWidth", "petalLength", "petalWidth", "species"]]
b.columns = a.columns
differ = (a.iloc[:, :4].values != b.iloc[:, :4].values).any(axis=1)
print("rows that differ:", int(differ.sum()))

# %%
a.groupby("species")["petal_length"].agg(["min", "mean", "max"])

# %%
round(a["petal_length"].corr(a["petal_width"]), 6)
