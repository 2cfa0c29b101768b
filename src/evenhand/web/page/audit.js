// Audit: a pasted table, what its columns were taken for, and what cannot be reproduced.

import { ask, at, say, shown } from "/page/api.js";

export function begin() {
  at("paste").addEventListener("submit", audit);
  at("table-file").addEventListener("change", async () => {
    const [file] = at("table-file").files;
    if (file) at("table").value = await file.text();
  });
  const field = at("table");
  field.addEventListener("dragover", (event) => event.preventDefault());
  field.addEventListener("drop", async (event) => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    field.value = await file.text();
  });
}

function meanings() {
  const parts = at("meanings").value.split(",").map((p) => p.split("=").map((x) => x.trim()));
  const given = parts.filter(([heading]) => heading);
  return given.length ? Object.fromEntries(given) : null;
}

async function audit(event) {
  event.preventDefault();
  say("audit-error", "");
  at("audit-result").replaceChildren();
  const runs = at("audit-runs").value;
  const body = { text: at("table").value, map: meanings(), runs: runs ? Number(runs) : null, rerank: true };
  try {
    shown(await ask("audit", body, "html"), at("audit-result"));
  } catch (error) {
    say("audit-error", error.message);
  }
}
