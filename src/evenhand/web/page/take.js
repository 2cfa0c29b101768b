// Taking it along: files, and the Python that gives the same numbers.

import { ENDS, ask, at, download, picture } from "/page/api.js";

export async function take(form, state) {
  if (!form) return;
  const body = { matrix: state.first, labels: state.labels };
  if (form === "svg" || form === "png") return download(await picture(body, form), `table.${form}`);
  const text = await ask("score", body, form);
  download(new Blob([text], { type: "text/plain" }), `scores.${ENDS[form]}`);
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
    lines.push(`print(eh.shift.extrapolate(table, to=${JSON.stringify(mix)}).to_markdown())`);
  }
  at("code").textContent = lines.join("\n");
}
