// The address holds what Play shows, so that it can be shared.

export const MOST = 12; // classes of a table that can be changed
export const WIDEST = 100; // of one to look at

const listed = (m) => m.map((row) => row.join(",")).join(";");

export function written(state) {
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
export function read(text) {
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
