// Play: a table whose every metric follows each change; what is shown, and its history.

import { ENDS, at, call, download, file, forms, get, make, say, slider, why } from "/page/api.js";
import { explore } from "/page/explore.js";
import { sum } from "/page/live.js";
import { frame } from "/page/shown.js";
import { counted, editor, heat, pasted, totals } from "/page/table.js";

const MOST = 12; // classes of a table that can be changed
const WIDEST = 100; // of one to look at
let presets = [];
let wanted = ""; // what the address says, until it can be shown
let state = null;
let past = [];
let future = [];
let writing = null; // the cell that is being typed into, or the mix: its steps are one
let answer = null; // what Python said last
let flying = false; // one request at a time; the newest state is next
let again = false;
let refused = false; // whether what is wrong was said by the server, and not by us
const timers = {};
const ALONE = "alone" in document.body.dataset; // without a server: all is computed here

const copy = structuredClone;
const named = (name) => presets.find((p) => p.name === name);
const matrices = (s) => [s.first, s.second].filter(Boolean);
const preset = ({ name, labels, first, second = null }) => copy({ name, labels, first, second, mix: null, base: copy(first), focus: state?.focus ?? "" });

export async function begin(given) {
  at("play").inert = true; // until there is something to change
  wanted = given;
  at("preset").addEventListener("change", () => {
    if (named(at("preset").value)) start(preset(named(at("preset").value)));
  });
  at("bet").addEventListener("click", (event) => event.target.dataset.bet && settle(event.target));
  at("bounds").addEventListener("change", draw);
  explore();
  at("two").addEventListener("change", () => change((s) => (s.second = at("two").checked ? copy(s.first) : null)));
  const clicks = {
    "add-class": addClass, "copy-link": copyLink, undo: () => step(past, future), redo: () => step(future, past),
    "as-observed": () => change((s) => (s.mix = null)), even: () => change((s) => (s.mix = s.labels.map(() => 1 / s.labels.length))),
    "all-metrics": () => {
      const open = at("all-metrics").ariaExpanded === "false";
      Object.assign(at("all-metrics"), { ariaExpanded: open, textContent: open ? "Show the most used only" : "Show all metrics" });
      draw();
    },
  };
  for (const [id, act] of Object.entries(clicks)) at(id).addEventListener("click", act);
  forms("take", { png: "PNG", svg: "SVG", csv: "CSV", latex: "LaTeX", markdown: "Markdown" },
    (form) => take(form).catch((e) => say("play-error", why(e))));
  addEventListener("keydown", keys);
  presets = await file("/page/presets.json");
  if (ALONE) answer = { metrics: await file("/page/facts.json") };
  else await finder();
  at("preset").append(make("option", { value: "" }, "a table of my own"), ...presets.map((p) => make("option", {}, p.name)));
  at("bet").hidden = Boolean(read(wanted));
  const { labels, first, second } = named(at("bet").dataset.preset);
  heat(at("bet-first"), { title: "First system", labels, matrix: first });
  heat(at("bet-second"), { title: "Second system", labels, matrix: second });
  at("play").inert = false;
  moved(wanted);
}

// The bet: the same two tables, and both answers are right.
function settle(button) {
  at("bet-says").textContent = "You are right. So is everybody who picked the other one.";
  at("bet-why").hidden = false;
  for (const one of at("bet").querySelectorAll("button")) one.setAttribute("aria-pressed", one === button);
  start(preset(named(at("bet").dataset.preset)));
}

export function moved(given) {
  wanted = given;
  if (at("play").inert) return;
  const found = read(given);
  if (given && !found && !/^focus=/.test(given)) say("play-error", "this link holds no table that can be shown");
  const focus = new URLSearchParams(given ?? "").get("focus");
  if (found) {
    if (!state || written(found) !== written(state)) start(found);
  } else if (!state) start({ ...preset(presets[0]), focus: focus ?? "" });
  else if (focus !== null) change((s) => (s.focus = focus));
}

// -- what is shown, and its history

