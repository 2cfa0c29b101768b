// Audit: a pasted table, what its columns were taken for, and what cannot be reproduced.

import { ask, at, droppable, embed, get, make, say, why } from "/page/api.js";

const EXAMPLE = `| System   | Macro-P | Macro-R | Macro-F1 | Acc  |
|----------|---------|---------|----------|------|
| Baseline | 61.2    | 55.4    | 58.2     | 70.1 |
| Ours     | 71.9    | 64.3    | 67.9     | 78.4 |
| Theirs   | 70.0    | 50.0    | 72.5     | 77.0 |
`;
let headings = [];
let corrected = {};
let working = null;

export async function begin() {
  at("paste").addEventListener("submit", (event) => {
    event.preventDefault();
    corrected = {};
    audit();
  });
  const taken = async ([file]) => {
    if (!file) return;
    at("table").value = await file.text();
    at("paste").requestSubmit();
  };
  at("table-file").addEventListener("change", () => taken([...at("table-file").files]));
  droppable(at("table"), taken);
  at("audit-example").addEventListener("click", () => {
    at("table").value = EXAMPLE;
    at("paste").requestSubmit();
  });
  at("audit-cancel").addEventListener("click", () => working?.abort());
  headings = (await get("/api/v1/headings")).headings;
}

async function audit() {
  working?.abort();
  working = new AbortController();
  const { signal } = working;
  say("audit-error", "");
  at("audit-working").hidden = false;
  const runs = at("audit-runs").value;
  const map = Object.keys(corrected).length ? corrected : null;
  const body = { text: at("table").value, map, runs: runs ? Number(runs) : null, rerank: true,
    abstentions: at("abstentions").checked, more_classes: at("more-classes").checked };
  try {
    const [facts, page] = await Promise.all([ask("audit", body, "json", signal), ask("audit", body, "html", signal)]);
    at("audited").hidden = false;
    taken(facts);
    embed(page, at("audit-result"));
    for (const frame of at("audit-result").querySelectorAll('[aria-label="Read as"]')) frame.remove(); // the choices above say it
    at("audited").focus();
  } catch (error) {
    if (signal.aborted && working.signal !== signal) return; // asked anew
    at("audited").hidden = !Object.keys(corrected).length;
    say("audit-error", why(error));
  } finally {
    if (working?.signal === signal) at("audit-working").hidden = true;
  }
}

// What each column was taken for; another choice asks again.
function taken(facts) {
  const tables = facts.tables ?? [facts];
  const found = new Map();
  for (const table of tables) {
    for (const { header, taken_for: means } of table.columns ?? []) found.set(header, means);
    for (const header of table.summary?.unused ?? []) if (!found.has(header)) found.set(header, "-");
  }
  at("read-as").replaceChildren(...[...found].map(([header, means]) =>
    make("div", { class: "column" }, make("span", { class: "label", "aria-hidden": "true" }, header), choice(header, means))));
}

function choice(header, means) {
  const now = corrected[header] ?? means.replace(/^reported_/, "");
  const known = [{ name: "-", title: "not used" }, ...headings];
  if (!known.some((h) => h.name === now)) known.push({ name: now, title: now });
  return make("select", {
    "aria-label": header,
    onchange: (event) => {
      corrected = { ...corrected, [header]: event.target.value };
      audit();
    },
  }, ...known.map((h) => make("option", { value: h.name, selected: h.name === now }, h.title)));
}
