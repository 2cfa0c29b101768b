// Play: an editable table whose every metric follows each change.

import { ask, at, download, drawn, get, make, number, say } from "/page/api.js";

const PRESETS = {
  "bird, cat, dog": { labels: ["bird", "cat", "dog"], first: [[6, 1, 1], [1, 5, 2], [2, 3, 7]] },
  "the two macro F1s apart (extremal, 2 classes)": { labels: ["a", "b"], first: [[1, 0], [1000, 1]] },
  "the two macro F1s apart (extremal, 4 classes)": {
    labels: ["a", "b", "c", "d"],
    first: [[1, 0, 0, 0], [1000, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1000, 1]],
  },
  "doppelgangers: the order flips": {
    labels: ["a", "b", "c"],
    first: [[0, 1, 0], [6, 44, 5], [2, 1, 1]],
    second: [[1, 0, 0], [25, 8, 22], [0, 0, 4]],
  },
  "prevalence scaling: as observed": { labels: ["x", "y"], first: [[15, 10], [5, 10]] },
  "prevalence scaling: y four times as frequent": { labels: ["x", "y"], first: [[15, 10], [20, 40]] },
  "accuracy stays, macro F1 falls": {
    labels: ["common", "rare"],
    first: [[950, 0], [10, 40]],
    second: [[960, 0], [40, 0]],
  },
};
const MOST = 12;

let state = null;
let begun = null; // the metrics of the preset, to say what changed since
let answer = null;
let past = [];
let future = [];
let asked = null;

const copy = (x) => JSON.parse(JSON.stringify(x));
const preset = (name) => ({ second: null, mix: null, name, ...copy(PRESETS[name]) });

