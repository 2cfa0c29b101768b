"""Count in Spark's SQL, score in evenhand: only the cells of a table come back.

python examples/with_spark.py      needs pip install 'evenhand[spark]' and Java 17
"""

import os

os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")

from pyspark.sql import SparkSession

import evenhand as eh

spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.log.level", "OFF")
    .getOrCreate()
)

spark.sql("""
    SELECT gold,
           CASE WHEN id % 97 = 0 THEN NULL
                WHEN id % 7 < 5 THEN gold
                ELSE element_at(array('ham', 'spam', 'other'), CAST(1 + id % 3 AS INT))
           END AS system,
           CASE WHEN id % 2 = 0 THEN 'de' ELSE 'en' END AS lang
    FROM (
        SELECT id, CASE WHEN id % 100 < 70 THEN 'ham' WHEN id % 100 < 95 THEN 'spam'
                        ELSE 'other' END AS gold
        FROM range(200000)
    )
""").createOrReplaceTempView("answers")

# The sufficient table in SQL; a null prediction is no class and counts as an error.
cells = spark.sql("""
    SELECT gold AS truth, system AS prediction, count(*) AS n
    FROM answers
    GROUP BY gold, system
""")
table = eh.Confusion.from_frame(cells, true="truth", pred="prediction", counts="n")
print(eh.score(table, metrics=["macro_f1", "f1_of_averages", "accuracy"]))

# The same without SQL: a DataFrame of rows is counted where it is.
straight = eh.Confusion.from_frame(spark.table("answers"), true="gold", pred="system")
print("the same table from the rows:", straight == table)

# Slices are one more column of the query.
slices = spark.sql("""
    SELECT lang, gold AS truth, system AS prediction, count(*) AS n
    FROM answers
    GROUP BY lang, gold, system
""")
by_lang = eh.Confusion.from_frame(slices, true="truth", pred="prediction", counts="n", by="lang")
for scores in eh.score(by_lang, metrics="macro_f1").slices:
    print(scores.key, f"{scores['macro_f1'].value:.4f}")

spark.stop()
