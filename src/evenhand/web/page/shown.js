// What Play shows: on every frame what the browser computes itself, and what Python adds when it has answered.

import { at, make, number } from "/page/api.js";
import { live, mixed, movable, sum } from "/page/live.js";
import { ring, slopes } from "/page/ring.js";
import { heat } from "/page/table.js";

const SEEN = 5e-5; // what four decimals show
const DASH = "\u2013";
const GROUPS = [["from 0 to 1", 0, 1], ["chance-corrected, from \u22121 to 1", -1, 1], ["other ranges", null, null]];
const RATES = [["precision", "precision"], ["recall", "recall"], ["f1", "F1"]];
const ends = (s) => (s && s.low !== null && s.low !== undefined ? `${number(s.low)} ${DASH} ${number(s.high)}` : "");
const order = { key: null, up: true }; // of the classes

// A number of the current table, for people and for programs; empty where it is undefined.
function put(element, metric, x, digits = 4) {
  element.dataset.metric = metric;
  element.dataset.value = x ?? "";
  if (!element.matches("tr")) element.textContent = x === null || x === undefined ? DASH : number(x, digits);
  return element;
}

// A table: names over its columns, none over a drawing; all but the first and those from `left` on are numbers.
function table(names, rows, left = names.length) {
  const kind = (i) => (i === 0 ? "key" : i < left ? "right" : false);
  const heads = names.map((name, i) => (name ? make("th", { scope: "col", class: kind(i) }, name) : make("td", {})));
  return [make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)];
}

// -- positions on a line

function place(x, { low, high }) {
  if (typeof x !== "number" || low === null) return null;
  return Math.max(0, Math.min(1, (x - low) / (high - low)));
}

function mark(kind, x) {
  const dot = make("span", { class: kind });
  dot.style.setProperty("left", `${100 * x}%`);
  return dot;
}

function band(kind, from, to) {
  const bar = mark(kind, Math.min(from, to));
  bar.style.setProperty("width", `${100 * Math.abs(to - from)}%`);
  return bar;
}

function track(...marks) {
  return make("span", { class: "track", "aria-hidden": "true" }, ...marks.filter(Boolean));
}

function ticks(range) {
  const at01 = [0, 0.25, 0.5, 0.75, 1];
  return make("span", { class: "ticks", "aria-hidden": "true" }, ...at01.map((x) => {
    const tick = mark("tick", x);
    tick.textContent = number(range.low + x * (range.high - range.low), 2).replace(/\.?0+$/, "");
    return tick;
  }));
}

// The group of a metric by its range, and the axis over a group.
const inside = ({ low: from, high: to }, low) => low === (to === 1 && (from === 0 || from === -1) ? from : null);
const axis = (kind, name, low, high, before) => make("tr", { class: kind }, make("th", { scope: "colgroup", class: "key", colspan: before }, name),
  make("td", { class: "drawn" }, low === null ? "" : ticks({ low, high })), make("td", {}), make("td", {}));

// -- every frame

export function frame(state, answer) {
  const tables = [state.first, state.second].filter(Boolean);
  const moved = state.mix && movable(tables);
  const seen = tables.map(live);
  const [result, other] = moved ? tables.map((m) => live(mixed(m, state.mix))) : seen;
  const pictures = at("pictures");
  while (pictures.children.length > tables.length) pictures.lastChild.remove();
  while (pictures.children.length < tables.length) pictures.append(make("div", { class: "picture" }));
  const known = at("bounds").checked && answer && !moved && JSON.stringify(answer.of) === JSON.stringify(state.first);
  const bounds = known ? answer.score.classes.map((c) => c.intervals && { recall: { value: c.recall, ...c.intervals.recall }, precision: { value: c.precision, ...c.intervals.precision } }) : [];
  ring(pictures.firstChild, result, state.labels, moved ? seen[0] : null, bounds);
  if (state.second) ring(pictures.lastChild, other, state.labels, moved ? seen[1] : null);
  at("at-mix").hidden = !moved;
  twins(result, other, state.labels);
  classes(result, state.labels);
  if (answer) {
    values(result, answer);
    mixes(answer, seen[0], result);
  }
}

