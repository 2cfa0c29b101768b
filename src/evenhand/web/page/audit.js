// Audit: a pasted table, what its columns were taken for, and what cannot be reproduced.

import { at, call, droppable, embed, get, job, make } from "/page/api.js";

const EXAMPLE = `| System   | Macro-P | Macro-R | Macro-F1 | Acc  |
|----------|---------|---------|----------|------|
| Baseline | 61.2    | 55.4    | 58.2     | 70.1 |
| Ours     | 71.9    | 64.3    | 67.9     | 78.4 |
| Theirs   | 70.0    | 50.0    | 72.5     | 77.0 |
`;
let headings = null; // what a column can be: asked once
let corrected = {};
let run = null;

export function begin() {
  run = job("audit");
  at("paste").addEventListener("submit", (event) => {
    event.preventDefault();
    corrected = {};
    audit();
  });
  const paste = (text) => {
    at("table").value = text;
    at("paste").requestSubmit();
  };
  droppable(at("table"), at("table-file"), async ([one]) => one && paste(await one.text()));
  at("audit-example").addEventListener("click", () => paste(EXAMPLE));
  headings = get("headings").then((answer) => answer.headings);
}

function audit() {
  at("audited").hidden = !Object.keys(corrected).length;
  const body = { text: at("table").value, map: corrected, runs: Number(at("audit-runs").value) || null, rerank: true,
    abstentions: at("abstentions").checked, more_classes: at("more-classes").checked };
  run(async (signal) => {
    const ask = (form) => call(`audit?format=${form}`, body, signal);
    const [facts, page, known] = await Promise.all([ask("json").then((r) => r.json()), ask("html").then((r) => r.text()), headings]);
    embed(page, "audited", "audit-result");
    for (const frame of at("audit-result").querySelectorAll('[aria-label="Read as"]')) frame.remove(); // the choices say it
    meanings(facts, known);
  });
}

// What each column was taken for stands in the header of the printed table, which comes first; what it does not
// have, in a header of its own. Another choice asks again.
function meanings(facts, known) {
  const tables = facts.tables ?? [facts];
  const result = at("audit-result");
  tables.forEach((table, i) => {
    const columns = (table.columns ?? []).map(({ header, taken_for: means }) => [header, means]);
    const left = new Map([...columns, ...(table.summary?.unused ?? []).map((header) => [header, "-"])]);
    const guessed = (table.warning_codes ?? []).filter((w) => w.code === "average_unsaid").flatMap((w) => w.columns);
    const put = (th, header) => {
      th.append(choice(header, left.get(header), guessed.includes(header), known));
      left.delete(header);
    };
    const home = tables.length > 1 ? result.querySelectorAll("section")[i] : result;
    if (!home) return;
    const region = home.querySelector('.scroll[aria-label="As printed"]');
    for (const th of region?.querySelectorAll("thead th") ?? []) if (left.has(th.textContent)) put(th, th.textContent);
    const rest = [...left.keys()].map((header) => [header, make("th", { scope: "col" }, header)]);
    for (const [header, th] of rest) put(th, header);
    const label = region ? "Not in this table" : "What each column was taken for";
    const own = rest.length ? make("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": label },
      make("table", {}, make("caption", {}, label), make("thead", {}, make("tr", {}, ...rest.map(([, th]) => th))))) : "";
    if (home === result) home.prepend(region ?? "", own);
    else home.querySelector("h2").after(region ?? "", own);
  });
}

function choice(header, means, guess, known) {
  const now = corrected[header] ?? means.replace(/^reported_/, "");
  const offered = [{ name: "-", title: "not used" }, ...known];
  if (!offered.some((h) => h.name === now)) offered.push({ name: now, title: now });
  const again = (name) => {
    corrected = { ...corrected, [header]: name };
    audit();
  };
  const select = make("select", { "aria-label": header, onchange: (event) => again(event.target.value) },
    ...offered.map((h) => make("option", { value: h.name, selected: h.name === now }, h.title)));
  const sure = guess && !(header in corrected) ? make("button", { type: "button", onclick: () => again(now) }, "Yes, that is what it is") : "";
  return make("span", { class: guess && sure ? "meaning guess" : "meaning" }, select, sure);
}
