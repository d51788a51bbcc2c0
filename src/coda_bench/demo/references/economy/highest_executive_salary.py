import openpyxl

book = openpyxl.load_workbook("/data/executive-and-faculty-pay/ceosal2.xlsx", read_only=True)
header, *executives = book.active.iter_rows(values_only=True)
column = header.index("salary")
print(max(executive[column] for executive in executives))
