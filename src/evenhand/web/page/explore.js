// The gap explorer: which classifiers have a gap between the two macro F1s, after figures 2 and 3 of Opitz & Burst (2019).

import { at, make, number, slider } from "/page/api.js";
import { expected, live } from "/page/live.js";
import { MIDDLE, draw, ring, words } from "/page/ring.js";

const STEPS = 16;
const FIELDS = [
  ["k", "number of classes", 2, 20, 1, 4], ["accuracy", "accuracy", 0, 1, 0.01, 0.4],
  ["classSkew", "skew of the classes", 0, 1, 0.01, 0], ["errorSkew", "skew of the errors", 0, 1, 0.01, 1],
];
const now = Object.fromEntries(FIELDS.map(([name, , , , , value]) => [name, value]));
const of = ({ k, accuracy, classSkew, errorSkew }) => live(expected(k, accuracy, classSkew, errorSkew));

export function explore() {
  at("explore").replaceChildren(...FIELDS.map(([name, words, min, max, step]) =>
    slider(words, { min, max, step, value: now[name], "data-explore": name }, (value) => {
      now[name] = value;
      requestAnimationFrame(show);
    })));
  show();
}

function show() {
  for (const output of at("explore").querySelectorAll("output")) output.textContent = output.previousSibling.value;
  const result = of(now);
  ring(at("explore-ring"), result, result.classes.map((_, i) => `class ${i + 1}`));
  const { macro_f1: mean, f1_of_averages: averages } = result.metrics;
  at("explore-says").textContent = `Macro F1 ${number(mean)}, F1 of averages ${number(averages)}: ${number(100 * result.gap, 2)} points apart, of at most ${number(100 * result.bound, 1)}.`;
  at("explore-maps").replaceChildren(map("classSkew", "skew of the classes", "Figure 2"), map("errorSkew", "skew of the errors", "Figure 3"));
}

// The gap over accuracy and one skew, the other as it is; the darkest cell is its largest.
function map(skew, across, name) {
  const at01 = Array.from({ length: STEPS }, (_, i) => i / (STEPS - 1));
  const gaps = at01.map((y) => at01.map((x) => of({ ...now, accuracy: x, [skew]: y }).gap));
  const most = Math.max(...gaps.flat(), 1e-12);
  const side = 200 / STEPS;
  const cells = gaps.flatMap((row, j) => row.map((gap, i) => draw("rect", {
    class: "cell", x: 24 + i * side, y: 200 - (j + 1) * side, width: side, height: side, "fill-opacity": (gap / most).toFixed(3) })));
  const says = `${name}: the gap by accuracy and ${across}, at most ${number(100 * most, 2)} points.`;
  return make("figure", {}, draw("svg", { class: "map", role: "img", "aria-label": says, viewBox: "0 -10 236 238" }, ...cells,
    draw("circle", { class: "centre", cx: 24 + 200 * now.accuracy, cy: 200 - 200 * now[skew], r: 6 }),
    words("accuracy", 124, 222, MIDDLE), words(across, 0, 0, { ...MIDDLE, transform: "translate(14 100) rotate(-90)" })), make("figcaption", {}, says));
}
