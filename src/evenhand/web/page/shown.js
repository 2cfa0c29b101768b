// What the server says of a table, drawn: the two macro F1s, every metric, classes, mixes, a second table.

import { at, make, number } from "/page/api.js";

const SEEN = 5e-5; // what four decimals show

export function shown(answer, state) {
  twins(answer);
  metrics(answer, state);
  classes(answer);
  mixes(answer);
  duel(answer);
  at("play-status").textContent = sentence(answer);
}

const ends = (s) => (s && s.low !== null ? `${number(s.low)} \u2013 ${number(s.high)}` : "");

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

// -- both macro F1s

function twins(answer) {
  const { macro_f1: mean, f1_of_averages: averages, gap } = answer.score.twins;
  const value = (x, text, kind) => make("div", { class: kind }, make("dt", {}, text), make("dd", { class: "value" }, number(x)));
  const reach = { low: 0, high: 1 };
  const [a, b] = [place(mean, reach), place(averages, reach)];
  const line = a === null ? "" : track(band("gap", a, b), mark("dot mean", a), mark("dot averages", b));
  let said = `They differ by ${number(gap)}.`;
  if (gap < SEEN) said = "Here they agree.";
  else if (answer.pair) {
    const { classes: [one, two], share } = answer.pair;
    said += ` ${(100 * share).toFixed(0)} % of that comes from ${one} and ${two}.`;
  }
  at("twins").replaceChildren(
    make("h2", {}, "Both are called \u2018macro F1\u2019"),
    make("dl", { class: "pair" }, value(mean, "mean of the classes\u2019 F1", "mean"), value(averages, "F1 of the averages", "averages")),
    line, make("p", {}, said));
}

function sentence(answer) {
  const { macro_f1: mean, f1_of_averages: averages } = answer.score.twins;
  return `Accuracy ${number(answer.score.metrics.accuracy.value)}, macro F1 ${number(mean)}, F1 of averages ${number(averages)}.`;
}

// -- every metric

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
  const order = ([m]) => (m === state.focus ? 0 : answer.metrics[m].headline ? 1 : 2);
  rows.sort((a, b) => order(a) - order(b));
  const head = ["metric", "value", "since the start", "", "95 % interval", "with 10 \u00d7 the items"];
  at("metrics").replaceChildren(...table(head, rows.map(([m, names]) => row(answer, state, m, names))));
}

function row(answer, state, m, names) {
  const told = answer.metrics[m];
  const s = answer.score.metrics[m];
  const was = answer.start?.[m];
  const gain = typeof was === "number" && typeof s.value === "number" ? s.value - was : 0;
  const still = Math.abs(gain) < SEEN;
  const moved = still ? "" : `${gain > 0 ? "\u25b2" : "\u25bc"} ${number(Math.abs(gain))}`;
  const ten = answer.tenfold[m];
  const at01 = (x) => place(x, told);
  const line = at01(s.value) === null ? "" : track(
    told.low < 0 && mark("zero", at01(0)),
    s.low !== null && band("band", at01(s.low), at01(s.high)),
    ten?.low != null && band("ten", at01(ten.low), at01(ten.high)),
    !still && mark("was", at01(was)), mark("dot", at01(s.value)));
  const also = names.filter((n) => n !== m && answer.metrics[n].headline).map((n) => ` = ${n}`).join("");
  const kind = m === state.focus ? "focus" : told.headline ? false : "more";
  return make("tr", { class: kind, "data-metric": m },
    make("th", { scope: "row", class: "key" }, make("span", { class: "title", title: told.says }, told.title), make("code", {}, m + also)),
    make("td", { class: "right value" }, number(s.value)),
    make("td", { class: `right ${still ? "" : gain > 0 ? "up" : "down"}` }, moved),
    make("td", { class: "drawn" }, line),
    make("td", { class: "right" }, ends(s)), make("td", { class: "right" }, ends(ten)));
}

// -- classes

function classes(answer) {
  at("bars").replaceChildren(...answer.score.classes.map((c) => {
    const lines = [["precision", "precision"], ["recall", "recall"], ["f1", "F1"]].map(([m, name]) =>
      make("div", { class: "bar-line" }, make("span", {}, name),
        track(typeof c[m] === "number" && band(`fill ${m}`, 0, c[m])), make("span", { class: "right" }, number(c[m], 3))));
    return make("div", { class: "class" }, make("h3", { class: "label" }, String(c.label)), ...lines);
  }));
}

// -- class mixes

function mixes(answer) {
  const names = Object.keys(answer.metrics).filter((m) => answer.metrics[m].headline && m !== "micro_f1");
  at("mix-note").hidden = Boolean(answer.calibrated);
  const head = ["metric", "as observed", "equal classes", "at your mix"];
  const observed = Object.fromEntries(names.map((m) => [m, answer.score.metrics[m].value])); // until a slider is moved
  const value = (of, m) => make("td", { class: "right" }, of && m in of ? number(of[m]) : "");
  const rows = names.map((m) => make("tr", { "data-mixed": m }, make("th", { scope: "row", class: "key" }, answer.metrics[m].title),
    value(observed, m), value(answer.calibrated, m), value(answer.current ?? observed, m)));
  at("mixed").replaceChildren(...table(head, rows));
}

// -- two tables

function duel(answer) {
  at("duel").hidden = !answer.other;
  if (!answer.other) return;
  const sides = { first: [], second: [], neither: [] };
  for (const [m] of merged(answer)) {
    const told = answer.metrics[m];
    if (told.better !== "neither" && told.low !== null) sides[answer.prefers[m]].push(m);
  }
  const apart = (m) => {
    const { low, high } = answer.metrics[m];
    return Math.abs(answer.score.metrics[m].value - answer.other[m]) / (high - low);
  };
  sides.first.sort((a, b) => apart(b) - apart(a));
  sides.second.sort((a, b) => apart(a) - apart(b));
  const many = (n) => `${n} metric${n === 1 ? "" : "s"}`;
  const flip = sides.first.length && sides.second.length;
  at("duel-status").textContent = flip
    ? `It depends on the metric: ${many(sides.first.length)} prefer the first table, ${many(sides.second.length)} the second.`
    : sides.first.length + sides.second.length === 0 ? "No metric tells the two tables apart."
      : `Every metric that tells them apart prefers the ${sides.first.length ? "first" : "second"} table.`;
  const line = (m) => {
    const told = answer.metrics[m];
    const [a, b] = [place(answer.score.metrics[m].value, told), place(answer.other[m], told)];
    return make("tr", { class: answer.prefers[m], "data-duel": m }, make("th", { scope: "row", class: "key" }, told.title),
      make("td", { class: "right" }, number(answer.score.metrics[m].value)),
      make("td", { class: "drawn" }, a === null || b === null ? "" : track(band("between", a, b), mark("dot one", a), mark("dot two", b))),
      make("td", { class: "right" }, number(answer.other[m])),
      make("td", {}, answer.prefers[m]));
  };
  const head = ["metric", "first", "", "second", "prefers"];
  at("duels").replaceChildren(...table(head, [...sides.first, ...sides.neither, ...sides.second].map(line), 4));
}
