"use strict";
// Sorting and copying; everything else works without a script.

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
