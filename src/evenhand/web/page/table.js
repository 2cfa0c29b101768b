// A table to change: keys as in a spreadsheet, paste from one, shades that show where items went.

import { make, number } from "/page/api.js";
import { sum } from "/page/live.js";

export function counted(text) {
  const plain = text.trim().replaceAll("\u00a0", "");
  const x = plain === "" ? 0 : Number(plain);
  return Number.isFinite(x) && x >= 0 && x <= 1e12 ? x : null;
}

// `acts` has what may be done: set(i, j, text, input), paste(i, j, text), rename(i, text, input), remove(i), left().
export function editor(into, { which, title, labels, matrix, own }, acts) {
  const kept = into.contains(document.activeElement);
  const corner = make("th", { scope: "col", class: "corner" }, "true\u00a0\u2193 predicted\u00a0\u2192");
  const head = make("tr", {}, corner, ...labels.map((l) => make("th", { scope: "col" }, make("span", { class: "label" }, l))),
    make("th", { scope: "col", class: "total" }, "items"));
  const rows = matrix.map((row, i) => make("tr", {}, named(into, i, labels, own, acts),
    ...row.map((x, j) => make("td", {}, cell(into, which, i, j, x, labels, acts))),
    make("td", { class: "total", "data-total": i })));
  const foot = make("tr", {}, make("th", { scope: "row" }, "predicted"),
    ...labels.map((_, j) => make("td", { class: "total", "data-sum": j })), make("td", { class: "total", "data-all": "" }));
  const table = make("table", { class: labels.length > 6 ? "edit wide" : "edit" }, make("caption", {}, title), make("thead", {}, head),
    make("tbody", {}, ...rows), make("tfoot", {}, foot));
  into.replaceChildren(make("div", { class: "frame", role: "region", "aria-label": title }, table));
  totals(into, matrix);
  const here = into.querySelector(`[data-at="${into.dataset.here}"]`) ?? into.querySelector('[data-at="0-0"]');
  here.tabIndex = 0; // the grid is one stop of Tab; arrows move inside it
  if (kept) here.focus();
}

// A table to look at: shades, and numbers where they have room.
export function heat(into, { title, labels, matrix, digits = 0 }) {
  const most = digits ? Math.max(...matrix.flat()) || 1 : 0; // counts are shares of their row, as in every confusion
  const text = (x) => (labels.length > 12 || !x ? "" : number(x, digits));
  const share = (x, row) => Math.sqrt(x / (most || sum(row) || 1)); // a root, or one large cell would leave the rest white
  const cells = (row, i) => row.map((x, j) => make("td", {
    class: i === j ? "hit" : "miss", style: { "--share": share(x, row) }, title: `${labels[i]}, ${labels[j]}: ${number(x, digits)}`,
  }, text(x)));
  const head = labels.map((l) => make("th", { scope: "col" }, make("span", { class: "label" }, l)));
  const rows = matrix.map((row, i) => make("tr", {}, make("th", { scope: "row", class: "label" }, labels[i]), ...cells(row, i)));
  const table = make("table", { class: labels.length > 12 ? "heat many" : "heat" }, make("caption", {}, title),
    make("thead", {}, make("tr", {}, make("td", {}), ...head)), make("tbody", {}, ...rows));
  into.replaceChildren(make("div", { class: "frame", tabindex: 0, role: "region", "aria-label": title }, table));
}

function visit(into, event) {
  into.querySelectorAll('[tabindex="0"][data-at]').forEach((other) => (other.tabIndex = -1));
  event.target.tabIndex = 0;
  into.dataset.here = event.target.dataset.at;
  event.target.select?.();
}

// A place in the grid, which keys reach: Enter is for the names of classes and their buttons.
const placed = (into, i, j) => ({
  "data-at": `${i}-${j}`, tabindex: -1, onfocus: (event) => visit(into, event),
  onkeydown: (event) => (event.key !== "Enter" || typeof j === "number") && move(into, event, i, j),
});