function start(next) {
  if (state) remember(null);
  state = next;
  show();
}

function change(edit) {
  remember(null);
  edit(state);
  show();
}

// A step that can be undone; more of the same writing belong to it.
function remember(where) {
  if (!where || writing !== where) past.push(copy(state));
  if (past.length > 500) past.shift();
  future = [];
  writing = where;
}

function step(from, to) {
  if (!from.length) return;
  to.push(copy(state));
  state = from.pop();
  writing = null;
  show();
}

function keys(event) {
  if (at("play").hidden || !(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return;
  event.preventDefault();
  at(key === "y" || event.shiftKey ? "redo" : "undo").click();
}

function addClass() {
  change((s) => {
    let name = s.labels.length + 1;
    while (s.labels.includes(`class ${name}`)) name += 1;
    grow(s, `class ${name}`, 1);
  });
}

function grow(s, name, hits) {
  s.labels.push(name);
  for (const m of matrices(s)) {
    for (const row of m) row.push(0);
    m.push(s.labels.map((_, j) => (j === s.labels.length - 1 ? hits : 0)));
  }
  s.mix = null;
}

const acts = (which) => ({
  set(i, j, text, input) {
    const value = counted(text);
    input.toggleAttribute("aria-invalid", value === null);
    if (value === null) return say("play-error", `a count must be a number from 0 to 1e12, got ${text.slice(0, 40)}`);
    say("play-error", "");
    if (value === state[which][i][j]) return;
    remember(`${which}-${i}-${j}`);
    state[which][i][j] = value;
    totals(at(which), state[which]);
    changed();
  },
  left: () => (writing = null),
  paste(i, j, text) {
    try {
      put(which, i, j, pasted(text));
    } catch (error) {
      say("play-error", error.message);
    }
  },
  rename(i, text) {
    const wanted = text.trim();
    if (wanted && !state.labels.some((l, j) => l === wanted && j !== i)) return change((s) => (s.labels[i] = wanted));
    show();
    say("play-error", wanted ? `two classes cannot both be called ${wanted}` : "a class needs a name");
  },
  remove: (i) => change((s) => {
    for (const list of [s.labels, ...matrices(s), ...matrices(s).flat()]) list.splice(i, 1);
    s.mix = null;
  }),
});

function put(which, i, j, { labels, numbers, square }) {
  const k = state.labels.length;
  const whole = square && i === 0 && j === 0 && numbers.length >= 2 && numbers.length <= WIDEST;
  const fits = i + numbers.length <= k && numbers.every((r) => j + r.length <= k);
  if (!fits && !whole) throw new Error(`what is pasted has ${numbers.length} rows and does not fit here`);
  change((s) => {
    if (labels) return Object.assign(s, preset({ name: s.name, labels, first: numbers }));
    while (s.labels.length < numbers.length) grow(s, `class ${s.labels.length + 1}`, 0);
    numbers.forEach((row, down) => row.forEach((x, across) => (s[which][i + down][j + across] = x)));
  });
}

// -- showing it

function show() {
  for (const which of ["first", "second"]) {
    at(which).hidden = !state[which];
    if (!state[which]) continue;
    const title = state.second ? `${which === "first" ? "First" : "Second"} table` : "Confusion table";
    const { labels } = state;
    if (labels.length > MOST) heat(at(which), { title, labels, matrix: state[which] });
    else editor(at(which), { which, title, labels, matrix: state[which], own: which === "first" }, acts(which));
  }
  at("two").checked = Boolean(state.second);
  at("preset").value = state.name ?? "";
  say("says", named(state.name)?.says ?? "");
  at("add-class").disabled = state.labels.length >= MOST;
  const many = state.labels.length > MOST;
  say("limit", many ? `${state.labels.length} classes: to look at. Cells can be changed in tables of at most ${MOST} classes.` : "");
  sliders(true);
  say("play-error", "");
  changed(0);
}

// What the browser can say itself is shown on the next frame; Python is asked when nothing moves any more.
function changed(rest = 200) {
  at("undo").disabled = !past.length;
  at("redo").disabled = !future.length;
  sliders();
  const told = named(state.name);
  if (told && JSON.stringify([told.first, told.second ?? null]) !== JSON.stringify([state.first, state.second ?? null])) {
    state.name = at("preset").value = ""; // its story is no longer true
    say("says", "");
  }
  timers.frame ??= requestAnimationFrame(draw);
  timers.address ??= setTimeout(address, 300);
  at("metrics").ariaBusy = true; // until Python has answered
  clearTimeout(timers.rest);
  timers.rest = setTimeout(confirm, rest);
  if (!ALONE) timers.dim ??= setTimeout(dim, 150);
}

function draw() {
  timers.frame = null;
  frame(state, answer);
  code();
}

function address() {
  timers.address = null;
  const left = !/^(#play|$)/.test(location.hash); // for another part, which opens in a moment
  if (!at("play").hidden && !left) history.replaceState(null, "", `#play?${written(state)}`);
}

// What Python said is of another table than the one that is shown.
function dim() {
  at("play").classList.add("stale");
  const of = answer && (answer.of.length > 4 ? `the table with ${sum(answer.of.flat()).toLocaleString("en")} items` : `the table ${answer.of.map((r) => r.join(" ")).join("; ")}`);
  say("stale", of ? `Dimmed numbers are of ${of}, until Python has answered for this one.` : "");
}

function body() {
  const mix = state.mix && Object.fromEntries(state.labels.map((l, i) => [l, state.mix[i]]));
  const metrics = state.focus ? [state.focus] : null;
  return { matrix: state.first, labels: state.labels, other: state.second, start: state.base, mix, metrics };
}

async function confirm() {
  if (ALONE || !sum(state.first.flat())) return fresh();
  again = flying;
  if (flying) return;
  const question = body();
  const key = JSON.stringify(question);
  const newest = () => key === JSON.stringify(body());
  flying = true;
  try {
    const found = await (await call("play", question)).json();
    if (newest()) {
      if (refused) say("play-error", "");
      refused = false;
      answer = { ...found, of: JSON.parse(key).matrix };
      fresh();
    }
  } catch (error) {
    refused = true;
    say("play-error", why(error) + (error instanceof TypeError ? ". What you change is kept here and in the address." : ""));
    dim();
    at("metrics").ariaBusy = false;
    if (error.field === "metrics" && state.focus) {
      state.focus = ""; // a metric that this table cannot have
      again = true;
    }
  }
  flying = false;
  if (again) confirm();
}

function fresh() {
  draw();
  const [mean, averages, gap] = ["twins-mean", "twins-averages", "gap-says"].map((id) => at(id).textContent);
  at("play-status").textContent = `Macro F1 ${mean}, F1 of averages ${averages}. ${gap}`;
  clearTimeout(timers.dim);
  timers.dim = null;
  at("play").classList.remove("stale");
  at("metrics").ariaBusy = false;
  say("stale", "");
}

// -- taking it along, sharing and finding

async function take(form) {
  const body = { matrix: state.first, labels: state.labels };
  const [verb, name] = form in ENDS ? ["score", `scores.${ENDS[form]}`] : ["picture", `table.${form}`];
  download(await (await call(`${verb}?format=${form}`, body)).blob(), name);
}

function code() {
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

async function copyLink() {
  address();
  const { address: base } = document.body.dataset; // where others open it
  await navigator.clipboard.writeText(base ? new URL(location.hash, base).href : location.href);
  at("copy-link").textContent = "Copied";
  setTimeout(() => (at("copy-link").textContent = "Copy the link"), 1500);
}

async function finder() {
  at("find").addEventListener("submit", find);
  const { metrics } = await get("metrics");
  const names = Object.keys(metrics).filter((m) => metrics[m].better !== "neither" && !metrics[m].of_one_class && metrics[m].tasks.includes("single"));
  for (const [id, chosen] of [["find-one", "accuracy"], ["find-two", "macro_f1"]])
    at(id).append(...names.map((m) => make("option", { selected: m === chosen }, m)));
}

async function find(event) {
  event.preventDefault();
  const labels = [...state.labels]; // which may change before the answer
  const k = labels.length;
  const n = Math.max(2 * k, Math.min(10_000, Math.round(sum(state.first.flat())) || 60));
  const question = { goal: at("find-goal").value, one: at("find-one").value, two: at("find-two").value, k, n };
  say("find-error", "");
  try {
    const found = await (await call("find", question)).json();
    start(preset({ ...found, name: "", labels }));
    at("play-title").scrollIntoView();
  } catch (error) {
    say("find-error", why(error));
  }
}

// -- the address holds what is shown, so that it can be shared

const listed = (m) => m.map((row) => row.join(",")).join(";");

function written(state) {
  const parts = new URLSearchParams({ m: listed(state.first), l: JSON.stringify(state.labels) });
  if (state.second) parts.set("o", listed(state.second));
  if (state.mix) parts.set("mix", state.mix.join(","));
  if (state.base && listed(state.base) !== listed(state.first)) parts.set("b", listed(state.base));
  if (state.focus) parts.set("focus", state.focus);
  return parts.toString();
}

const square = (m, k) => m.length === k && m.every((r) => r.length === k && r.every((x) => x >= 0 && x <= 1e12));
const numbers = (text) => text.split(",").map((x) => (x.trim() === "" ? NaN : Number(x)));
const matrix = (text) => (text === null ? null : text.split(";").map(numbers));

// What an address says; nothing if it does not say all of it.
function read(text) {
  const parts = new URLSearchParams(text ?? "");
  if (!parts.has("m")) return null;
  const first = matrix(parts.get("m"));
  const k = first.length;
  let labels = first.map((_, i) => `class ${i + 1}`);
  try {
    const given = JSON.parse(parts.get("l") ?? "null");
    if (Array.isArray(given) && given.length === k && new Set(given.map(String)).size === k)
      labels = given.map((l) => String(l).slice(0, 100));
  } catch {
    // labels that cannot be read are numbered
  }
  const second = matrix(parts.get("o"));
  const mix = parts.has("mix") ? numbers(parts.get("mix")) : null;
  const base = matrix(parts.get("b"));
  if (k < 2 || k > WIDEST || !square(first, k) || (second && !square(second, k))) return null;
  if (mix && (mix.length !== k || !mix.every((x) => x > 0 && x < 1))) return null;
  if (base && (base.length < 2 || base.length > WIDEST || !square(base, base.length))) return null;
  return { name: "", labels, first, second, mix, base: base ?? first.map((row) => [...row]), focus: parts.get("focus") ?? "" };
}

// -- how frequent each class would be

const percent = (x) => `${(100 * x).toFixed(1)} %`;

function shares() {
  if (state.mix) return state.mix;
  const rows = state.first.map(sum);
  const whole = sum(rows) || 1;
  return rows.map((x) => x / whole);
}

// Sliders for these classes, made anew or only set to what holds.
function sliders(anew = false) {
  const now = shares();
  if (anew)
    at("sliders").replaceChildren(...state.labels.map((label, i) =>
      slider(label, { min: 0.5, max: 99.5, step: 0.5, "data-class": i }, (share) => slide(i, share / 100))));
  [...at("sliders").children].forEach((line, i) => {
    const [, input, output] = line.children;
    if (input !== document.activeElement || !state.mix) input.value = 100 * now[i];
    input.setAttribute("aria-valuetext", percent(now[i]));
    output.textContent = percent(now[i]);
  });
}

// One class gets its share; the others keep their proportions.
function slide(i, share) {
  const now = shares();
  const rest = 1 - now[i];
  const next = now.map((x, j) => (j === i ? share : rest > 0 ? (x / rest) * (1 - share) : (1 - share) / (now.length - 1)));
  const kept = next.map((x) => Math.max(x, 1e-4));
  const whole = sum(kept);
  remember("mix");
  state.mix = kept.map((x) => Number((x / whole).toPrecision(6)));
  changed();
}
