"use strict";
// Sorting, searching, hiding columns and copying; everything else works without a script.

const collator = new Intl.Collator(undefined, { numeric: true });

function keyOf(row, column) {
  const cell = row.cells[column];
  return "sort" in cell.dataset ? Number(cell.dataset.sort) : cell.textContent;
}

function sorted(table, column, down) {
  const rows = [...table.tBodies[0].rows];
  const compare = (a, b) => {
    const x = keyOf(a, column), y = keyOf(b, column);
    if (x === "" || y === "") return (x === "") - (y === "");  // the unknown stay at the end
    const order = typeof x === "number" && typeof y === "number" ? x - y : collator.compare(x, y);
    return down ? -order : order;
  };
  table.tBodies[0].append(...rows.sort(compare));
}

for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const number = head.classList.contains("right");
      const was = head.getAttribute("aria-sort");
      const down = was ? was === "ascending" : number;  // numbers: the largest first
      for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      sorted(table, column, down);
    });
  });
}

// Above a table of systems: which rows, ordered by which column, with which columns. Labels only
// ever become text.
function element(tag, parts = [], attributes = {}) {
  const made = document.createElement(tag);
  made.append(...parts);
  return Object.assign(made, attributes);
}

document.querySelectorAll("table.filtered").forEach((table) => {
  const heads = [...table.tHead.rows[0].cells];
  const names = heads.map((head) => head.textContent);
  const key = heads.findIndex((head) => head.classList.contains("key"));
  const numeric = heads.map((head, i) => i).filter((i) => heads[i].classList.contains("right"));
  const said = element("output");

  const search = element("input", [], { type: "search", autocomplete: "off" });
  search.addEventListener("input", () => {
    const rows = [...table.tBodies[0].rows], wanted = search.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !row.cells[key].textContent.toLowerCase().includes(wanted);
    const left = rows.filter((row) => !row.hidden).length;
    said.textContent = wanted ? `${left} of ${rows.length}` : "";
  });

  const order = element("select", numeric.map((i) => new Option(names[i], i)));
  order.addEventListener("change", () => {
    const head = heads[order.value];
    if (head.hidden) boxes.find((box) => box.value === order.value).click();
    head.removeAttribute("aria-sort");
    head.querySelector("button").click();
    head.scrollIntoView({ block: "nearest", inline: "center" });
  });

  const boxes = heads.flatMap((head, column) => {
    if (column === key) return [];
    const box = element("input", [], { type: "checkbox", checked: true, value: column });
    box.addEventListener("change", () => {
      for (const row of table.rows) row.cells[column].hidden = !box.checked;
    });
    return [box];
  });
  const columns = element("details", [
    element("summary", ["Columns"]),
    element("fieldset", boxes.map((box) => element("label", [box, names[box.value]]))),
  ]);

  const parts = [element("label", ["Search systems", search])];
  if (numeric.length > 1) parts.push(element("label", ["Order by", order]));
  const bar = element("div", [...parts, columns, said], { className: "filters" });
  table.closest(".scroll").before(bar);
});

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

const said = document.getElementById("said");
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await copied(document.getElementById(button.dataset.copy).textContent);
    said.textContent = `${button.textContent}: done`;
  });
}
