"""Golds of every kind, invented, so that the tests need no released file."""

from typing import NamedTuple


class Gold(NamedTuple):
    """A gold with what is asked."""

    answer: str
    guideline: str = ""
    question: str = ""


GOLDS = (
    Gold("42", "Answer must be a single integer.", "How many orders were late?"),
    Gold("-7", "An integer; negative values mean a loss."),
    Gold("1,284", "An integer formatted with commas (e.g., 10,000)."),
    Gold("90210", "An integer without commas."),
    Gold("3.14", "Round to 2 decimal places."),
    Gold("-0.0047", "Rounded to 4 decimal places."),
    Gold("6.5e-07", "The p-value exactly as produced, in scientific notation if present."),
    Gold("0.00032015252776520446", "The p-value exactly as produced."),
    Gold("0.0000", "The p-value rounded to 4 decimal places."),
    Gold("38%", "An integer percentage formatted as 'XX%'."),
    Gold("0.5%", "A percentage rounded to 1 decimal place (e.g., 12.3%)."),
    Gold("57.07", "The rate in percent without a percent sign, rounded to 2 decimal places."),
    Gold("$46.99", "The price including the '$' symbol."),
    Gold("122.07K", "In thousands with a 'K' suffix, rounded to 2 decimal places."),
    Gold("1.6 million", "Include the unit 'million', truncated to one decimal place."),
    Gold("9 hours", "The duration with its unit (e.g., '12 hours')."),
    Gold("80-125 minutes", "Format 'min-max minutes'."),
    Gold("24% to 78%", "Format 'low% to high%'."),
    Gold(">900%", "The threshold in the form '>N%'."),
    Gold("2020-03-19", "A date in YYYY-MM-DD format."),
    Gold("November 24, 2017", "Month Day, Year."),
    Gold("7:00 AM", "The hour in the form 'H:MM AM/PM'."),
    Gold("September", "The full name of the month."),
    Gold("Saturday", "The name of the weekday."),
    Gold("2013", "The year."),
    Gold("2013/2014", "The season."),
    Gold("Yes", "Answer 'Yes' or 'No'."),
    Gold("Stationary", "'Stationary' or 'Non-Stationary'."),
    Gold("South Dakota", "The full name of the state."),
    Gold("São Paulo", "The city."),
    Gold("TV-MA; TV-14; R", "The three ratings in descending order of frequency, separated by semicolons."),
    Gold("South Dakota; 289", "Format: State; Count.", "Which state has the fewest, and how many?"),
    Gold("India; 74,341; 2.7%", "Format: Country; Count; Share. Count with commas, share to one decimal place."),
    Gold("106; 93", "Two integers separated by a semicolon: [Count for O]; [Count for A]."),
    Gold("37.2851; -5.3445", "Format: intercept; slope. Round to 4 decimal places."),
    Gold("Male: 88%; Female: 12%", "Format: 'Male: [Integer]%; Female: [Integer]%'."),
    Gold("Red: 1.8-2.4; Orange: 2.5-3.4", "Format 'Color: Min-Max', in the order Red, Orange; one decimal place."),
    Gold("Accepted: 360 (85%); Not Accepted: 63 (15%)", "Format: 'Accepted: Count (Percentage%); ...'."),
    Gold("Croatia, Denmark, France; 84%", "Countries separated by commas in alphabetical order; Percentage."),
    Gold("0.0171; No", "Format: [p-value]; [Yes/No]. The p-value must be rounded to 4 decimal places."),
    Gold("Medium HDI & Lower middle income; 329699; 64%", "Format: 'Scale & Category; Total; Percentage%'."),
    Gold("Microsoft: 0.00032; Google: 0.00007; Conclusion: Not random walks", "Decimals to 5 places."),
    Gold("The mean is greater than the threshold; 17", "Format: 'Conclusion; Threshold'."),
)
