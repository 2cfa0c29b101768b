// Learn: the guided choice, the catalogue, and what the founding papers claim.

import { at, get, make, number } from "/page/api.js";

const QUESTIONS = [
  ["classes", "Does every class matter the same, however rare it is?", ["yes", "no: every item matters the same"]],
  ["mix", "Will the class mix be another one where it is used?", ["yes or unknown", "no"]],
  ["errors", "Must the score also fall where a class is predicted too often?", ["yes", "recall is enough"]],
  ["chance", "Must guessing score the same on every test set?", ["yes", "no"]],
];

let catalogue = {};

export async function begin() {
  at("guide").append(...QUESTIONS.map(([name, question, answers]) =>
    make("fieldset", {}, make("legend", {}, question), ...answers.map((a, i) =>
      make("label", {}, make("input", { type: "radio", name, value: i, checked: i === 0 }), ` ${a}`)))));
  at("guide").addEventListener("change", advise);
  at("search").addEventListener("input", list);
  catalogue = (await get("/api/v1/metrics")).metrics;
  list();
  advise();
  papers();
}

function advise() {
  const given = Object.fromEntries(new FormData(at("guide")));
  const query = new URLSearchParams(Object.entries(given).map(([k, v]) => [k, v === "0" ? "true" : "false"]));
  get(`/api/v1/guide?${query}`).then(({ advice }) => {
    at("advice").replaceChildren(...advice.map((one) =>
      make("div", { class: "advice" }, make("h3", {}, one.metric), make("p", {}, one.why), link(one.metric))));
  });
}

const link = (name) => make("a", { href: "#play" }, `Try ${name} in Play`);

function list() {
  const words = at("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = Object.entries(catalogue).filter(([name, m]) => {
    const text = JSON.stringify([name, m]).toLowerCase();
    return words.every((w) => text.includes(w));
  });
  at("catalogue").replaceChildren(...found.map(([name, m]) => {
    const facts = [
      ["formula", m.formula], ["range", m.range?.map((x) => number(x, 0)).join(" to ")], ["better", m.better],
      ["also called", m.aliases?.join(", ")], ["reference", m.reference],
    ].filter(([, v]) => v);
    const held = Object.entries(m.properties ?? {}).filter(([p]) => p !== "because" && p !== "note").map(([p, v]) => `${p.replaceAll("_", " ")}: ${v === true ? "yes" : v || "no"}`);
    return make("details", {}, make("summary", {}, make("b", {}, name), ` ${m.summary}`),
      make("dl", {}, ...facts.flatMap(([k, v]) => [make("dt", {}, k), make("dd", {}, v)])),
      held.length ? make("p", { class: "note" }, held.join("; ")) : "", link(name));
  }));
}

async function papers() {
  at("papers").textContent = "Recomputing every claim \u2026";
  const { claims } = await get("/api/v1/papers");
  const documents = Map.groupBy ? Map.groupBy(claims, (c) => c.document) : grouped(claims);
  at("papers").replaceChildren(...[...documents].map(([title, own]) =>
    make("details", {}, make("summary", {}, `${title} (${own.length} claims)`),
      make("ul", {}, ...own.map((c) =>
        make("li", {}, make("b", {}, c.verdict), ` ${c.where}: ${c.claim} `, make("span", { class: "note" }, c.evidence ?? "")))))));
}

function grouped(claims) {
  const found = new Map();
  for (const c of claims) found.set(c.document, [...(found.get(c.document) ?? []), c]);
  return found;
}
