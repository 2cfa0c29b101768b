// What Play shows, made anew on every frame: what the browser computes itself, and what Python said last.

import { at, make, number } from "/page/api.js";
import { live, mixed, movable, sum } from "/page/live.js";
import { ring, slopes } from "/page/ring.js";
import { heat } from "/page/table.js";

const SEEN = 5e-5; // what four decimals show
const DASH = "\u2013";
const GROUPS = [["from 0 to 1", 0], ["chance-corrected, from \u22121 to 1", -1], ["other ranges", null]];
const RATES = [["precision", "precision"], ["recall", "recall"], ["f1", "F1"]];
const isKnown = (x) => x !== null && x !== undefined;
const ends = (s) => (isKnown(s?.low) ? `${number(s.low)} ${DASH} ${number(s.high)}` : "");
const order = { key: null, up: true }; // of the classes

// A number of the current table, for people and for programs; empty where it is undefined.
function put(element, metric, x, digits = 4) {
  element.dataset.metric = metric;
  element.dataset.value = x ?? "";
  if (!element.matches("tr")) element.textContent = isKnown(x) ? number(x, digits) : DASH;
  return element;
}

const named = (text) => make("th", { scope: "row", class: "key" }, text);
const right = (text, kind = "") => make("td", { class: `right ${kind}` }, text);
const drawn = (...inside) => make("td", { class: "drawn" }, ...inside);

// The heads of a table: names over its columns, none over a drawing; all but the first and those from `left` on are numbers.
function heads(names, left = names.length) {
  const kind = (i) => (i === 0 ? "key" : i < left ? "right" : false);
  return make("thead", {}, make("tr", {}, ...names.map((name, i) => (name ? make("th", { scope: "col", class: kind(i) }, name) : make("td", {})))));
}

// -- positions on a line

function place(x, { low, high }) {
  if (typeof x !== "number" || low === null) return null;
  return Math.max(0, Math.min(1, (x - low) / (high - low)));
}

const mark = (kind, x, more = {}, text = "") => make("span", { class: kind, style: { left: `${100 * x}%`, ...more } }, text);
const band = (kind, from, to) => mark(kind, Math.min(from, to), { width: `${100 * Math.abs(to - from)}%` });

const track = (...marks) => make("span", { class: "track", "aria-hidden": "true" }, ...marks.filter(Boolean));

const ticks = (low, high) => make("span", { class: "ticks", "aria-hidden": "true" }, ...[0, 0.25, 0.5, 0.75, 1].map((x) =>
  mark("tick", x, {}, number(low + x * (high - low), 2).replace(/\.?0+$/, ""))));

// Rows of metrics, each group of one range below its axis.
const grouped = (rows, after, line) => GROUPS.map(([name, from]) => {
  const own = rows.filter(({ facts: { low, high } }) => from === (high === 1 && (low === 0 || low === -1) ? low : null));
  if (!own.length) return "";
  const axis = make("tr", { class: "axis" }, make("th", { scope: "colgroup", class: "key", colspan: 2 }, name),
    drawn(from === null ? "" : ticks(from, 1)), make("td", { colspan: after }));
  return make("tbody", {}, axis, ...own.map(line));
});

// -- every frame

export function frame(state, answer) {
  const tables = [state.first, state.second].filter(Boolean);
  const moved = state.mix && movable(tables);
  const seen = tables.map(live);
  const now = moved ? tables.map((m) => live(mixed(m, state.mix))) : seen;
  pictures(now, moved ? seen : [], state, moved ? null : answer);
  at("at-mix").hidden = !moved;
  twins(now, state.labels);
  classes(now[0], state.labels);
  if (!answer) return;
  const rows = metricRows(state, answer, now, seen);
  metrics(rows, state.focus);
  duel(state.second ? rows : []);
  mixes(rows);
  at("mix-note").hidden = movable([state.first]);
}

function pictures(now, before, { labels, first }, answer) {
  const places = at("pictures");
  if (places.children.length !== now.length)
    places.replaceChildren(...now.map((_, i) => make("div", { class: "picture", "data-of": now.length > 1 && ["first table", "second table"][i] })));
  const known = at("bounds").checked && answer?.score && JSON.stringify(answer.of) === JSON.stringify(first);
  const bounds = known ? answer.score.classes.map((c) => c.intervals && { recall: { value: c.recall, ...c.intervals.recall }, precision: { value: c.precision, ...c.intervals.precision } }) : [];
  now.forEach((result, i) => ring(places.children[i], result, labels, before[i], i ? [] : bounds));
}

