import pandas as pd

passengers = pd.read_csv("/data/titanic-passenger-list/titanic_all.csv")
on_board = pd.read_stata("/data/titanic-on-board/titanic.dta")

passenger_rate = passengers["survived"].mean() * 100
overall_rate = (on_board["survived"].astype(str) == "yes").mean() * 100
print(f"{passenger_rate - overall_rate:.2f}")