function named(into, i, labels, own, acts) {
  if (!own) return make("th", { scope: "row" }, make("span", { class: "label" }, labels[i]));
  const name = make("input", {
    value: labels[i], maxlength: 100, "aria-label": `name of class ${i + 1}`, ...placed(into, i, "name"),
    onchange: (event) => acts.rename(i, event.target.value),
  });
  const gone = make("button", {
    type: "button", class: "remove", "aria-label": `remove class ${labels[i]}`, title: "remove", disabled: labels.length <= 2,
    ...placed(into, i, "remove"), onclick: () => acts.remove(i),
  }, "\u00d7");
  return make("th", { scope: "row" }, make("span", { class: "named" }, name, gone));
}

function cell(into, which, i, j, value, labels, acts) {
  return make("input", {
    value: String(value), inputmode: "numeric", autocomplete: "off", class: i === j ? "hit" : "miss", ...placed(into, i, j),
    "data-which": which, "aria-label": `true ${labels[i]}, predicted ${labels[j]}`,
    oninput: (event) => acts.set(i, j, event.target.value, event.target),
    onblur: () => acts.left(),
    onpaste: (event) => {
      const text = event.clipboardData.getData("text");
      if (!/[\t\n;,]|\d\s+\d/.test(text.trim())) return;
      event.preventDefault();
      acts.paste(i, j, text);
    },
  });
}

// Sums, and how much of its true class each cell has.
export function totals(into, matrix) {
  const show = (select, x) => (into.querySelector(select).textContent = x.toLocaleString("en"));
  matrix.forEach((row, i) => {
    const whole = sum(row);
    show(`[data-total="${i}"]`, whole);
    row.forEach((x, j) => {
      const input = into.querySelector(`[data-at="${i}-${j}"]`);
      input.style.setProperty("--share", whole ? x / whole : 0);
      input.style.setProperty("--digits", input.value.length);
    });
  });
  matrix.forEach((_, j) => show(`[data-sum="${j}"]`, sum(matrix.map((r) => r[j]))));
  show("[data-all]", sum(matrix.map(sum)));
}

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], Enter: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function move(into, event, i, j) {
  if (!(event.key in STEPS) || event.altKey || event.ctrlKey || event.metaKey) return;
  const input = event.target;
  let [down, across] = STEPS[event.key];
  if (event.key === "Enter" && event.shiftKey) down = -1;
  const inside = across < 0 ? input.selectionStart > 0 : input.selectionEnd < input.value.length;
  if (across && input.matches("input") && input.selectionStart === input.selectionEnd && inside) return;
  event.preventDefault();
  const columns = ["name", "remove", ...into.querySelectorAll(`[data-sum]`)].map((x, at) => (typeof x === "string" ? x : at - 2));
  const next = columns[columns.indexOf(j) + across];
  input.blur(); // a name that was changed makes the table anew
  const target = into.querySelector(`[data-at="${i + down}-${next}"]:not(:disabled)`) ?? into.querySelector(`[data-at="${i}-${j}"]`);
  target.focus();
}

// What was pasted: numbers, with names of classes above and beside them if it has some.
export function pasted(text) {
  const lines = text.replace(/\s+$/, "").split(/\r?\n|;\s*(?=.*\d)/).filter((l) => l.trim());
  const rows = lines.map((line) => (line.includes("\t") ? line.split("\t") : line.trim().split(/\s*,\s*|\s+/)));
  const number = (x) => counted(x) !== null && x.trim() !== "";
  const headed = rows.length > 2 && rows[0].slice(-2).some((x) => !number(x));
  const labels = headed ? rows[0].slice(-(rows.length - 1)).map((x) => x.trim().slice(0, 100)) : null;
  const inner = (headed ? rows.slice(1) : rows).map((row) => (row.length > 1 && !number(row[0]) ? row.slice(1) : row));
  const bad = inner.flat().find((x) => counted(x) === null);
  if (bad !== undefined) throw new Error(`expected numbers in what is pasted, got ${bad.trim().slice(0, 40)}`);
  const numbers = inner.map((row) => row.map(counted));
  const square = numbers.every((r) => r.length === numbers.length);
  if (labels && !(square && labels.length === numbers.length && new Set(labels).size === labels.length))
    throw new Error(`expected a row and a column for each class in what is pasted, got ${numbers.length} rows and ${labels.length} names`);
  return { labels, numbers, square };
}
