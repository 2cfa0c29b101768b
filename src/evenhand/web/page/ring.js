// The picture: recall across, precision up, a dot for each class, a ring at their average, curves of equal F1.

import { builder } from "/page/api.js";

const SIDE = 340;
const EDGE = 0.05; // room for half a dot
const across = (r) => (SIDE * (r + EDGE)) / (1 + 2 * EDGE);
const up = (p) => SIDE - across(p);

export const draw = builder((name) => document.createElementNS("http://www.w3.org/2000/svg", name));

// All points with one F1: 1/r + 1/p is the same.
function points(f1) {
  if (!(f1 > 0 && f1 < 1)) return [];
  const far = Math.log(2 / f1 - 1);
  const at = (sign, u) => (f1 / 2) * (1 + Math.exp(sign * u));
  return Array.from({ length: 33 }, (_, i) => far * (i / 16 - 1)).map((u) => [across(at(1, u)), up(at(-1, u))]);
}

const curve = (f1, kind) => draw("polyline", { class: kind, points: points(f1).map((p) => p.map((x) => x.toFixed(1))).join(" ") });

export const words = (text, x, y, more = {}) => draw("text", { x, y, ...more }, text);
export const MIDDLE = { "text-anchor": "middle" };

function square(into) {
  const tenths = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
  into.replaceChildren(draw("svg", { class: "ring", role: "img", viewBox: `-46 -8 ${SIDE + 84} ${SIDE + 50}` },
    draw("rect", { class: "square", width: SIDE, height: SIDE }),
    ...tenths.flatMap((f) => [curve(f, "level"), words(f.toFixed(1), SIDE + 4, up(f / (2 - f)) + 4, { class: (10 * f) % 2 && "odd" })]),
    words("F1", SIDE + 4, up(1) + 4),
    draw("line", { class: "even", x1: across(0), y1: up(0), x2: across(1), y2: up(1) }),
    ...[0, 0.5, 1].flatMap((x) => [words(x, across(x), SIDE + 16, MIDDLE), words(x, -6, up(x) + 4, { "text-anchor": "end" })]),
    words("recall", SIDE / 2, SIDE + 36, MIDDLE),
    words("precision", 0, 0, { ...MIDDLE, transform: `translate(-30 ${SIDE / 4}) rotate(-90)` }),
    draw("g")));
}

const box = (x, y, w, h = w) => [x - w, y - h, x + w, y + h];
const isFree = (taken, [left, top, right, bottom]) => !taken.some((t) => left < t[2] && t[0] < right && top < t[3] && t[1] < bottom);

// Where names have room: the lowest and the highest F1 first, then what is furthest from the ring.
function named(dots, centre, scale, taken) {
  const far = (d) => Math.hypot(d.recall - centre.recall, d.precision - centre.precision);
  const by = [...dots].sort((a, b) => a.f1 - b.f1);
  const order = new Set([by[0], by.at(-1), ...[...dots].sort((a, b) => far(b) - far(a))]);
  const names = [];
  for (const d of [...order].slice(0, 12)) {
    const text = d.label.length > 16 ? `${d.label.slice(0, 15)}\u2026` : d.label;
    const [w, h] = [scale * 3.6 * text.length + 2, scale * 7];
    for (const away of [1, 9, 17]) {
      const reach = d.radius + away;
      const sides = [[1, 0], [-1, 0], [0, -1], [0, 1], [0.7, -0.7], [-0.7, 0.7], [0.7, 0.7], [-0.7, -0.7]];
      const place = sides.map(([i, j]) => [d.x + i * reach + Math.sign(i) * w, d.y + j * reach + Math.sign(j) * h])
        .find(([x, y]) => x > w && x < SIDE - w && y > h && y < SIDE - h && isFree(taken, box(x, y, w, h)));
      if (!place) continue;
      taken.push(box(...place, w, h));
      names.push(draw("text", { class: "name", x: place[0], y: place[1] + 4, ...MIDDLE }, text));
      break;
    }
  }
  return names;
}

