// Asking the server, and building elements from its answers: text is always text, never markup.

export const at = (id) => document.getElementById(id);

// A question and its answer; what is refused is an error in words, with its field.
export async function call(address, body, signal) {
  const form = body instanceof FormData;
  const more = body && { method: "POST", signal, body: form ? body : JSON.stringify(body), headers: form ? {} : { "Content-Type": "application/json" } };
  const response = await fetch(`/api/v1/${address}`, more);
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({ error: { message: `the server answered ${response.status}` } }));
  throw Object.assign(new Error(error.field ? `${error.field}: ${error.message}` : error.message), { field: error.field });
}

export const get = async (address) => (await call(address)).json();

// A file of the page, which one without a server has inside.
export async function file(address) {
  const held = at(address);
  return held ? JSON.parse(held.textContent) : (await fetch(address)).json();
}

// What somebody is told who waits for an answer.
const REASONS = { AbortError: "Cancelled.", TypeError: "The server does not answer. Start it again with: evenhand serve" };
export const why = (error) => REASONS[error.name] ?? error.message;

// Work with a bar that shows it and a button that ends it; what fails is said, unless it was asked anew.
export function job(part, worded = (text) => text) {
  let current = null;
  at(`${part}-cancel`).addEventListener("click", () => current?.abort());
  return async (work) => {
    current?.abort();
    const own = (current = new AbortController());
    const begun = performance.now();
    const tell = () => say(`${part}-status`, `Working \u2026 ${Math.round((performance.now() - begun) / 1000)} s`);
    const clock = setInterval(tell, 1000);
    say(`${part}-error`, "");
    at(`${part}-working`).hidden = false;
    tell();
    try {
      return await work(own.signal);
    } catch (error) {
      if (current === own) say(`${part}-error`, worded(why(error)));
    } finally {
      clearInterval(clock);
      if (current === own) at(`${part}-working`).hidden = true;
    }
  };
}

// The endings of files by their form.
export const ENDS = { csv: "csv", html: "html", json: "json", latex: "tex", markdown: "md" };

// A button for each form that a result can be taken along in.
export function forms(id, titles, take) {
  at(id).append(...Object.entries(titles).map(([form, title]) =>
    make("button", { type: "button", class: "served", "data-form": form, onclick: () => take(form) }, title)));
}

export const builder = (create) => (name, attributes = {}, ...inside) => {
  const element = create(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "style") for (const property of Object.entries(value)) element.style.setProperty(...property);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...inside);
  return element;
};
export const make = builder((name) => document.createElement(name));

export function number(x, digits = 4) {
  if (x === null || x === undefined) return "";
  if (typeof x === "string") return x;
  return (Number(x.toFixed(digits)) || 0).toFixed(digits).replace("-", "\u2212"); // no \u22120
}

export const say = (id, text) => Object.assign(at(id), { textContent: text, hidden: !text });

// What a page of the command line has inside, shown in this one: our own markup, labels escaped.
export function embed(text, part, into) {
  const bare = text.replace(/<style>[\s\S]*?<\/style>|<script>[\s\S]*?<\/script>/g, "");
  const page = new DOMParser().parseFromString(bare, "text/html");
  const parts = [...page.querySelectorAll("header > .verdict, header > .facts, header > .warning, header > .note, main > :not(#data)")];
  at(into).replaceChildren(...parts.map((one) => document.importNode(one, true)));
  for (const id of at(into).querySelectorAll("[id]")) id.id = `shown-${id.id}`;
  at(part).hidden = false;
  requestAnimationFrame(() => at(part).scrollIntoView()); // when the bar above is gone; focus alone shows its middle
  at(part).focus({ preventScroll: true });
}

export function download(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Files that are dropped on a place, or chosen in a field.
export function droppable(place, field, taken) {
  const over = (yes) => (event) => {
    event.preventDefault();
    place.classList.toggle("over", yes);
  };
  place.addEventListener("dragover", over(true));
  place.addEventListener("dragleave", over(false));
  place.addEventListener("drop", (event) => {
    place.classList.remove("over");
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    taken([...event.dataTransfer.files]);
  });
  field.addEventListener("change", () => taken([...field.files]));
}

// A slider with its name and its number; `moved` is told where it is.
export const slider = (name, attributes, moved) => make("label", { class: "slider" }, make("span", { class: "label" }, name),
  make("input", { type: "range", ...attributes, oninput: (event) => moved(Number(event.target.value)) }), make("output"));
