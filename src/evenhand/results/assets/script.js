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

function element(tag, parts = [], attributes = {}) {
  const made = document.createElement(tag);
  made.append(...parts);
  return Object.assign(made, attributes);
}

for (const table of document.querySelectorAll("table.sortable")) {
  for (const head of table.tHead.rows[0].cells) {
    const button = element("button", head.childNodes, { type: "button" });
    head.append(button);
    button.addEventListener("click", () => {
      const number = head.classList.contains("right");
      const was = head.getAttribute("aria-sort");
      const down = was ? was === "ascending" : number;  // numbers: the largest first
      for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      sorted(table, head.cellIndex, down);
    });
  }
}

// Above a table of systems: which rows, with which columns. Labels only ever become text.
for (const table of document.querySelectorAll("table.filtered")) {
  const said = element("output");
  const search = element("input", [], { type: "search", autocomplete: "off" });
  search.addEventListener("input", () => {
    const rows = [...table.tBodies[0].rows], wanted = search.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !row.querySelector(".key").textContent.toLowerCase().includes(wanted);
    const left = rows.filter((row) => !row.hidden).length;
    said.textContent = wanted ? `${left} of ${rows.length}` : "";
  });

  const boxes = [...table.tHead.rows[0].cells].filter((head) => !head.classList.contains("key")).map((head) => {
    const box = element("input", [], { type: "checkbox", checked: true });
    box.addEventListener("change", () => {
      for (const row of table.rows) row.cells[head.cellIndex].hidden = !box.checked;
    });
    return element("label", [box, head.textContent]);
  });
  const columns = element("details", [element("summary", ["Columns"]), element("fieldset", boxes)]);
  const label = element("label", ["Search systems", search]);
  table.closest(".scroll").before(element("div", [label, columns, said], { className: "filters" }));
}

const said = document.getElementById("said");
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = !navigator.clipboard; // none where the address is not secure
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    said.textContent = `${button.textContent}: done`;
  });
}