export function begin(given) {
  at("preset").append(make("option", { value: "" }, "a table of my own"), ...Object.keys(PRESETS).map((name) => make("option", {}, name)));
  at("preset").addEventListener("change", () => at("preset").value && start(preset(at("preset").value)));
  at("add-class").addEventListener("click", addClass);
  at("remove-class").addEventListener("click", removeClass);
  at("undo").addEventListener("click", () => step(past, future));
  at("redo").addEventListener("click", () => step(future, past));
  at("two").addEventListener("change", () =>
    change((s) => (s.second = at("two").checked ? copy(s.first) : null)),
  );
  at("as-observed").addEventListener("click", () => change((s) => (s.mix = null)));
  at("take").addEventListener("click", take);
  at("copy-link").addEventListener("click", copyLink);
  at("find").addEventListener("submit", find);
  at("find-gap").addEventListener("click", () =>
    start(preset("the two macro F1s apart (extremal, 4 classes)")),
  );
  addEventListener("keydown", (event) => {
    if (at("play").hidden || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
    event.preventDefault();
    if (event.shiftKey) step(future, past);
    else step(past, future);
  });
  get("/api/v1/metrics").then(({ metrics: all }) => {
    const names = Object.keys(all).filter((m) => all[m].better !== "neither" && !all[m].of_one_class);
    for (const [id, chosen] of [["find-one", "macro_f1"], ["find-two", "f1_of_averages"]]) {
      at(id).append(...names.map((m) => make("option", { selected: m === chosen }, m)));
    }
  });
  start(read(given) ?? preset(Object.keys(PRESETS)[0]));
}

export function moved(given) {
  const found = read(given);
  if (found && written(found) !== written(state)) start(found);
}

// -- what is shown, and its history

function start(next) {
  if (state) past.push(copy(state));
  future = [];
  state = next;
  begun = null;
  show();
}

function change(edit) {
  past.push(copy(state));
  if (past.length > 500) past.shift();
  future = [];
  edit(state);
  show();
}

function step(from, to) {
  if (!from.length) return;
  to.push(copy(state));
  state = from.pop();
  show();
}

function addClass() {
  if (state.labels.length >= MOST) return;
  change((s) => {
    let name = s.labels.length + 1;
    while (s.labels.includes(`class ${name}`)) name += 1;
    s.labels.push(`class ${name}`);
    for (const m of [s.first, s.second].filter(Boolean)) {
      for (const row of m) row.push(0);
      m.push(s.labels.map((_, j) => (j === m.length ? 1 : 0)));
    }
    s.mix = null;
  });
}

function removeClass() {
  if (state.labels.length <= 2) return;
  change((s) => {
    s.labels.pop();
    for (const m of [s.first, s.second].filter(Boolean)) {
      m.pop();
      for (const row of m) row.pop();
    }
    s.mix = null;
  });
}

// -- the address holds the state, so that it can be shared

const listed = (m) => m.map((row) => row.join(",")).join(";");

function written(s) {
  const parts = new URLSearchParams({ m: listed(s.first), l: JSON.stringify(s.labels) });
  if (s.second) parts.set("o", listed(s.second));
  if (s.mix) parts.set("mix", s.mix.join(","));
  return parts.toString();
}

function read(text) {
  if (!text) return null;
  const parts = new URLSearchParams(text);
  const matrix = (name) => parts.get(name)?.split(";").map((row) => row.split(",").map(Number)) ?? null;
  try {
    const first = matrix("m");
    const labels = JSON.parse(parts.get("l")).map(String);
    const k = labels.length;
    const fits = (m) => m.length === k && m.every((r) => r.length === k && r.every((x) => x >= 0));
    const second = matrix("o");
    const mix = parts.get("mix")?.split(",").map(Number) ?? null;
    if (k < 2 || k > MOST || !fits(first) || (second && !fits(second))) return null;
    if (mix && (mix.length !== k || !mix.every((x) => x >= 0))) return null;
    return { name: "", labels, first, second, mix };
  } catch {
    return null;
  }
}

// -- the tables

function show() {
  editor(at("first"), "first", state.second ? "First table" : "Table");
  at("second").hidden = !state.second;
  at("two").checked = Boolean(state.second);
  if (state.second) editor(at("second"), "second", "Second table");
  at("preset").value = state.name ?? "";
  at("undo").disabled = !past.length;
  at("redo").disabled = !future.length;
  at("add-class").disabled = state.labels.length >= MOST;
  at("remove-class").disabled = state.labels.length <= 2;
  sliders();
  history.replaceState(null, "", `#play?${written(state)}`);
  refresh();
}

function editor(into, which, title) {
  const matrix = state[which];
  const k = state.labels.length;
  const focus = document.activeElement?.dataset;
  const kept = focus?.which === which ? [focus.row, focus.column] : null;
  const head = make("tr", {}, make("th", { scope: "col" }, "true \\ predicted"));
  head.append(...state.labels.map((l) => make("th", { scope: "col" }, l)), make("th", { scope: "col" }, "total"));
  const rows = matrix.map((row, i) => {
    const name = make("input", {
      value: state.labels[i], maxlength: 100, "aria-label": `name of class ${i + 1}`,
      onchange: (event) => rename(i, event.target.value),
    });
    const cells = row.map((x, j) => make("td", { class: i === j ? "right" : false }, cell(which, i, j, x)));
    return make("tr", {}, make("th", { scope: "row" }, name), ...cells,
      make("td", { class: "total" }, String(sum(row))));
  });
  const columns = state.labels.map((_, j) => make("td", { class: "total" }, String(sum(matrix.map((r) => r[j])))));
  const foot = make("tr", {}, make("th", { scope: "row" }, "total"), ...columns,
    make("td", { class: "total" }, String(sum(matrix.map(sum)))));
  const table = make("table", { class: "edit" }, make("caption", {}, title), make("thead", {}, head),
    make("tbody", {}, ...rows), make("tfoot", {}, foot));
  into.replaceChildren(make("div", { class: "frame", tabindex: 0, role: "region", "aria-label": title }, table));
  if (kept && kept[0] < k) into.querySelector(`[data-row="${kept[0]}"][data-column="${kept[1]}"]`)?.focus();
}

const sum = (row) => row.reduce((a, b) => a + b, 0);

function rename(i, name) {
  const wanted = name.trim();
  if (!wanted || state.labels.some((l, j) => l === wanted && j !== i)) {
    say("play-error", wanted ? `two classes cannot both be called ${wanted}` : "a class needs a name");
    return show();
  }
  change((s) => (s.labels[i] = wanted));
}

function cell(which, i, j, value) {
  return make("input", {
    value: String(value), inputmode: "numeric", "data-which": which, "data-row": i, "data-column": j,
    "aria-label": `true ${state.labels[i]}, predicted ${state.labels[j]}`,
    onchange: (event) => set(which, i, j, event.target),
    onkeydown: (event) => move(event, which, i, j),
    onpaste: (event) => paste(event, which, i, j),
    onfocus: (event) => event.target.select(),
  });
}

const counted = (text) => {
  const plain = text.trim();
  const x = plain === "" ? 0 : Number(plain);
  return Number.isFinite(x) && x >= 0 && x <= 1e12 ? x : null;
};

function set(which, i, j, input) {
  const value = counted(input.value);
  if (value === null) {
    say("play-error", `a count must be a number from 0 to 1e12, got ${input.value.slice(0, 40)}`);
    input.setAttribute("aria-invalid", "true");
    return;
  }
  if (value !== state[which][i][j]) change((s) => (s[which][i][j] = value));
}

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], Enter: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function move(event, which, i, j) {
  if (!(event.key in STEPS)) return;
  const [down, across] = STEPS[event.key];
  const input = event.target;
  const inside = across < 0 ? input.selectionStart > 0 : input.selectionEnd < input.value.length;
  if (across && input.selectionStart === input.selectionEnd && inside) return;
  event.preventDefault();
  const [row, column] = [i + down, j + across];
  set(which, i, j, input);
  at(which).querySelector(`[data-row="${row}"][data-column="${column}"]`)?.focus();
}

