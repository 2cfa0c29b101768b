// The arithmetic of Play, on every frame: the headline metrics, both macro F1s and what lies between them.
// Python says the same to 1e-12, which a test holds, and adds what takes longer.

export const sum = (xs) => xs.reduce((a, b) => a + b, 0);
const ratio = (a, b) => (b ? a / b : 0); // 0/0 counts as 0
const mean = (xs) => ratio(sum(xs), xs.length);
const harmonic = (p, r) => ratio(2 * p * r, p + r);

// Whether another mix says something: a class that is never true has no recall to keep.
export const movable = (matrices) => matrices.every((m) => m.every(sum));

// The same classifier where classes come in another mix: each keeps its recall.
export function mixed(matrix, mix) {
  const n = sum(matrix.flat());
  return matrix.map((row, i) => row.map((x) => ratio(x, sum(row)) * mix[i] * n));
}

// Everything of one table, rows true; nothing of one without items.
export function live(matrix) {
  const n = sum(matrix.flat());
  if (!n) return null;
  const classes = matrix.map((row, i) => {
    const [correct, prevalence, bias] = [row[i], sum(row), sum(matrix.map((r) => r[i]))];
    const [precision, recall, f1] = [ratio(correct, bias), ratio(correct, prevalence), ratio(2 * correct, bias + prevalence)];
    return { correct, prevalence, bias, precision, recall, f1 };
  });
  const averaged = classes.filter((c) => c.prevalence > 0); // what is never true is in no average
  const of = (part, among = averaged) => among.map((c) => c[part]);
  const [precision, recall] = [mean(of("precision")), mean(of("recall"))];
  const macro = mean(of("f1"));
  const averages = harmonic(precision, recall);
  const agreement = sum(classes.map((c) => c.correct * (n - c.bias - c.prevalence + c.correct) - (c.bias - c.correct) * (c.prevalence - c.correct)));
  const spread = (part) => sum(classes.map((c) => c[part] * (n - c[part])));
  const metrics = {
    macro_f1: macro,
    f1_of_averages: averages,
    macro_precision: precision,
    macro_recall: recall,
    accuracy: sum(of("correct", classes)) / n,
    micro_f1: sum(of("correct", classes)) / n, // the same here
    weighted_f1: ratio(sum(averaged.map((c) => c.prevalence * c.f1)), sum(of("prevalence"))),
    kappa: ratio(agreement, sum(classes.map((c) => c.bias * (n - c.prevalence)))),
    mcc: ratio(agreement, Math.sqrt(spread("bias") * spread("prevalence"))),
  };
  const k = averaged.length;
  const norm = k * sum(averaged.map((c) => c.precision + c.recall));
  const term = (a, b) => ratio(ratio((a.precision * b.recall - a.recall * b.precision) ** 2, (a.precision + a.recall) * (b.precision + b.recall)), norm);
  const pairs = classes.map((a) => classes.map((b) => (a.prevalence && b.prevalence ? term(a, b) : 0)));
  return { n, classes, averaged, metrics, pairs, gap: sum(pairs.flat()), bound: k % 2 ? (k * k - 1) / (2 * k * k) : 0.5 };
}

// A classifier with an accuracy, errors and classes from even (skew 0) to in proportion to 1, 2, … (skew 1).
export function expected(k, accuracy, classSkew, errorSkew) {
  const graded = (places, skew) => places.map((j) => (1 - skew) / places.length + (skew * j) / sum(places));
  const places = Array.from({ length: k }, (_, i) => i + 1);
  const shares = graded(places, classSkew);
  return places.map((i) => {
    const errors = graded(places.filter((j) => j !== i), errorSkew);
    return places.map((j) => shares[i - 1] * (j === i ? accuracy : (1 - accuracy) * errors[j > i ? j - 2 : j - 1]));
  });
}
