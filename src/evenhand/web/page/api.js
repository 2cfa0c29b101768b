// Asking the server, and building elements from its answers: text is always text, never markup.

export class Refused extends Error {
  constructor(error) {
    super(error.field ? `${error.field}: ${error.message}` : error.message);
    this.field = error.field;
  }
}

async function answered(response) {
  if (response.ok) return response;
  let error = { message: `the server answered ${response.status}` };
  try {
    error = (await response.json()).error;
  } catch {
    // not JSON: the status is all there is to say
  }
  throw new Refused(error);
}

async function post(verb, body, form, signal) {
  return answered(
    await fetch(`/api/v1/${verb}?format=${form}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal,
    }),
  );
}

export async function ask(verb, body, form = "json", signal = undefined) {
  const response = await post(verb, body, form, signal);
  return form === "json" ? response.json() : response.text();
}

export async function send(address, form, signal, headers = {}) {
  return answered(await fetch(address, { method: "POST", body: form, signal, headers }));
}

export async function picture(body, form) {
  return (await post("picture", body, form)).blob();
}

export async function get(address) {
  const held = at(address); // in a page that has no server
  if (held) return JSON.parse(held.textContent);
  return (await answered(await fetch(address))).json();
}

// What somebody is told who waits for an answer.
export const why = (error) => (error.name === "AbortError" ? "Cancelled." : error.message);

// The endings of files by their form.
export const ENDS = { csv: "csv", html: "html", json: "json", latex: "tex", markdown: "md" };

export const at = (id) => document.getElementById(id);

export function make(name, attributes = {}, ...inside) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...inside);
  return element;
}

export function number(x, digits = 4) {
  if (x === null || x === undefined) return "";
  if (typeof x === "string") return x;
  return x.toFixed(digits).replace("-", "\u2212");
}

export function say(id, text) {
  const element = at(id);
  element.textContent = text;
  element.hidden = !text;
}

// What a page of the command line has inside, shown in this one: our own markup, labels escaped.
export function embed(text, into) {
  const bare = text.replace(/<style>[\s\S]*?<\/style>|<script>[\s\S]*?<\/script>/g, "");
  const page = new DOMParser().parseFromString(bare, "text/html");
  const parts = [...page.querySelectorAll("header > .verdict, header > .facts, header > .warning, main > :not(#data)")];
  into.replaceChildren(...parts.map((part) => document.importNode(part, true)));
  for (const id of into.querySelectorAll("[id]")) id.id = `shown-${id.id}`;
}

export function download(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Files that are dropped on a place, or chosen in its field.
export function droppable(place, taken) {
  place.addEventListener("dragover", (event) => {
    event.preventDefault();
    place.classList.add("over");
  });
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => {
    place.classList.remove("over");
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    taken([...event.dataTransfer.files]);
  });
}
