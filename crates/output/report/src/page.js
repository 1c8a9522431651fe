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

// One listener for all tables, those made below included.
document.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  const header = target.closest("th");
  if (header && target.closest("button")) sort(header);
});
for (const table of /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll("table.data"))) {
  if (table.tBodies[0].rows.length > 10) addFilter(table);
}

// A link to what is folded up unfolds it.
function unfold() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (target) target.closest("details")?.setAttribute("open", "");
}
addEventListener("hashchange", unfold);
unfold();

// Paper cannot be unfolded.
let unfolded = /** @type {HTMLDetailsElement[]} */ ([]);
addEventListener("beforeprint", () => {
  unfolded = [...document.querySelectorAll(/** @type {"details"} */ ("details:not([open], [data-long])"))];
  for (const one of unfolded) one.open = true;
});
addEventListener("afterprint", () => {
  for (const one of unfolded) one.open = false;
});

// Instances: groups of runs with the same labels and variant, and below them the runs of one group or of one instance.
const MAX_GROUPS = 200;
const MAX_RUNS = 500;
const ACTION = { heading: "see", isAction: true };

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// A column has a heading and may have `isNumber`, `hint`, `className`, and `isAction` if it cannot be sorted; a cell is a text, a
// number, null or an element.
function fill(table, columns, lines, sortedBy, descending) {
  const header = element("tr");
  for (const [place, column] of columns.entries()) {
    const cell = element("th", undefined, column.isNumber ? "number" : "");
    cell.scope = "col";
    if (column.hint) cell.title = column.hint;
    if (column.isAction) cell.append(element("span", column.heading));
    else cell.append(Object.assign(element("button", column.heading), { type: "button" }));
    if (place === sortedBy) cell.setAttribute("aria-sort", descending ? "descending" : "ascending");
    header.append(cell);
  }
  const rows = lines.map((line) => {
    const row = element("tr");
    for (const [place, content] of line.entries()) {
      const cell = element("td", undefined, columns[place].isNumber ? "number" : columns[place].className);
      if (content instanceof Element) cell.append(content);
      else cell.textContent = content ?? "";
      if (columns[place].isNumber) cell.dataset.value = content ?? "";
      row.append(cell);
    }
    return row;
  });
  table.tHead.replaceChildren(header);
  table.tBodies[0].replaceChildren(...rows);
}

function button(text, label, action) {
  const made = Object.assign(element("button", text), { type: "button" });
  made.setAttribute("aria-label", label);
  made.addEventListener("click", action);
  return made;
}

function bar(percent) {
  const made = element("span", undefined, "bar");
  made.style.width = `${percent}%`;
  return made;
}

// The lengths of bars in percent, from the best value to the worst: by logarithms if all are above 0.
function lengths(values, moreIsBetter) {
  const known = values.filter((value) => value !== null);
  const size = known.every((value) => value > 0) ? Math.log : (value) => value;
  const sizes = known.map(size);
  const [least, most] = [sizes.reduce((a, b) => Math.min(a, b), Infinity), sizes.reduce((a, b) => Math.max(a, b), -Infinity)];
  const best = moreIsBetter ? most : least;
  return (value) => (100 * Math.abs(size(value) - best)) / (most - least || 1);
}