function twins(result, other, labels) {
  const both = [["macro_f1", "mean"], ["f1_of_averages", "averages"]];
  for (const [metric, id] of both) put(at(`twins-${id}`), metric, result?.metrics[metric]);
  at("sums").replaceChildren(...[result, other].filter(Boolean).flatMap((r, i) => arithmetic(r, other ? ["first", "second"][i] : "")));
  at("slopes").replaceChildren(...(result && other ? [slopes([result, other])] : []));
  at("twins-of").textContent = other ? " (first table)" : "";
  put(at("gap-value"), "f1_gap", result?.gap);
  const small = !result || result.gap < SEEN;
  at("pairs").hidden = small || labels.length > 12;
  if (small) return (at("gap-says").textContent = result ? "Here they agree." : "An empty table has no scores.");
  let [one, two, most] = [0, 0, 0];
  result.pairs.forEach((row, a) => row.forEach((x, b) => a < b && x > most && ([one, two, most] = [a, b, x])));
  at("gap-says").textContent = `They differ by ${number(result.gap)}. ${(200 * most / result.gap).toFixed(0)} % of that comes from ${labels[one]} and ${labels[two]}.`;
  if (at("pairs").hidden) return;
  heat(at("pairs"), { title: "Where the gap comes from: its points by pair of classes", labels, matrix: result.pairs.map((row) => row.map((x) => 100 * x)), digits: 1 });
}

// Both formulas with their numbers.
function arithmetic({ averaged, metrics }, which) {
  const k = averaged.length;
  const three = (x) => number(x, 3);
  const terms = (part) => (k > 6 ? `the sum of ${k} is ${three(sum(averaged.map((c) => c[part])))}, / ${k}` : `(${averaged.map((c) => three(c[part])).join(" + ")}) / ${k}`);
  const [p, r] = [three(metrics.macro_precision), three(metrics.macro_recall)];
  const name = which && `${which} table: `;
  return [
    make("p", {}, make("b", {}, `${name}macro F1`), ` = ${terms("f1")} = ${three(metrics.macro_f1)}`),
    make("p", {}, make("b", {}, `${name}F1 of averages`), `: precision ${terms("precision")} = ${p}, recall ${terms("recall")} = ${r}, ` +
      `2 \u00b7 ${p} \u00b7 ${r} / (${p} + ${r}) = ${three(metrics.f1_of_averages)}`),
  ];
}

// The values of the metrics' table, moved to where they are now.
function values(result, answer) {
  for (const row of at("metrics").querySelectorAll("tr[data-metric]")) {
    const m = row.dataset.metric;
    const told = answer.metrics[m];
    const own = result ? result.metrics[m] : null;
    if (own === undefined) continue; // one of Python's
    put(row, m, own);
    put(row.querySelector(".value"), m, own);
    const [was, dot] = [answer.start?.[m], row.querySelector(".track .dot")];
    const gain = typeof was === "number" && own !== null ? own - was : 0;
    const still = Math.abs(gain) < SEEN;
    const change = row.querySelector(".change");
    change.textContent = still ? "" : `${gain > 0 ? "\u25b2" : "\u25bc"} ${number(Math.abs(gain))}`;
    change.className = `right change ${still ? "" : gain > 0 ? "up" : "down"}`;
    row.querySelector(".was")?.toggleAttribute("hidden", still);
    if (dot) dot.toggleAttribute("hidden", own === null);
    if (dot && own !== null) dot.style.setProperty("left", `${100 * place(own, told)}%`);
  }
}

// -- every class: one axis, sortable