function paste(event, which, i, j) {
  const text = event.clipboardData.getData("text");
  const rows = text.replace(/\s+$/, "").split(/\r?\n/).map((line) => line.split(/\t|;|,\s*|\s+/));
  if (rows.length === 1 && rows[0].length === 1) return;
  event.preventDefault();
  const numbers = rows.map((row) => row.map(counted));
  if (numbers.flat().some((x) => x === null)) {
    say("play-error", `expected numbers in what is pasted, got ${rows.flat()[numbers.flat().indexOf(null)].slice(0, 40)}`);
    return;
  }
  const k = state.labels.length;
  if (i + numbers.length > k || j + Math.max(...numbers.map((r) => r.length)) > k) {
    if (i || j || numbers.length > MOST || numbers.some((r) => r.length !== numbers.length)) {
      say("play-error", `what is pasted has ${numbers.length} rows and does not fit here`);
      return;
    }
  }
  change((s) => {
    while (s.labels.length < numbers.length) {
      s.labels.push(`class ${s.labels.length + 1}`);
      for (const m of [s.first, s.second].filter(Boolean)) {
        for (const row of m) row.push(0);
        m.push(s.labels.map(() => 0));
      }
      s.mix = null;
    }
    numbers.forEach((row, down) => row.forEach((x, across) => (s[which][i + down][j + across] = x)));
  });
}

// -- sliders of prevalence

function shares() {
  if (state.mix) {
    const whole = sum(state.mix) || 1;
    return state.mix.map((x) => x / whole);
  }
  const rows = state.first.map(sum);
  const whole = sum(rows) || 1;
  return rows.map((x) => x / whole);
}

function sliders() {
  const now = shares();
  if (at("sliders").contains(document.activeElement)) {
    state.labels.forEach((l, i) => (at(`share-${i}`).textContent = `${(100 * now[i]).toFixed(1)} %`));
    return;
  }
  at("sliders").replaceChildren(...state.labels.map((l, i) =>
    make("label", { class: "slider" }, make("span", {}, l),
      make("input", {
        type: "range", min: 0.1, max: 99.9, step: 0.1, value: 100 * now[i], "data-class": i,
        oninput: (event) => slide(i, Number(event.target.value) / 100),
      }),
      make("output", { id: `share-${i}` }, `${(100 * now[i]).toFixed(1)} %`))));
}

function slide(i, share) {
  const now = shares();
  const rest = sum(now.filter((_, j) => j !== i)) || 1;
  const next = now.map((x, j) => (j === i ? share : (x / rest) * (1 - share)));
  if (!next.every((x) => x > 0)) return;
  change((s) => (s.mix = next.map((x) => Number(x.toPrecision(6)))));
  for (const input of at("sliders").querySelectorAll("input")) {
    if (Number(input.dataset.class) !== i) input.value = 100 * next[input.dataset.class];
  }
}

// -- what the server says

function body() {
  const now = shares();
  const whole = sum(now);
  const mix = state.mix ? Object.fromEntries(state.labels.map((l, i) => [l, now[i] / whole])) : null;
  return { matrix: state.first, labels: state.labels, other: state.second, mix };
}

async function refresh() {
  asked?.abort();
  asked = new AbortController();
  try {
    answer = await ask("play", body(), "json", asked.signal);
  } catch (error) {
    if (error.name !== "AbortError") say("play-error", error.message);
    return;
  }
  say("play-error", "");
  const values = Object.fromEntries(Object.entries(answer.score.metrics).map(([m, s]) => [m, s.value]));
  begun ??= values;
  metrics(values);
  bars();
  status();
  code();
}

const span = (s) => (s.low === null ? "" : `[${number(s.low)}, ${number(s.high)}]`);

