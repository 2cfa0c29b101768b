"""Count in DuckDB's SQL, score in evenhand: only the cells of a table travel.

python examples/with_duckdb.py [FOLDER]      needs pip install 'evenhand[duckdb]'
"""

import sys
from pathlib import Path

import duckdb

import evenhand as eh

here = Path(__file__).parent
folder = Path(sys.argv[1] if len(sys.argv) > 1 else here / "out")
folder.mkdir(exist_ok=True)

# A million answers in a Parquet file, as a pipeline might leave them.
answers = folder / "answers.parquet"
duckdb.sql("SELECT setseed(0.5)")
duckdb.sql(f"""
    COPY (
        SELECT gold, CASE WHEN random() < 0.8 THEN gold
                          WHEN random() < 0.05 THEN NULL
                          ELSE ['ham', 'spam', 'other'][1 + i % 3] END AS system,
               ['de', 'en'][1 + i % 2] AS lang
        FROM (SELECT i, CASE WHEN i % 100 < 70 THEN 'ham' WHEN i % 100 < 95 THEN 'spam'
                             ELSE 'other' END AS gold FROM range(1000000) t(i))
    ) TO '{answers}' (FORMAT parquet)
""")

duckdb.sql((here / "sql" / "evenhand.sql").read_text())
duckdb.sql(f"CREATE OR REPLACE TEMP VIEW answers AS FROM '{answers}'")

# The sufficient table, made by SQL, and all that evenhand says of it.
cells = duckdb.sql("FROM eh_confusion(answers, gold, system)")
table = eh.Confusion.from_frame(cells, true="truth", pred="prediction", counts="n")
print(eh.score(table, metrics=["macro_f1", "f1_of_averages", "accuracy", "mcc"]))

# The same without the macro: a relation is a frame, counted where it is.
straight = eh.Confusion.from_frame(duckdb.sql("FROM answers"), true="gold", pred="system")
print("the same table from the rows:", straight == table)

# What SQL alone can say, to the digit.
duckdb.sql("CREATE OR REPLACE TEMP TABLE cells AS FROM eh_confusion(answers, gold, system)")
scored = duckdb.sql("FROM eh_scores(cells)")
for name, value in zip(scored.columns, *scored.fetchall(), strict=True):
    print(f"{name} in SQL: {value:.12f}, in evenhand: {getattr(eh, name)(table):.12f}")

# Slices are one more column.
slices = duckdb.sql("FROM eh_confusion_by(answers, gold, system, lang)")
by_lang = eh.Confusion.from_frame(slices, true="truth", pred="prediction", counts="n", by="slice")
for scores in eh.score(by_lang, metrics="macro_f1").slices:
    print(scores.key, f"{scores['macro_f1'].value:.4f}")
