// Evaluate: files in, scores, comparison or leaderboard out.

import { ENDS, at, call, download, droppable, embed, file, forms, get, job, make, say } from "/page/api.js";

// The controls, by the option of the command line that each stands for: its name here, and what it offers. Some are
// of a file's columns, the others are yes or no, a text, or a choice.
const COLUMNS = {
  true: ["Truth", "column"], pred: ["Predictions", "columns"], probabilities: ["Probabilities or scores", "columns"],
  positive: ["Positive class", "text"], decide: ["Decided from", "number"], score: ["Grades from 0 to 1", "column"],
  id: ["Matches items", "column"], system: ["System", "column"], sample: ["Sample of an item", "column"],
  weights: ["Weights", "column"], cluster: ["Dependent items", "column"],
};
const LOG = { scorer: ["Scorer or metric", "text"], filter: ["Filter", "text"] };
const MANNER = {
  missing: ["Missing predictions", { "": "stop and say so", wrong: "count as errors" }],
  delimiter: ["Separator of columns", { "": "as each file shows", ",": ",", ";": ";", "|": "|", "\\t": "Tab" }],
  encoding: ["Encoding", { "": "as each file shows", "utf-8": "utf-8", cp1252: "cp1252", "utf-16": "utf-16" }],
  kind: ["Lists of labels", { "": "as each file shows", "multi-label": "several labels of an item", tokens: "a label for each token" }],
  separator: ["Mark between labels of an item", "text"], labels: ["The classes, in order", "text"], score_range: ["Grades go from, to", "text"],
  by_row: ["Match items by row, though files have ids", "yes"], no_header: ["The first row is data", "yes"],
  ignore_case: ["Labels may differ in case", "yes"], drop_null_truth: ["Leave out rows without truth", "yes"], keep_going: ["Leave out files that do not fit", "yes"],
};
const CONTROLS = { ...COLUMNS, ...LOG, ...MANNER };
const TITLES = { label: "Truth\u2019 and \u2018Predictions", by_metric: "Ordered by", ...Object.fromEntries(Object.entries(CONTROLS).map(([name, [title]]) => [name, title])) };
const ROLES = { truth: "true", predictions: "pred", ids: "id", systems: "system", samples: "sample", weights: "weights" };

const files = { gold: [], runs: [] };
const known = new WeakMap(); // what a file is: asked once
let looking = null; // until what the files are is known
let asked = null; // what is shown, to take along: the question, and its report
let report = null;
let run = null;

// The shared task as files: the truth, and two systems that the two macro F1s order differently.
async function example() {
  const { labels, first, second } = (await file("/page/presets.json")).find((p) => p.name === "the shared task");
  const lines = (matrix, name, of) => new File([matrix.flatMap((row, i) => row.flatMap((n, j) => Array(n).fill(labels[of(i, j)]))).join("\n")], name);
  taken("gold", [lines(first, "gold.txt", (i) => i)]);
  looking = taken("runs", [lines(first, "first.txt", (i, j) => j), lines(second, "second.txt", (i, j) => j)]);
  at("files").requestSubmit();
}

export async function begin() {
  run = job("evaluate", worded);
  for (const [id, group] of [["chosen", COLUMNS], ["log", LOG], ["manner", MANNER]])
    at(id).append(...Object.entries(group).map(([name, [title, kind]]) => control(name, title, kind)));
  at("evaluate-example").addEventListener("click", example);
  for (const which of Object.keys(files)) droppable(at(`drop-${which}`), at(which), (given) => (looking = taken(which, given)));
  at("files").addEventListener("submit", evaluate);
  forms("evaluate-take", { html: "Report", csv: "CSV", latex: "LaTeX", json: "JSON" }, take);
  const { metrics } = await get("metrics");
  const names = Object.keys(metrics).filter((m) => metrics[m].better !== "neither" && !metrics[m].of_one_class);
  at("by_metric").append(make("option", { value: "" }, "macro F1, or the mean of grades"), ...names.map((m) => make("option", {}, m)));
}

function control(id, title, kind) {
  if (kind === "yes") return make("label", { class: "check" }, make("input", { id, type: "checkbox" }), ` ${title}`);
  if (kind === "text" || kind === "number")
    return make("label", {}, `${title} `, make("input", { id, type: kind, step: "any", list: `${id}-known` }), make("datalist", { id: `${id}-known` }));
  const choices = typeof kind === "string" ? [] : Object.entries(kind).map(([value, text]) => make("option", { value }, text));
  return make("label", {}, `${title} `, make("select", { id }, ...choices));
}

const offer = (id, values) => at(`${id}-known`).replaceChildren(...values.map((value) => make("option", { value })));

// -- what the files are

async function taken(which, given) {
  files[which] = which === "gold" ? given.slice(0, 1) : given;
  const shown = new DataTransfer(); // so that the field names what was dropped
  for (const one of files[which]) shown.items.add(one);
  at(which).files = shown.files;
  at("run").disabled = !files.gold.length && !files.runs.length;
  const now = { ...files };
  const looks = await Promise.all(Object.values(now).map(([first]) => first && looked(first).catch((error) => error)));
  if (Object.keys(now).some((name) => now[name] !== files[name])) return; // other files were given meanwhile
  Object.entries(now).forEach(([name, given], i) => say(`${name}-is`, given.length ? described(given, looks[i]) : ""));
  choices(...looks.map((look) => (look instanceof Error ? undefined : look)));
}

function looked(one) {
  const form = new FormData();
  form.append("file", one);
  if (!known.has(one)) known.set(one, call("look", form).then((response) => response.json()));
  return known.get(one);
}

