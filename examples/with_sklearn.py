"""evenhand inside scikit-learn: one import changed, a search, folds, a picture.

python examples/with_sklearn.py [FOLDER]      needs pip install 'evenhand[sklearn,plot]'
"""

import sys
from pathlib import Path

from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold, train_test_split

import evenhand as eh

# from sklearn.metrics import classification_report, f1_score
from evenhand.bridges.sklearn import (
    classification_report,
    cross_validated,
    f1_score,
    scorer,
)

X, y = make_classification(
    900, 12, n_informative=5, n_classes=3, weights=[0.75, 0.2, 0.05], random_state=7
)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

# A search by the other macro F1, with MCC and accuracy beside it, counted once.
search = GridSearchCV(
    LogisticRegression(max_iter=1000),
    {"C": [0.01, 0.1, 1, 10], "class_weight": [None, "balanced"]},
    scoring=scorer(["f1_of_averages", "macro_f1", "mcc", "accuracy"]),
    refit="f1_of_averages",
).fit(X_train, y_train)
print("best by f1_of_averages:", search.best_params_, round(search.best_score_, 4))

# The numbers that the script had before, and what they leave out.
guess = search.predict(X_test)
print("macro F1, as scikit-learn has it:", round(f1_score(y_test, guess, average="macro"), 4))
print(classification_report(y_test, guess, intervals=True))

# Two models on the same folds: pooled and mean of folds apart, intervals that know of the overlap.
models = {
    "plain": LogisticRegression(max_iter=1000),
    "balanced": LogisticRegression(max_iter=1000, class_weight="balanced"),
}
folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)
print(cross_validated(models, X, y, cv=folds, metrics=["macro_f1", "f1_of_averages"]))

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "examples/out")
folder.mkdir(exist_ok=True)
picture = folder / "confusion.svg"
table = eh.Confusion.from_labels(y_test, guess)
eh.plot.confusion(table, normalise="true").save(picture)
print("drawn:", picture.name)