function showPart(part) {
  const { keys, instance, metrics, statuses, groups, rows } = JSON.parse(part.querySelector("script").textContent);
  const find = (selector) => part.querySelector(selector);
  if (groups.length === 0) return;
  groups.forEach((group, place) => (group.place = place));
  const primary = metrics.length > 0 && metrics[0].is_primary ? metrics[0] : null;
  const moreIsBetter = primary !== null && primary.more_is_better;
  // Runs and groups without a value are last in any case.
  const bestFirst = (a, b) => (a === null || b === null ? Number(a === null) - Number(b === null) : moreIsBetter ? b - a : a - b);
  const worstFirst = (a, b) => (a === null || b === null ? bestFirst(a, b) : bestFirst(b, a));
  const varying = keys.map((key, place) => ({ ...key, place })).filter((key) => key.values.length > 1);
  const named = (key, value) => (value === "" ? `no ${key.name}` : key.around[0] + value + key.around[1]);
  const groupName = (group) => varying.map((key) => named(key, key.values[group.keys[key.place]])).join(", ") || "all runs";

  // What a row of the data means.
  const first = 2 + instance.length;
  const groupOf = (row) => groups[row[0]];
  const statusOf = (row) => {
    const message = row[first + metrics.length];
    return statuses[row[1 + instance.length]] + (message === undefined ? "" : `: ${message}`);
  };
  const primaryOf = (row) => (primary ? row[first] : null);
  const isOnSameInstance = (one, other) =>
    instance.every((column, place) => one[1 + place] === other[1 + place]) &&
    varying.every((key) => !key.is_label || groupOf(one).keys[key.place] === groupOf(other).keys[key.place]);
  const instanceName = (row) => {
    const labels = varying.filter((key) => key.is_label).map((key) => named(key, key.values[groupOf(row).keys[key.place]]));
    return labels.concat(instance.map((column, place) => named(column, column.values[row[1 + place]]))).join(", ") || "the only one";
  };

  // Columns in which all chosen runs agree are named above the table.
  const allColumns = () => {
    const text = (read) => ({ read, isNumber: false });
    const label = (key, place) => ({ heading: key.name, ...text((row) => key.values[groupOf(row).keys[place]]) });
    const labels = keys.map((key, place) => ({ key, column: label(key, place) }));
    const metric = (one, place) => ({ heading: one.name, hint: one.doc, isNumber: true, read: (row) => row[first + place] });
    return [
      ...labels.filter(({ key }) => key.is_label).map(({ column }) => column),
      ...instance.map((column, place) => ({ heading: column.name, ...text((row) => column.values[row[1 + place]]) })),
      ...labels.filter(({ key }) => !key.is_label).map(({ column }) => column),
      { heading: "status", ...text(statusOf) },
      ...metrics.map(metric),
    ];
  };
  const showRuns = (title, chosen, isWorstFirst, leads) => {
    const order = isWorstFirst ? worstFirst : bestFirst;
    chosen.sort((a, b) => order(primaryOf(a), primaryOf(b)));
    const shown = chosen.slice(0, MAX_RUNS);
    const all = allColumns();
    const primaryColumn = primary ? all[all.length - metrics.length] : null;
    const agree = (column) => shown.length > 1 && column !== primaryColumn && shown.every((row) => column.read(row) === column.read(shown[0]));
    const common = all.filter((column) => agree(column) && !["", null].includes(column.read(shown[0])));
    const columns = all.filter((column) => !agree(column));
    for (const column of columns) {
      const values = shown.map(column.read);
      column.isNumber &&= values.every((value) => value === null || typeof value === "number");
    }
    const place = columns.indexOf(primaryColumn);
    const length = lengths(shown.map(primaryOf), moreIsBetter);
    const lines = shown.map((row) => {
      const line = columns.map((column) => column.read(row));
      if (place >= 0) line.splice(place + 1, 0, primaryOf(row) === null ? null : bar(length(primaryOf(row))));
      return [leads(row), ...line];
    });
    if (place >= 0) columns.splice(place + 1, 0, { heading: "from the best to the worst", isAction: true, className: "bar-cell" });
    columns.unshift(ACTION);
    find(".chosen-title").textContent = title;
    const parts = common.map((column) => `${column.heading} ${column.read(shown[0])}`);
    const few = shown.length < chosen.length ? `The ${isWorstFirst ? "worst" : "best"} ${shown.length} of ${chosen.length} runs. ` : "";
    find(".common").textContent = few + (parts.length > 0 ? `In all lines: ${parts.join(", ")}.` : "");
    fill(find("table.rows"), columns, lines, place < 0 ? -1 : place + 1, isWorstFirst !== moreIsBetter);
    find(".chosen").hidden = false;
    find(".chosen-title").focus();
  };
  const showGroup = (group) => {
    const chosen = rows.filter((row) => row[0] === group.place);
    const toInstance = (row) => button("all variants", `All variants on ${instanceName(row)}`, () => showInstance(row));
    showRuns(`Runs of ${groupName(group)}`, chosen, true, toInstance);
  };
  const showInstance = (one) => {
    const chosen = rows.filter((row) => isOnSameInstance(one, row));
    const toGroup = (row) => button("group", `All runs of ${groupName(groupOf(row))}`, () => showGroup(groupOf(row)));
    showRuns(`All variants on ${instanceName(one)}`, chosen, false, toGroup);
  };

  const selects = varying.map((key) => {
    const label = element("label", `${key.name} `);
    const select = element("select");
    const values = key.values.map((value, code) => ({ value, code }));
    values.sort((a, b) => compare(a.value, b.value));
    select.append(new Option("all", ""), ...values.map(({ value, code }) => new Option(value === "" ? "none" : value, code)));
    select.addEventListener("change", () => showGroups());
    label.append(select);
    find(".choices").append(label);
    return { key, select };
  });
  const isIncomplete = groups.some((group) => group.measured < group.runs);
  const showGroups = () => {
    const isChosen = (group) => selects.every(({ key, select }) => select.value === "" || group.keys[key.place] === Number(select.value));
    const chosen = groups.filter(isChosen);
    chosen.sort((a, b) => bestFirst(a.mean, b.mean));
    const shown = chosen.slice(0, MAX_GROUPS);
    const columns = varying.map((key) => ({ heading: key.name, isNumber: false }));
    columns.push({ heading: "runs", isNumber: true });
    if (primary && isIncomplete) columns.push({ heading: "without a value", isNumber: true });
    const mean = columns.length + (rows ? 1 : 0);
    if (primary) columns.push({ heading: `mean ${primary.name}`, isNumber: true, hint: primary.doc }, { heading: `worst ${primary.name}`, isNumber: true, hint: primary.doc });
    if (rows) columns.unshift(ACTION);
    const lines = shown.map((group) => {
      const line = varying.map((key) => key.values[group.keys[key.place]]);
      line.push(group.runs);
      if (primary && isIncomplete) line.push(group.runs - group.measured);
      if (primary) line.push(group.mean, group.worst);
      return rows ? [button("instances", `Instances of ${groupName(group)}`, () => showGroup(group)), ...line] : line;
    });
    fill(find("table.groups"), columns, lines, primary ? mean : -1, moreIsBetter);
    const few = shown.length < chosen.length ? `; the best ${shown.length} are shown, choose to see others` : "";
    find(".count").textContent = `${chosen.length} of ${groups.length} groups${few}.`;
  };
  showGroups();
}

for (const part of document.querySelectorAll(".part")) showPart(part);
