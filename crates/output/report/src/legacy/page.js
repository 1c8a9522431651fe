"use strict";

// Tables: a click on a header, or Enter or the space bar on it, sorts by that column; once more turns the order around.
const value = (cell) => (cell && "value" in cell.dataset ? (cell.dataset.value === "" ? -Infinity : Number(cell.dataset.value)) : cell ? cell.textContent : "");

function compare(a, b) {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}

function sort(header) {
  const table = header.closest("table");
  const body = table.tBodies[0];
  const column = header.cellIndex;
  const descending = header.getAttribute("aria-sort") === "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const rows = Array.from(body.rows, (row, place) => ({ row, place, key: value(row.cells[column]) }));
  // Equal lines keep their order.
  rows.sort((a, b) => (descending ? compare(b.key, a.key) : compare(a.key, b.key)) || a.place - b.place);
  body.append(...rows.map((entry) => entry.row));
}

function addFilter(table) {
  const label = document.createElement("label");
  label.className = "filter";
  label.textContent = "Show only lines with ";
  const field = document.createElement("input");
  field.type = "search";
  label.append(field);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  });
  table.closest(".scroll").before(label);
}

for (const button of document.querySelectorAll("table.data th button")) {
  button.addEventListener("click", () => sort(button.closest("th")));
}
for (const table of document.querySelectorAll("table.data")) {
  if (table.tBodies[0].rows.length > 10) addFilter(table);
}

// Instances: all policies on the chosen one.
const source = document.getElementById("instance-data");
if (source) {
  const { settings, instances } = JSON.parse(source.textContent);
  const workload = document.getElementById("choose-workload");
  const instance = document.getElementById("choose-instance");
  const setting = document.getElementById("choose-setting");
  const option = (text, place) => new Option(text, place);
  const ofWorkload = () => instances.filter((one) => one.workload === workload.value);

  const show = () => {
    const one = ofWorkload().find((other) => other.name === instance.value);
    const facts = `${one.jobs} jobs, lower bound on the maximum stretch ${one.bound}`;
    document.getElementById("instance-facts").textContent = facts;
    const figures = settings.map((name, place) => [name, one.degradation[place] ?? null]);
    figures.sort((a, b) => (a[1] ?? Infinity) - (b[1] ?? Infinity));
    const known = figures.map((figure) => figure[1]).filter((figure) => figure !== null);
    const least = Math.min(...known);
    const scale = Math.log(Math.max(...known) / least) || 1;
    const rows = figures.map(([name, figure]) => {
      const row = document.createElement("tr");
      const number = document.createElement("td");
      number.className = "number";
      number.dataset.value = figure ?? "";
      number.textContent = figure ?? "failed";
      const bar = document.createElement("span");
      bar.className = "bar";
      bar.style.width = figure === null ? "0" : `${(100 * Math.log(figure / least)) / scale}%`;
      const [policy, picture] = [document.createElement("td"), document.createElement("td")];
      policy.textContent = name;
      picture.append(bar);
      row.append(policy, number, picture);
      return row;
    });
    const table = document.getElementById("instance-table");
    for (const header of table.tHead.rows[0].cells) header.removeAttribute("aria-sort");
    table.tHead.rows[0].cells[1].setAttribute("aria-sort", "ascending");
    table.tBodies[0].replaceChildren(...rows);
  };
  const listInstances = () => {
    instance.replaceChildren(...ofWorkload().map((one) => option(one.name, one.name)));
    show();
  };
  workload.replaceChildren(...[...new Set(instances.map((one) => one.workload))].map((name) => option(name, name)));
  setting.replaceChildren(option("a policy", ""), ...settings.map(option));
  workload.addEventListener("change", listInstances);
  instance.addEventListener("change", show);
  setting.addEventListener("change", () => {
    if (setting.value === "") return;
    const figure = (one) => one.degradation[Number(setting.value)] ?? -Infinity;
    const worst = ofWorkload().reduce((a, b) => (figure(b) > figure(a) ? b : a));
    instance.value = worst.name;
    show();
  });
  listInstances();
}
