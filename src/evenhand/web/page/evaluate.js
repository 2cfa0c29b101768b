// Evaluate: files in, scores, comparison or leaderboard out.

import { at, download, get, make, say, send, shown } from "/page/api.js";

let working = null;
const files = { gold: [], runs: [] };

export async function begin() {
  for (const which of Object.keys(files)) {
    at(which).addEventListener("change", () => taken(which, [...at(which).files]));
    const place = at(`drop-${which}`);
    place.addEventListener("dragover", (event) => event.preventDefault());
    place.addEventListener("drop", (event) => {
      event.preventDefault();
      taken(which, [...event.dataTransfer.files]);
    });
  }
  at("files").addEventListener("submit", evaluate);
  at("cancel").addEventListener("click", () => working?.abort());
  at("evaluate-take").addEventListener("click", (event) => take(event.target.dataset.form));
  const { metrics } = await get("/api/v1/metrics");
  const names = Object.keys(metrics).filter((m) => metrics[m].better !== "neither" && !metrics[m].of_one_class);
  at("by-metric").append(...names.map((m) => make("option", { selected: m === "macro_f1" }, m)));
}

async function taken(which, given) {
  files[which] = which === "gold" ? given.slice(0, 1) : given;
  const [first] = files.gold.length ? files.gold : files.runs;
  at("guessed").textContent = [...files.gold, ...files.runs].map((f) => f.name).join(", ");
  if (!first) return;
  const form = new FormData();
  form.append("file", first);
  try {
    const found = await (await send("/api/v1/look", form)).json();
    at("columns").replaceChildren(...found.columns.map((c) => make("option", { value: c.name })));
    const roles = { true: "truth", pred: "predictions", id: "ids" };
    for (const [field, role] of Object.entries(roles)) {
      const names = found.columns.filter((c) => c.role === role).map((c) => c.name);
      if (!at(field).value && names.length) at(field).value = names.join(",");
    }
    at("guessed").textContent = `${first.name}: ${found.kind}, ${found.rows ?? "?"} rows`;
  } catch (error) {
    at("guessed").textContent = error.message;
  }
}

function asked(form) {
  const data = new FormData();
  for (const file of files.gold) data.append("gold", file);
  for (const file of files.runs) data.append("runs", file);
  for (const field of ["true", "pred", "id"]) if (at(field).value.trim()) data.append(field, at(field).value.trim());
  data.append("metric", at("by-metric").value);
  data.append("format", form);
  return data;
}

async function run(form) {
  working = new AbortController();
  at("cancel").hidden = false;
  const start = performance.now();
  const clock = setInterval(() => say("evaluate-status", `Working for ${Math.round((performance.now() - start) / 1000)} s …`), 500);
  try {
    return await send("/api/v1/evaluate", asked(form), working.signal);
  } finally {
    clearInterval(clock);
    say("evaluate-status", "");
    at("cancel").hidden = true;
    working = null;
  }
}

async function evaluate(event) {
  event.preventDefault();
  say("evaluate-error", "");
  at("evaluate-result").replaceChildren();
  try {
    const response = await run("html");
    shown(await response.text(), at("evaluate-result"));
    at("evaluate-take").hidden = false;
    at("command-line").hidden = false;
    at("command-line").firstChild.textContent = decodeURIComponent(response.headers.get("X-Command") ?? "");
  } catch (error) {
    say("evaluate-error", error.name === "AbortError" ? "Cancelled." : error.message);
  }
}

const ENDS = { html: "html", csv: "csv", latex: "tex", json: "json" };

async function take(form) {
  if (!form) return;
  try {
    download(await (await run(form)).text(), `evaluation.${ENDS[form]}`, "text/plain");
  } catch (error) {
    say("evaluate-error", error.message);
  }
}
