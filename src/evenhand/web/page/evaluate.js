// Evaluate: files in, scores, comparison or leaderboard out.

import { ENDS, at, download, droppable, embed, get, make, say, send, why } from "/page/api.js";

let working = null;
let report = null; // what is shown, to take along
const files = { gold: [], runs: [] };
const COLUMNS = ["true", "pred", "id", "system", "sample", "weights", "cluster"];
const ROLES = { truth: "true", predictions: "pred", ids: "id", systems: "system", samples: "sample", weights: "weights" };

// What a control is called, by the option that an error of the command line asks for.
const CONTROLS = { true: "Truth", pred: "Predictions", label: "Truth and Predictions", id: "Matches items", system: "System", sample: "Sample of an item",
  weights: "Weights", cluster: "Dependent items", missing: "Missing predictions", delimiter: "Separator", encoding: "Encoding",
  "by-row": "Match items by row", "by-metric": "Ordered by" };

// An error in the words of the page: its controls for options that have one.
const worded = (text) => text.replace(/--([a-z][a-z-]*)(?:[= ](?:COL|NAME|CHAR|METRIC|[A-Z]+\b|wrong|error))?/g, (flag, name) =>
  (name in CONTROLS ? `\u2018${CONTROLS[name]}\u2019${/wrong$/.test(flag) ? " (count as errors)" : ""}` : flag));

// The shared task as files: the truth, and two systems that the two macro F1s order differently.
async function example() {
  const { labels, first, second } = (await get("/page/presets.json")).find((p) => p.name === "the shared task");
  const lines = (matrix, name, of) => new File([matrix.flatMap((row, i) => row.flatMap((n, j) => Array(n).fill(labels[of(i, j)]))).join("\n")], name);
  await taken("gold", [lines(first, "gold.txt", (i) => i)]);
  await taken("runs", [lines(first, "first.txt", (i, j) => j), lines(second, "second.txt", (i, j) => j)]);
  at("files").requestSubmit();
}

export async function begin() {
  at("evaluate-example").addEventListener("click", example);
  for (const which of Object.keys(files)) {
    at(which).addEventListener("change", () => taken(which, [...at(which).files]));
    droppable(at(`drop-${which}`), (given) => taken(which, given));
  }
  at("files").addEventListener("submit", evaluate);
  at("cancel").addEventListener("click", () => working?.abort());
  at("evaluate-take").addEventListener("click", (event) => take(event.target.dataset.form));
  const { metrics } = await get("/api/v1/metrics");
  const names = Object.keys(metrics).filter((m) => metrics[m].better !== "neither" && !metrics[m].of_one_class);
  at("by-metric").append(...names.map((m) => make("option", { selected: m === "macro_f1" }, m)));
  ready();
}

async function taken(which, given) {
  files[which] = which === "gold" ? given.slice(0, 1) : given;
  ready();
  const found = await Promise.all(Object.entries(files).map(async ([name, [first]]) => {
    if (!first) return say(`${name}-is`, "");
    try {
      const look = await looked(first);
      say(`${name}-is`, described(files[name], look));
      return [name, look];
    } catch (error) {
      say(`${name}-is`, `${first.name}: ${error.message}`);
    }
  }));
  choices(Object.fromEntries(found.filter(Boolean)));
}

const known = new WeakMap();

// What a file is: asked once.
function looked(file) {
  if (!known.has(file)) {
    const form = new FormData();
    form.append("file", file);
    known.set(file, send("/api/v1/look", form).then((response) => response.json()));
  }
  return known.get(file);
}

function described(given, look) {
  const rows = look.rows === null ? "" : `, ${look.rows.toLocaleString("en")} rows`;
  const names = given.map((f) => f.name);
  const more = names.length > 4 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
  return given.length > 1 ? `${more} (the first: ${look.kind}${rows})` : `${more}: ${look.kind}${rows}`;
}