// One system: `result` of live.js; before another class mix moved its dots, up and down only, `was`; and if they
// are wanted the intervals of each class.
export function ring(into, result, labels, was = null, intervals = []) {
  if (!into.firstChild) square(into);
  const picture = into.firstChild;
  const little = into.clientWidth > 0 && into.clientWidth < 300;
  picture.classList.toggle("little", little);
  if (!result) {
    picture.setAttribute("aria-label", "An empty table has no classes to draw.");
    return picture.lastChild.replaceChildren();
  }
  const most = Math.max(...result.classes.map((c) => c.prevalence));
  const largest = Math.min(17, 60 / Math.sqrt(result.averaged.length));
  const dots = result.classes.flatMap((c, i) => (c.prevalence ? [{
    ...c, label: String(labels[i]), old: was?.classes[i], x: across(c.recall), y: up(c.precision),
    radius: Math.max(3, largest * Math.sqrt(c.prevalence / most)),
  }] : []));
  const { macro_f1: macro, f1_of_averages: averages, macro_recall: recall, macro_precision: precision } = result.metrics;
  const told = (d) => `${d.label}: recall ${d.recall.toFixed(3)}, precision ${d.precision.toFixed(3)}, F1 ${d.f1.toFixed(3)}`;
  const taken = [box(across(recall), up(precision), 12), ...dots.map((d) => box(d.x, d.y, d.radius + 1)),
    ...[macro, averages].flatMap(points).map(([x, y]) => box(x, y, 2))];
  const leant = (t) => [-3, -2, -1, 0, 1, 2, 3].map((i) => t + i * (little ? 0.06 : 0.045)).map((x) => box(across(x), up(x), 12));
  const middle = [0.24, 0.74, 0.5].find((t) => leant(t).every((b) => isFree(taken, b))) ?? 0.24;
  taken.push(...leant(middle));
  const lean = (text, shift) => words(text, 0, shift, { class: "lean", ...MIDDLE, transform: `translate(${across(middle)} ${up(middle)}) rotate(-45)` });
  const name = into.dataset.of ? `${into.dataset.of}: ` : "";
  picture.setAttribute("aria-label", `${name}${dots.length} classes by recall and precision. Macro F1, the mean of their F1, is ${macro.toFixed(3)}; the ring, their average, has an F1 of ${averages.toFixed(3)}.`);
  picture.lastChild.replaceChildren(
    lean("predicted too rarely", -6), lean("predicted too often", 14), curve(macro, "mean"), curve(averages, "averages"),
    ...dots.flatMap((d) => (d.old ? [draw("line", { class: "moved", x1: d.x, x2: d.x, y1: up(d.old.precision), y2: d.y }),
      draw("circle", { class: "old", cx: d.x, cy: up(d.old.precision), r: d.radius })] : [])),
    ...intervals.flatMap((c) => (c ? [
      draw("line", { class: "bound", x1: across(c.recall.low), x2: across(c.recall.high), y1: up(c.precision.value), y2: up(c.precision.value) }),
      draw("line", { class: "bound", y1: up(c.precision.low), y2: up(c.precision.high), x1: across(c.recall.value), x2: across(c.recall.value) })] : [])),
    ...dots.map((d) => draw("circle", { class: "class", cx: d.x, cy: d.y, r: d.radius }, draw("title", {}, told(d)))),
    draw("circle", { class: "centre", cx: across(recall), cy: up(precision), r: 9 }, draw("title", {}, `the average: recall ${recall.toFixed(3)}, precision ${precision.toFixed(3)}`)),
    ...(dots.length ? named(dots, { recall, precision }, little ? 1.5 : 1, taken) : []));
}

// Two systems, both formulas: lines that cross where the formulas disagree.
export function slopes(results) {
  const values = results.map((r) => [r.metrics.macro_f1, r.metrics.f1_of_averages]);
  const [low, high] = [Math.min(...values.flat()), Math.max(...values.flat())];
  const y = (x) => 110 - (80 * (x - low)) / (high - low || 1);
  const apart = (i, side) => (Math.abs(y(values[0][side]) - y(values[1][side])) < 13 ? (values[i][side] >= values[1 - i][side] && (i || values[0][side] > values[1][side]) ? -4 : 12) : 4);
  const lines = values.flatMap(([a, b], i) => [
    draw("line", { class: i ? "two" : "one", x1: 110, x2: 230, y1: y(a), y2: y(b) }),
    words(`${i ? "second" : "first"} ${a.toFixed(3)}`, 104, y(a) + apart(i, 0), { "text-anchor": "end" }), words(b.toFixed(3), 236, y(b) + apart(i, 1))]);
  const crossing = (values[0][0] - values[1][0]) * (values[0][1] - values[1][1]) < 0;
  const says = crossing ? "The lines cross: each formula prefers another table." : "The lines do not cross: both formulas agree on the order.";
  return draw("svg", { class: "slopes", role: "img", viewBox: "0 0 340 126", "aria-label": says },
    ...["macro F1", "F1 of averages"].map((name, i) => words(name, 110 + 120 * i, 12, MIDDLE)), ...lines);
}
