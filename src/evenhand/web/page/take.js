// Taking it along: files, and the Python that gives the same numbers.

import { ENDS, at, call, download } from "/page/api.js";

export async function take(form, state) {
  const body = { matrix: state.first, labels: state.labels };
  const [verb, name] = form in ENDS ? ["score", `scores.${ENDS[form]}`] : ["picture", `table.${form}`];
  download(await (await call(`${verb}?format=${form}`, body)).blob(), name);
}

export function code(state) {
  const table = (m) => `eh.Confusion.from_matrix(${JSON.stringify(m)}, labels=labels)`;
  const lines = [
    "import evenhand as eh", "",
    `labels = ${JSON.stringify(state.labels)}`,
    `table = ${table(state.first)}`,
    "print(eh.score(table).to_markdown())",
  ];
  if (state.second) lines.push(`other = ${table(state.second)}`, "print(eh.score(other).to_markdown())");
  if (state.mix) {
    const mix = Object.fromEntries(state.labels.map((l, i) => [l, state.mix[i]]));
    for (const one of state.second ? ["table", "other"] : ["table"])
      lines.push(`print(eh.shift.extrapolate(${one}, to=${JSON.stringify(mix)}).to_markdown())`);
  }
  at("code").textContent = lines.join("\n");
}
