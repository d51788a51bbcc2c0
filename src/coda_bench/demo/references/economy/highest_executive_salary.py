import pandas as pd

executives = pd.read_excel("/data/executive-and-faculty-pay/ceosal2.xlsx")
print(int(executives["salary"].max()))
