// Sliders: how frequent each class would be.

import { at, make } from "/page/api.js";
import { sum } from "/page/live.js";

const percent = (x) => `${(100 * x).toFixed(1)} %`;
let slid = null;

export function shares(state) {
  if (state.mix) return state.mix;
  const rows = state.first.map(sum);
  const whole = sum(rows) || 1;
  return rows.map((x) => x / whole);
}

// A slider with its name and its number; `moved` is told where it is.
export const slider = (name, attributes, moved) => make("label", { class: "slider" }, make("span", { class: "label" }, name),
  make("input", { type: "range", ...attributes, oninput: (event) => moved(Number(event.target.value)) }), make("output"));

// With `told`, made anew; without, only set to what holds.
export function sliders(state, told = null) {
  const now = shares(state);
  if (told) {
    slid = told;
    at("sliders").replaceChildren(...state.labels.map((label, i) =>
      slider(label, { min: 0.5, max: 99.5, step: 0.5, "data-class": i }, (share) => slide(state, i, share / 100))));
  }
  [...at("sliders").children].forEach((line, i) => {
    const [, input, output] = line.children;
    if (input !== document.activeElement || !state.mix) input.value = 100 * now[i];
    input.setAttribute("aria-valuetext", percent(now[i]));
    output.textContent = percent(now[i]);
  });
}

// One class gets its share; the others keep their proportions.
function slide(state, i, share) {
  const now = shares(state);
  const rest = 1 - now[i];
  const next = now.map((x, j) => (j === i ? share : rest > 0 ? (x / rest) * (1 - share) : (1 - share) / (now.length - 1)));
  const kept = next.map((x) => Math.max(x, 1e-4));
  const whole = sum(kept);
  slid(kept.map((x) => Number((x / whole).toPrecision(6))));
}
