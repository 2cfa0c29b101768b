-- Macros for DuckDB: the sufficient table of a classification, and what SQL can say of it.
--   .read examples/sql/evenhand.sql
--   FROM eh_confusion(answers, gold, system);
-- A table is counted where the rows are; only its cells go to evenhand, which adds intervals,
-- every other metric, tests and the signature:
--   eh.Confusion.from_frame(relation, true="truth", pred="prediction", counts="n")

-- One row for each true label and prediction, with the number of items. Rows without a true label
-- stay, so that nobody loses them unseen; a null prediction is no class and an error.
CREATE OR REPLACE MACRO eh_confusion(items, truth, prediction) AS TABLE
SELECT truth AS truth, prediction AS prediction, count(*) AS n
FROM query_table(items)
GROUP BY ALL;

-- The same for each value of another column.
CREATE OR REPLACE MACRO eh_confusion_by(items, truth, prediction, slice) AS TABLE
SELECT slice AS slice, truth AS truth, prediction AS prediction, count(*) AS n
FROM query_table(items)
GROUP BY ALL;

-- Hits, predictions and true items of each class of a table, with precision, recall and F1;
-- 0/0 is 0, as it is by default in evenhand.
CREATE OR REPLACE MACRO eh_classes(cells) AS TABLE
WITH
  sides AS (
    SELECT truth AS label, CASE WHEN truth = prediction THEN n ELSE 0 END AS correct,
           n AS prevalence, 0 AS bias
    FROM query_table(cells)
    UNION ALL
    SELECT prediction, 0, 0, n FROM query_table(cells) WHERE truth IS NOT NULL
  ),
  added AS (
    SELECT label, sum(correct) AS correct, sum(bias) AS bias, sum(prevalence) AS prevalence
    FROM sides
    WHERE label IS NOT NULL
    GROUP BY label
  )
SELECT *,
       coalesce(correct / nullif(bias, 0), 0) AS "precision",
       coalesce(correct / nullif(prevalence, 0), 0) AS recall,
       2 * correct / (bias + prevalence) AS f1
FROM added
ORDER BY label;

-- Accuracy and the two scores that are called macro F1, over the classes that are true of some item.
CREATE OR REPLACE MACRO eh_scores(cells) AS TABLE
WITH
  classes AS (FROM eh_classes(cells) WHERE prevalence > 0),
  means AS (
    SELECT avg(f1) AS macro_f1, avg("precision") AS p, avg(recall) AS r,
           sum(correct) / sum(prevalence) AS accuracy
    FROM classes
  )
SELECT accuracy, macro_f1, coalesce(2 * p * r / nullif(p + r, 0), 0) AS f1_of_averages
FROM means;