const tabular = (look) => look && look.columns.length > 1;

// What columns there are, with the guess chosen.
function choices(looked) {
  const both = tabular(looked.gold) || tabular(looked.runs);
  at("chosen").hidden = !both;
  const one = looked.gold && looked.runs ? null : looked.gold ?? looked.runs;
  for (const field of COLUMNS) {
    const look = one ?? (field === "pred" ? looked.runs : looked.gold);
    const names = (look?.columns ?? []).map((c) => c.name);
    const several = field === "pred" && one;
    const guessed = (look?.columns ?? []).filter((c) => ROLES[c.role] === field).map((c) => c.name);
    at(field).multiple = Boolean(several);
    at(field).size = several ? Math.min(6, Math.max(2, names.length)) : 1;
    const none = several ? [] : [make("option", { value: "" }, field === "true" || field === "pred" ? "choose \u2026" : "none")];
    at(field).replaceChildren(...none, ...names.map((n) => make("option", { value: n }, n)));
    const picked = several ? guessed : guessed.slice(0, 1);
    for (const option of at(field).options) option.selected = picked.includes(option.value) && option.value !== "";
    if (!several && !picked.length) at(field).value = "";
  }
  if (!both) for (const field of COLUMNS) at(field).replaceChildren();
}

function ready() {
  at("run").disabled = !files.gold.length && !files.runs.length;
}

function asked(form) {
  const data = new FormData();
  const [gold, runs] = files.runs.length ? [files.gold, files.runs] : [[], files.gold];
  for (const file of gold) data.append("gold", file);
  for (const file of runs) data.append("runs", file);
  for (const field of COLUMNS) {
    const picked = [...at(field).selectedOptions].map((o) => o.value).filter(Boolean);
    if (picked.length) data.append(field, picked.join(","));
  }
  for (const field of ["missing", "delimiter", "encoding"]) data.append(field, at(field).value);
  if (at("by-row").checked) data.append("by_row", "true");
  data.append("metric", at("by-metric").value);
  data.append("what", at("files").elements.what.value);
  data.append("format", form);
  return data;
}

async function run(form) {
  working = new AbortController();
  const begun = performance.now();
  at("working").hidden = false;
  at("run").disabled = true;
  const tell = () => say("evaluate-status", `Working \u2026 ${Math.round((performance.now() - begun) / 1000)} s`);
  tell();
  const clock = setInterval(tell, 1000);
  try {
    return await send("/api/v1/evaluate", asked(form), working.signal);
  } finally {
    clearInterval(clock);
    working = null;
    at("working").hidden = true;
    ready();
  }
}

async function evaluate(event) {
  event.preventDefault();
  say("evaluate-error", "");
  at("evaluated").hidden = true;
  try {
    const response = await run("html");
    report = await response.text();
    embed(report, at("evaluate-result"));
    at("command-line").textContent = decodeURIComponent(response.headers.get("X-Command") ?? "");
    at("evaluate-parts").replaceChildren(...[...at("evaluate-result").querySelectorAll("section > h2")].map((h2) =>
      make("button", { type: "button", class: "quiet", onclick: () => h2.scrollIntoView() }, h2.textContent)));
    at("evaluated").hidden = false;
    at("evaluated").scrollIntoView(); // focus alone puts its middle, far down, into the window
    at("evaluated").focus({ preventScroll: true });
  } catch (error) {
    failed(error);
  }
}

function failed(error) {
  const words = worded(why(error));
  say("evaluate-error", words);
  if (/Separator|Encoding|Missing predictions|Match items by row/.test(words)) at("reading").open = true;
}

async function take(form) {
  if (!form) return;
  say("evaluate-error", "");
  try {
    const blob = form === "html" ? new Blob([report], { type: "text/html" }) : await (await run(form)).blob();
    download(blob, `evaluation.${ENDS[form]}`);
  } catch (error) {
    failed(error);
  }
}
