// How Sphinx orders what a search finds: the page of that name first, then the page on that subject.
"use strict";
const SUBJECTS = {
  "confidence interval": "intervals",
  "error bar": "intervals",
  "significance": "tests",
  "significant": "tests",
  "p value": "tests",
  "leaderboard": "ranking",
  "llm": "logs",
  "language model": "logs",
  "inspect": "logs",
  "drift": "prevalence",
  "monitoring": "prevalence",
  "class imbalance": "prevalence",
  "auc": "metrics/roc_auc",
  "roc": "metrics/roc_auc",
  "sensitivity": "two-classes",
  "judge": "judges",
  "ci": "decisions",
};
const plain = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, " ").trim().replace(/s$/, "");
const asked = plain(new URLSearchParams(window.location.search).get("q") || "");
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score: ([page, , anchor, , score]) => {
    if (anchor) return score;
    if (plain(page.split("/").pop()) === asked) return score + 1000;
    return SUBJECTS[asked] === page ? score + 500 : score;
  },
};