function classes(result, labels) {
  const rows = labels.map((label, i) => ({ label: String(label), ...(result?.classes[i] ?? {}) }));
  const { key, up } = order;
  if (key) rows.sort((a, b) => (up ? 1 : -1) * (key === "label" ? a.label.localeCompare(b.label) : (a[key] ?? 0) - (b[key] ?? 0)));
  const columns = [["label", "class"], [null, ""], ...RATES, ["prevalence", "items"]];
  const heads = columns.map(([part, name], i) => {
    if (!part) return make("td", { class: "drawn" }, ticks({ low: 0, high: 1 }));
    const sorted = part === key ? (up ? "ascending" : "descending") : false;
    const button = make("button", { type: "button", class: "sort", "data-sort": part }, name);
    return make("th", { scope: "col", class: i ? "right" : "key", "aria-sort": sorted }, button);
  });
  const line = (c) => make("tr", {}, make("th", { scope: "row", class: "key label" }, c.label),
    make("td", { class: "drawn" }, track(...(result ? RATES.map(([m]) => mark(`dot rate ${m}`, c[m])) : []))),
    ...RATES.map(([m]) => put(make("td", { class: "right" }), `${m}:label=${c.label}`, c[m], 3)),
    make("td", { class: "right" }, c.prevalence === undefined ? DASH : Number(c.prevalence.toFixed(1)).toLocaleString("en")));
  const focus = at("bars").contains(document.activeElement) ? document.activeElement.dataset.sort : null;
  at("bars").replaceChildren(make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows.map(line)));
  if (focus) at("bars").querySelector(`[data-sort="${focus}"]`).focus();
}

export function sortBy(key) {
  order.up = order.key === key ? !order.up : key === "label";
  order.key = key;
}

// -- class mixes

function mixes(answer, seen, result) {
  const names = Object.keys(answer.metrics).filter((m) => answer.metrics[m].headline && m !== "micro_f1" && seen && m in seen.metrics);
  at("mix-note").hidden = Boolean(answer.calibrated);
  const cell = (of, m, kind = "right") => make("td", { class: kind }, of && m in of ? number(of[m]) : "");
  const rows = names.map((m) => make("tr", { "data-mixed": m }, make("th", { scope: "row", class: "key" }, answer.metrics[m].title),
    cell(seen.metrics, m), cell(answer.calibrated, m, "right later"), put(make("td", { class: "right" }), m, result.metrics[m])));
  at("mixed").replaceChildren(...table(["metric", "as observed", "equal classes", "at your mix"], rows));
}

// -- what Python says

// What it would, but for intervals and the metrics that it alone has.
export function own({ first, second, base, labels, mix }, facts) {
  const tables = [first, second].filter(Boolean);
  const moved = mix && movable(tables);
  const [now, other] = tables.map((m) => live(moved ? mixed(m, mix) : m)?.metrics);
  const even = movable([first]) ? live(mixed(first, labels.map(() => 1 / labels.length))).metrics : null;
  const preferred = (m) => (Math.abs(now[m] - other[m]) > 1e-12 ? (now[m] > other[m] ? "first" : "second") : "neither");
  const valued = (metrics) => Object.fromEntries(Object.entries(metrics).map(([m, value]) => [m, { value }]));
  return { of: first, metrics: facts, calibrated: even, other, start: live(base)?.metrics, tenfold: {}, mixed: moved ? valued(now) : null,
    prefers: other && Object.fromEntries(Object.keys(now).map((m) => [m, preferred(m)])),
    score: { twins: now, metrics: valued(live(first).metrics) } };
}

export function shown(answer, state) {
  metrics(answer, state);
  duel(answer);
  const { macro_f1: mean, f1_of_averages: averages } = answer.score.twins;
  at("play-status").textContent = `Accuracy ${number(answer.score.metrics.accuracy.value)}, macro F1 ${number(mean)}, F1 of averages ${number(averages)}.`;
}

function merged(answer) {
  const found = new Map();
  for (const [name, s] of Object.entries(answer.score.metrics)) {
    const same = JSON.stringify([s.value, s.low, s.high, answer.calibrated?.[name], answer.other?.[name]].map((x) => number(x)));
    found.set(same, [...(found.get(same) ?? []), name]);
  }
  return [...found.values()];
}

function metrics(answer, state) {
  const rows = merged(answer).map((names) => {
    const lead = names.find((m) => m === state.focus) ?? names.find((m) => answer.metrics[m].headline) ?? names[0];
    return [lead, names];
  });
  const rank = ([m]) => (m === state.focus ? 0 : answer.metrics[m].headline ? 1 : 2);
  rows.sort((a, b) => rank(a) - rank(b));
  const more = ([m]) => m !== state.focus && !answer.metrics[m].headline;
  const head = ["metric", "value", "since the start", "", "95 % interval", "with 10 \u00d7 the items"];
  at("metrics").replaceChildren(table(head, [])[0], ...grouped(answer, rows, 3, ([m, names]) => row(answer, state, m, names), more));
}

