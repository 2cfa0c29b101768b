// Learn: the guided choice, the catalogue, and what the founding papers claim.

import { at, get, make, number, say, why } from "/page/api.js";

const QUESTIONS = [
  ["classes", "What matters?", [["true", "every class the same, however rare it is"], ["false", "every item the same: frequent classes decide"]]],
  ["mix", "Where it is used, will the classes come in another mix?", [["true", "yes, or unknown"], ["false", "no, as in the test set"]]],
  ["cost", "Which errors cost more?", [["same", "misses and false alarms alike"], ["misses", "a miss"], ["alarms", "a false alarm"], ["recall", "only what is found counts"]]],
  ["chance", "Must what guessing can score be known, whatever the test set?", [["false", "no"], ["true", "yes"]]],
];
const PROPERTIES = {
  monotonicity: "an error never raises it", class_sensitivity: "sees which class an error is of", class_decomposability: "a mean over classes",
  prevalence_invariance: "stays when the class mix changes", chance_correction: "guessing scores the same on every test set",
};

let catalogue = null; // of every metric: asked once

export function begin(given) {
  at("guide").append(...QUESTIONS.map(([name, question, answers]) =>
    make("fieldset", {}, make("legend", {}, question), ...answers.map(([value, text], i) =>
      make("label", {}, make("input", { type: "radio", name, value, checked: i === 0 }), ` ${text}`)))));
  at("guide").addEventListener("change", advise);
  at("search").addEventListener("input", list);
  at("papers-open").addEventListener("click", papers);
  advise();
  catalogue = get("metrics");
  moved(given);
  list();
}

export function moved(given) {
  const wanted = new URLSearchParams(given ?? "").get("metric");
  if (wanted === null) return;
  at("search").value = wanted;
  list().then(() => at("search").scrollIntoView());
}

const need = () => `guide?${new URLSearchParams(new FormData(at("guide")))}`;

async function advise() {
  const asked = need();
  const { advice } = await get(asked);
  if (asked !== need()) return; // another answer is on its way
  at("advice").replaceChildren(...advice.map((one, i) =>
    make("article", { class: i ? "advice" : "advice first" },
      make("h2", {}, one.title, " ", make("code", {}, one.metric)), make("p", {}, one.why), badges(one.properties),
      said(i ? [] : one.recommended), link(one.metric))));
}

const said = (advice) => (advice.length ? make("ul", { class: "note" }, ...advice.map((a) => make("li", {}, a))) : "");
const link = (name) => make("p", {}, make("a", { href: `#play?focus=${encodeURIComponent(name)}` }, "Try it in Play"));

function badges(properties) {
  return make("ul", { class: "badges" }, ...Object.entries(PROPERTIES).map(([name, text]) => {
    const has = properties[name];
    const [value, kind] = typeof has === "string" ? has.split(", ") : [];
    const what = value ? `guessing scores ${kind ? "" : "at most "}${value}` : text;
    return make("li", { class: has ? "has" : "lacks" }, `${has ? "\u2713" : "\u2717"} ${what}`, make("span", { class: "unseen" }, has ? " (yes)" : " (no)"));
  }));
}

const ends = (range) => range.map((x) => (typeof x === "number" ? number(x, 0) : String(x).replace("inf", "\u221e").replace("-", "\u2212"))).join(" to ");

async function list() {
  const all = Object.entries((await catalogue).metrics);
  const words = at("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter(([name, m]) => {
    const text = JSON.stringify([name, m.symbol, m.summary, m.aliases, m.words, m.family, m.reference]).toLowerCase();
    return words.every((w) => text.includes(w));
  });
  say("found", `${found.length} of ${all.length} metrics`);
  const families = Map.groupBy(found, ([, m]) => m.family);
  at("catalogue").replaceChildren(...[...families].flatMap(([family, own]) =>
    [make("h3", {}, family), ...own.map(([name, m]) => entry(name, m, found.length === 1))]));
  if (!found.length) at("catalogue").append(make("p", {}, `No metric is called “${at("search").value}”, nor has that in its description. Try part of a word, a symbol such as κ, or a family such as “agreement”.`));
}

function entry(name, m, open) {
  const facts = [
    ["formula", m.formula], ["range", ends(m.range)], ["better", m.better], ["also called", m.aliases.join(", ")],
    ["in documents", m.words.join(", ")], ["reference", m.reference],
  ].filter(([, v]) => v);
  const spelled = m.of_one_class ? `macro_${name}` : name;
  return make("details", { open }, make("summary", {}, make("b", {}, name), ` ${m.summary}`),
    make("dl", {}, ...facts.flatMap(([k, v]) => [make("dt", {}, k), make("dd", {}, v)])), m.properties ? badges(m.properties) : "",
    m.recommended.length ? make("p", { class: "when" }, "When to use it") : "", said(m.recommended), m.tasks.includes("single") ? link(spelled) : "");
}

async function papers() {
  at("papers-open").disabled = true;
  at("papers").textContent = "Recomputing every claim: half a minute \u2026";
  try {
    const { claims } = await get("papers");
    at("papers").replaceChildren(...[...Map.groupBy(claims, (c) => c.document)].map(([title, own]) =>
      make("details", {}, make("summary", {}, make("b", {}, title), ` ${own.length} claims, ${verdicts(own)}`), claimed(own))));
    at("papers-open").hidden = true;
  } catch (error) {
    at("papers").textContent = why(error);
    at("papers-open").disabled = false;
  }
}

const verdicts = (claims) => [...Map.groupBy(claims, (c) => c.verdict)].map(([v, own]) => `${own.length} ${v}`).join(", ");

const claimed = (claims) => make("ul", { class: "claims" }, ...claims.map((c) =>
  make("li", {}, make("span", { class: `verdict-word ${c.verdict}` }, c.verdict), ` ${c.where}: ${c.claim} `,
    make("span", { class: "note" }, c.evidence ?? ""))));
