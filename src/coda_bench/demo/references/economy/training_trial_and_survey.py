import numpy as np
import pandas as pd

FOLDER = "/data/job-training-programmes"
trial = pd.read_csv(f"{FOLDER}/jtrain2.csv.bz2")
survey = pd.read_csv(f"{FOLDER}/jtrain3.csv.bz2")

# The randomised trial: the plain difference in means is the effect of training.
trained = trial.loc[trial["train"] == 1, "re78"]
untrained = trial.loc[trial["train"] == 0, "re78"]
trial_effect = trained.mean() - untrained.mean()

# The survey compares the same trainees with people who never applied.
trained = survey.loc[survey["train"] == 1, "re78"]
untrained = survey.loc[survey["train"] == 0, "re78"]
naive_difference = trained.mean() - untrained.mean()

# Holding earlier earnings, age, schooling and family status fixed in the survey.
controls = ["re74", "re75", "age", "agesq", "educ", "black", "hisp", "married"]
complete = survey.dropna(subset=["re78", "train", *controls])
design = np.column_stack(
    [
        np.ones(len(complete)),
        complete["train"].to_numpy(dtype=float),
        complete[controls].to_numpy(dtype=float),
    ]
)
outcome = complete["re78"].to_numpy(dtype=float)
coefficients, _, _, _ = np.linalg.lstsq(design, outcome, rcond=None)
adjusted_difference = coefficients[1]

# How unlike the trainees the survey's people are: had they no work at all in 1974?
idle_in_trial = trial["unem74"].mean() * 100
idle_in_survey = survey.loc[survey["train"] == 0, "unem74"].mean() * 100

answers = [trial_effect, naive_difference, adjusted_difference]
parts = [f"{answer:.2f}" for answer in answers]
parts += [f"{idle_in_trial:.1f}%", f"{idle_in_survey:.1f}%"]
print("; ".join(parts))