// Rows of metrics, each group of one range below its axis, which folds away with them.
const grouped = (answer, rows, before, line, folds = () => false) => GROUPS.map(([name, low, high]) => {
  const own = rows.filter(([m]) => inside(answer.metrics[m], low));
  return own.length ? make("tbody", {}, axis(own.every(folds) ? "axis more" : "axis", name, low, high, before), ...own.map(line)) : "";
});

function row(answer, state, m, names) {
  const told = answer.metrics[m];
  const s = answer.mixed?.[m] ?? answer.score.metrics[m];
  const ten = answer.mixed ? null : answer.tenfold[m];
  const at01 = (x) => place(x, told);
  const line = at01(s.value) === null ? "" : track(
    told.low < 0 && mark("zero", at01(0)),
    ten?.low != null && band("ten later", at01(ten.low), at01(ten.high)),
    typeof answer.start?.[m] === "number" && mark("was", at01(answer.start[m])), mark("dot", at01(s.value)),
    s.low != null && band("band later", at01(s.low), at01(s.high)));
  const also = names.filter((n) => n !== m && answer.metrics[n].headline).map((n) => ` = ${n}`).join("");
  const kind = m === state.focus ? "focus" : told.headline ? "" : "more";
  const tr = make("tr", { class: kind },
    make("th", { scope: "row", class: "key" }, make("span", { class: "title", title: told.says }, told.title), make("code", {}, m + also)),
    put(make("td", { class: "right value" }), m, s.value), make("td", { class: "right change" }),
    make("td", { class: "drawn" }, line),
    make("td", { class: "right later" }, ends(s)), make("td", { class: "right later" }, ends(ten)));
  tr.querySelector(".was")?.toggleAttribute("hidden", true);
  return put(tr, m, s.value);
}

// -- two tables

function duel(answer) {
  at("duel").hidden = !answer.other;
  if (!answer.other) return;
  const sides = { first: [], second: [], neither: [] };
  const value = (m) => (answer.mixed?.[m] ?? answer.score.metrics[m]).value;
  for (const [m] of merged(answer)) {
    const told = answer.metrics[m];
    if (told.better !== "neither" && told.low !== null) sides[answer.prefers[m]].push(m);
  }
  const apart = (m) => {
    const { low, high } = answer.metrics[m];
    return Math.abs(value(m) - answer.other[m]) / (high - low);
  };
  sides.first.sort((a, b) => apart(b) - apart(a));
  sides.second.sort((a, b) => apart(a) - apart(b));
  const many = (n) => `${n} metric${n === 1 ? "" : "s"}`;
  const flip = sides.first.length && sides.second.length;
  at("duel-status").textContent = flip
    ? `It depends on the metric: ${many(sides.first.length)} prefer the first table, ${many(sides.second.length)} the second.`
    : sides.first.length + sides.second.length === 0 ? "No metric tells the two tables apart."
      : `Every metric that tells them apart prefers the ${sides.first.length ? "first" : "second"} table.`;
  const line = ([m]) => {
    const told = answer.metrics[m];
    const [a, b] = [place(value(m), told), place(answer.other[m], told)];
    return make("tr", { class: answer.prefers[m], "data-duel": m }, make("th", { scope: "row", class: "key" }, told.title),
      make("td", { class: "right" }, number(value(m))),
      make("td", { class: "drawn" }, a === null || b === null ? "" : track(band("between", a, b), mark("dot one", a), mark("dot two", b))),
      make("td", { class: "right" }, number(answer.other[m])),
      make("td", {}, answer.prefers[m]));
  };
  const head = ["metric", "first", "", "second", "prefers"];
  const rows = [...sides.first, ...sides.neither, ...sides.second].map((m) => [m]);
  at("duels").replaceChildren(table(head, [], 4)[0], ...grouped(answer, rows, 2, line));
}