// Each metric with its values: those that the browser knows itself are of this table, the others of Python's answer.
function metricRows({ first, second, base, labels }, answer, [now, other], [seen]) {
  const even = now && movable([first]) ? live(mixed(first, labels.map(() => 1 / labels.length))) : null;
  const own = { value: now, was: live(base), observed: seen, even, other };
  return Object.entries(answer.metrics).map(([m, facts]) => {
    const told = now && answer.score?.metrics[m];
    const python = told && { ...told, observed: told.value, ...answer.mixed?.[m], ten: answer.mixed ? null : answer.tenfold[m],
      was: answer.start?.[m], even: answer.calibrated?.[m], other: second ? answer.other?.[m] : null };
    const mine = now && m in now.metrics;
    const here = mine ? Object.fromEntries(Object.entries(own).map(([part, of]) => [part, of?.metrics[m]])) : {};
    return { m, facts, later: mine ? "" : "later", ...python, ...here };
  });
}

function twins([result, other], labels) {
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
  heat(at("pairs"), { title: "Where the gap comes from: its points by pair of classes", labels, matrix: result.pairs.map((row) => row.map((x) => 100 * x)), digits: most < 0.001 ? 3 : 1 });
}

// Both formulas with their numbers.
function arithmetic({ averaged, metrics }, which) {
  const k = averaged.length;
  const three = (x) => number(x, 3);
  const terms = (part) => (k > 6 ? `${three(sum(averaged.map((c) => c[part])))} (the sum of ${k}) / ${k}` : `(${averaged.map((c) => three(c[part])).join(" + ")}) / ${k}`);
  const [p, r] = [three(metrics.macro_precision), three(metrics.macro_recall)];
  const name = which && `${which} table: `;
  return [
    make("p", {}, make("b", {}, `${name}macro F1`), ` = ${terms("f1")} = ${three(metrics.macro_f1)}`),
    make("p", {}, make("b", {}, `${name}F1 of averages`), `: precision ${terms("precision")} = ${p}, recall ${terms("recall")} = ${r}, ` +
      `2 \u00b7 ${p} \u00b7 ${r} / (${p} + ${r}) = ${three(metrics.f1_of_averages)}`),
  ];
}

// -- every class: one axis, sortable

function classes(result, labels) {
  const rows = labels.map((label, i) => ({ label: String(label), ...result?.classes[i] }));
  const { key, up } = order;
  if (key) rows.sort((a, b) => (up ? 1 : -1) * (key === "label" ? a.label.localeCompare(b.label) : (a[key] ?? 0) - (b[key] ?? 0)));
  const columns = [["label", "class"], null, ...RATES, ["prevalence", "items"]];
  const names = columns.map((column, i) => {
    if (!column) return drawn(ticks(0, 1));
    const [part, name] = column;
    const sorted = part === key && (up ? "ascending" : "descending");
    const sort = () => {
      Object.assign(order, { key: part, up: part === key ? !up : part === "label" });
      classes(result, labels);
    };
    return make("th", { scope: "col", class: i ? "right" : "key", "aria-sort": sorted }, make("button", { type: "button", class: "sort", "data-sort": part, onclick: sort }, name));
  });
  const line = (c) => make("tr", {}, make("th", { scope: "row", class: "key label" }, c.label),
    drawn(track(...(result ? RATES.map(([m]) => mark(`dot rate ${m}`, c[m])) : []))),
    ...RATES.map(([m]) => put(right(""), `${m}:label=${c.label}`, c[m], 3)),
    right(result ? Number(c.prevalence.toFixed(1)).toLocaleString("en") : DASH));
  const focus = at("bars").contains(document.activeElement) ? document.activeElement.dataset.sort : null;
  at("bars").replaceChildren(make("thead", {}, make("tr", {}, ...names)), make("tbody", {}, ...rows.map(line)));
  at("bars").querySelector(`[data-sort="${focus}"]`)?.focus();
}

// -- class mixes