function described(given, look) {
  if (look instanceof Error) return `${given[0].name}: ${look.message}`;
  const rows = look.rows === null ? "" : `, ${look.rows.toLocaleString("en")} rows`;
  const names = given.map((f) => f.name);
  const more = names.length > 4 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
  return given.length > 1 ? `${more} (the first: ${look.kind}${rows})` : `${more}: ${look.kind}${rows}`;
}

// What columns there are, with the guess chosen: fractions that are nothing else are scores, where nothing is predicted.
function choices(gold, runs) {
  const tables = [gold, runs].map((look) => (look?.columns.length > 1 ? look : null));
  at("chosen").hidden = !tables.some(Boolean);
  at("log").hidden = ![gold, runs].some((look) => /^a (log|folder)/.test(look?.kind));
  const one = gold && runs ? null : gold ?? runs;
  for (const [field, [, kind]] of Object.entries(COLUMNS)) {
    if (!kind.startsWith("column")) continue;
    const ofRun = ["pred", "probabilities", "score"].includes(field);
    const columns = (at("chosen").hidden ? null : one ?? (ofRun ? runs : gold))?.columns ?? [];
    const several = kind === "columns" && (one || field === "probabilities");
    const predicted = columns.some((c) => c.role === "predictions") || (one && !columns.some((c) => c.role === "truth"));
    const scored = (c) => !predicted && !c.role && c.examples.some((x) => /^-?\d*\.\d/.test(x));
    const guessed = columns.filter((c) => (field === "probabilities" ? scored(c) : ROLES[c.role] === field)).map((c) => c.name);
    const picked = several ? guessed : guessed.slice(0, 1);
    Object.assign(at(field), { multiple: Boolean(several), size: several ? Math.min(6, Math.max(2, columns.length)) : 1 });
    const none = several ? [] : [make("option", { value: "" }, field === "true" || field === "pred" ? "choose \u2026" : "none")];
    at(field).replaceChildren(...none, ...columns.map(({ name }) => make("option", { value: name, selected: picked.includes(name) }, name)));
  }
  offer("positive", [gold, runs].flatMap((look) => look?.columns ?? []).find((c) => c.role === "truth")?.examples ?? []);
}

// -- what is asked, and what comes of it

// Columns of one class each are named by what comes before their class, unless that alone is the class.
function probabilities(names) {
  const classes = [...at("positive-known").children].map((o) => o.value);
  if (names.length < 2 || classes.every((c) => names.includes(c))) return names.join(",");
  let prefix = names[0];
  while (!names.every((n) => n.startsWith(prefix))) prefix = prefix.slice(0, -1);
  return prefix || names.join(",");
}

function question() {
  const data = new FormData();
  const [gold, runs] = files.runs.length ? [files.gold, files.runs] : [[], files.gold];
  for (const one of gold) data.append("gold", one);
  for (const one of runs) data.append("runs", one);
  const picked = (name) => [...at(name).selectedOptions].map((o) => o.value).filter(Boolean);
  const scored = picked("probabilities");
  for (const [name, [, kind]] of Object.entries(CONTROLS)) {
    const value = kind === "yes" ? at(name).checked || "" : at(name).selectedOptions ? picked(name).join(",") : at(name).value;
    if (value && !(scored.length && name === "pred")) data.append(name, name === "probabilities" ? probabilities(scored) : value);
  }
  if (at("decide").value) data.set("decide", `${at("positive").value}=${at("decide").value}`);
  data.append("metric", at("by_metric").value);
  data.append("what", at("files").elements.what.value);
  return data;
}

function evaluate(event) {
  event.preventDefault();
  at("evaluated").hidden = true;
  run(async (signal) => {
    await looking; // so that the columns are those of these files
    asked = question();
    const response = await answer("html", signal);
    report = await response.text();
    embed(report, "evaluated", "evaluate-result");
    const tables = [...at("evaluate-result").querySelectorAll("section:not(:has(svg))")];
    at("evaluate-result").append(...tables); // pictures before tables
    at("command-line").textContent = decodeURIComponent(response.headers.get("X-Command") ?? "");
    at("evaluate-parts").replaceChildren(...[...at("evaluate-result").querySelectorAll("section > h2")].map((h2) =>
      make("button", { type: "button", class: "quiet", onclick: () => h2.scrollIntoView() }, h2.textContent)));
  });
}

// An error in the words of the page: controls for options, which are shown; what a log has to choose from is offered.
function worded(text) {
  const option = /--([a-z][a-z-]*)(?:[= ](?:[A-Z](?:[^a-z\s]*[A-Z])?(?![a-z])|argmax\S+|wrong|error|[^\s-]\S*$))?/g;
  return text.replace(option, (flag, dashed) => {
    const name = dashed.replaceAll("-", "_");
    if (!(name in TITLES)) return flag;
    for (const one of name in CONTROLS ? [at(name)] : []) {
      one.closest("fieldset, details").hidden = false;
      one.closest("fieldset, details").open = true;
      if (name in LOG) offer(name, [...text.matchAll(/'([^']+)'/g)].map(([, value]) => value));
    }
    return `\u2018${TITLES[name]}\u2019${/wrong$/.test(flag) ? " (count as errors)" : ""}`;
  });
}

function answer(form, signal) {
  asked.set("format", form);
  return call("evaluate", asked, signal);
}

function take(form) {
  run(async (signal) => {
    const blob = form === "html" ? new Blob([report], { type: "text/html" }) : await (await answer(form, signal)).blob();
    download(blob, `evaluation.${ENDS[form]}`);
  });
}