function metrics(values) {
  const head = ["metric", "value", "since the start", "95 % interval", "with ten times the items", "calibrated"];
  if (answer.current) head.push("at this mix");
  if (answer.other) head.push("second table", "prefers");
  const merged = new Map();
  for (const [name, s] of Object.entries(answer.score.metrics)) {
    const other = answer.other?.[name];
    const key = JSON.stringify([s.value, s.low, s.high, answer.calibrated?.[name], answer.current?.[name], other]);
    merged.set(key, [...(merged.get(key) ?? []), name]);
  }
  const rows = [...merged.values()].map((names) => {
    const [name] = names;
    const s = answer.score.metrics[name];
    const gain = values[name] - begun[name];
    const moved = Math.abs(gain) < 5e-5 ? "" : `${gain > 0 ? "\u25b2" : "\u25bc"} ${number(Math.abs(gain))}`;
    const cells = [number(s.value), moved, span(s), span(answer.tenfold[name]), number(answer.calibrated?.[name])];
    if (answer.current) cells.push(number(answer.current[name]));
    if (answer.other) cells.push(number(answer.other[name]), answer.prefers[name]);
    const kind = gain > 5e-5 ? "up" : gain < -5e-5 ? "down" : false;
    return make("tr", {}, make("th", { scope: "row" }, names.join(" = ")),
      ...cells.map((c, i) => make("td", { class: i === 1 ? kind : false }, c)));
  });
  at("metrics").replaceChildren(
    make("thead", {}, make("tr", {}, ...head.map((h) => make("th", { scope: "col" }, h)))),
    make("tbody", {}, ...rows));
}

function bars() {
  const width = 100;
  at("bars").replaceChildren(...answer.score.classes.map((c) => {
    const lines = ["precision", "recall", "f1"].map((m) => {
      const bar = drawn("svg", { viewBox: `0 0 ${width} 8`, preserveAspectRatio: "none", "aria-hidden": "true" },
        drawn("rect", { width, height: 8, class: "bed" }),
        drawn("rect", { width: width * (c[m] ?? 0), height: 8, class: `bar ${m}` }));
      return make("div", { class: "bar-line" }, make("span", {}, m === "f1" ? "F1" : m), bar, make("span", {}, number(c[m], 3)));
    });
    return make("div", { class: "class" }, make("h3", {}, String(c.label)), ...lines);
  }));
}

function status() {
  const { macro_f1: one, f1_of_averages: two, gap } = answer.score.twins;
  let said = `Macro F1 is ${number(one)} as the mean of F1 and ${number(two)} as the F1 of averages; they differ by ${number(gap)}.`;
  if (answer.pair && gap > 5e-5) {
    const { classes, share } = answer.pair;
    said += ` ${(100 * share).toFixed(0)} % of it comes from ${classes[0]} and ${classes[1]}.`;
  }
  if (answer.prefers) {
    const by = (which) => Object.entries(answer.prefers).filter(([, w]) => w === which).length;
    said += ` ${by("first")} metrics prefer the first table, ${by("second")} the second.`;
  }
  at("play-status").textContent = said;
}

function code() {
  const labels = JSON.stringify(state.labels);
  const lines = ["import evenhand as eh", "", `table = eh.Confusion.from_matrix(${JSON.stringify(state.first)}, labels=${labels})`, "print(eh.score(table))"];
  if (state.mix) {
    const { mix } = body();
    lines.push(`print(eh.shift.extrapolate(table, to=${JSON.stringify(mix)}))`);
  }
  at("code").textContent = lines.join("\n");
}

// -- taking it along

const ENDS = { csv: "csv", latex: "tex", markdown: "md", html: "html" };

async function take(event) {
  const { form } = event.target.dataset;
  if (!form) return;
  try {
    if (form === "image") {
      const picture = await ask("picture", { matrix: state.first, labels: state.labels }, "text");
      return download(picture, "table.svg", "image/svg+xml");
    }
    const text = await ask("score", { matrix: state.first, labels: state.labels }, form);
    download(text, `scores.${ENDS[form]}`, "text/plain");
  } catch (error) {
    say("play-error", error.message);
  }
}

async function copyLink() {
  await navigator.clipboard.writeText(location.href);
  at("copy-link").textContent = "Copied";
  setTimeout(() => (at("copy-link").textContent = "Copy the link"), 1500);
}

async function find(event) {
  event.preventDefault();
  try {
    const k = Math.max(2, Math.min(4, state.labels.length));
    const found = await ask("find", { one: at("find-one").value, two: at("find-two").value, k });
    const labels = [..."abcd"].slice(0, k);
    start({ name: "", labels, first: found.first, second: found.second, mix: null });
  } catch (error) {
    say("play-error", error.message);
  }
}