function mixes(rows) {
  const line = ({ m, facts, observed, even, value }) => make("tr", { "data-mixed": m }, named(facts.title),
    right(number(observed)), right(number(even)), put(right(""), m, value));
  const shown = rows.filter(({ m, facts }) => facts.headline && m !== "micro_f1");
  at("mixed").replaceChildren(heads(["metric", "as observed", "equal classes", "at your mix"]), make("tbody", {}, ...shown.map(line)));
}

// -- every metric

// Metrics that say the same are one row, which the chosen one or one that is much used leads.
function merged(rows, focus) {
  const rank = ({ m, facts }) => (m === focus ? 0 : facts.headline ? 1 : 2);
  const same = ({ m, value, low, high, even, other }) => (isKnown(value) ? JSON.stringify([value, low, high, even, other].map((x) => number(x))) : m);
  const groups = Map.groupBy([...rows].sort((a, b) => rank(a) - rank(b)), same);
  return [...groups.values()].map(([lead, ...others]) => ({ ...lead, rank: rank(lead), also: others.filter((r) => r.facts.headline).map((r) => r.m) }));
}

function metrics(rows, focus) {
  const all = at("all-metrics").ariaExpanded === "true";
  const shown = merged(rows, focus).filter((r) => all || r.rank < 2);
  const names = ["metric", "value", "", "since the start", "95 % interval", "with 10 \u00d7 the items"];
  at("metrics").replaceChildren(heads(names), ...grouped(shown, 3, metricLine));
}

function metricLine(row) {
  const { m, facts, value, was, ten, rank, also, later } = row;
  const at01 = (x) => place(x, facts);
  const gain = isKnown(was) && isKnown(value) ? value - was : 0;
  const moved = Math.abs(gain) >= SEEN;
  const line = at01(value) === null ? "" : track(
    facts.low < 0 && mark("zero", at01(0)), isKnown(ten?.low) && band("ten later", at01(ten.low), at01(ten.high)),
    moved && mark("was", at01(was)), mark("dot", at01(value)), isKnown(row.low) && band("band later", at01(row.low), at01(row.high)));
  const title = make("span", { class: "title", title: facts.says }, facts.title);
  return put(make("tr", { class: rank ? "" : "focus" },
    make("th", { scope: "row", class: "key" }, title, make("code", {}, [m, ...also].join(" = "))),
    put(right("", `value ${later}`), m, value), drawn(line),
    right(moved ? `${gain > 0 ? "\u25b2" : "\u25bc"} ${number(Math.abs(gain))}` : "", gain > 0 ? "change up" : "change down"),
    ...[row, ten].map((s) => right(isKnown(value) ? ends(s) : DASH, "later"))), m, value);
}

// -- two tables

function duel(rows) {
  at("duel").hidden = !rows.length;
  const sides = Map.groupBy(merged(rows.filter(({ facts, value, other }) => facts.better !== "neither" && facts.low !== null && isKnown(value) && isKnown(other))), preferred);
  const apart = ({ facts, value, other }) => (value - other) / (facts.high - facts.low);
  const [first, neither, second] = ["first", "neither", "second"].map((side) => (sides.get(side) ?? []).sort((a, b) => Math.abs(apart(b)) - Math.abs(apart(a))));
  const many = ({ length }) => `${length} metric${length === 1 ? "" : "s"}`;
  at("duel-status").textContent = first.length && second.length
    ? `It depends on the metric: ${many(first)} prefer the first table, ${many(second)} the second.`
    : first.length + second.length === 0 ? "No metric tells the two tables apart."
      : `Every metric that tells them apart prefers the ${first.length ? "first" : "second"} table.`;
  const line = (row) => {
    const [a, b] = [place(row.value, row.facts), place(row.other, row.facts)];
    return make("tr", { class: `${preferred(row)} ${row.later}`, "data-duel": row.m }, named(row.facts.title), right(number(row.value)),
      drawn(track(band("between", a, b), mark("dot one", a), mark("dot two", b))), right(number(row.other)), make("td", {}, preferred(row)));
  };
  at("duels").replaceChildren(heads(["metric", "first", "", "second", "prefers"], 4), ...grouped([...first, ...neither, ...second.reverse()], 2, line));
}

function preferred({ facts, value, other }) {
  const gain = facts.better === "higher" ? value - other : other - value;
  return Math.abs(gain) > 1e-12 ? (gain > 0 ? "first" : "second") : "neither";
}
