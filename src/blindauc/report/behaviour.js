"use strict";
// The page works without this script. It adds tooltips to charts, sorting and filtering to tables, and a slider for the
// number of positives to expect.

/* Charts: a tooltip for the spot nearest to the pointer; with the keyboard, arrow keys go from spot to spot. */
for (const plot of document.querySelectorAll(".plot")) {
  const svg = plot.querySelector("svg");
  const mark = svg.querySelector(".mark");
  const tip = plot.querySelector(".tip");
  const spots = [...svg.querySelectorAll(".spot")].map((spot) => ({
    x: Number(spot.getAttribute("cx")),
    y: Number(spot.getAttribute("cy")),
    text: spot.dataset.tip,
  }));
  let current = -1;

  const hide = () => {
    tip.hidden = true;
    mark.setAttribute("visibility", "hidden");
  };
  const show = (index) => {
    current = index;
    const spot = spots[index];
    mark.setAttribute("cx", spot.x);
    mark.setAttribute("cy", spot.y);
    mark.setAttribute("visibility", "visible");
    tip.textContent = spot.text;
    tip.hidden = false;
    place(spot);
  };
  // Place the tooltip above the spot if there is room, and always inside the chart.
  const place = (spot) => {
    const scale = svg.clientWidth / svg.viewBox.baseVal.width;
    const left = spot.x * scale - tip.offsetWidth / 2;
    const above = spot.y * scale - tip.offsetHeight - 12;
    tip.style.left = `${Math.max(0, Math.min(left, plot.clientWidth - tip.offsetWidth))}px`;
    tip.style.top = `${above >= 0 ? above : spot.y * scale + 14}px`;
  };
  const nearest = (event) => {
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    const x = (event.clientX - box.left) * scale;
    const y = (event.clientY - box.top) * scale;
    // The distance in one direction decides; the other direction only breaks ties.
    const [a, b] = plot.dataset.nearest === "y" ? [0.01, 1] : [1, 0.01];
    const distances = spots.map((spot) => a * Math.abs(spot.x - x) + b * Math.abs(spot.y - y));
    return distances.indexOf(Math.min(...distances));
  };
  if (spots.length === 0) continue;
  const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
  plot.tabIndex = 0;
  plot.setAttribute("role", "group");
  plot.setAttribute("aria-label", `${plot.dataset.title}: arrow keys step through the numbers`);
  plot.addEventListener("pointermove", (event) => show(nearest(event)));
  plot.addEventListener("pointerdown", (event) => show(nearest(event)));
  plot.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hide());
  plot.addEventListener("focus", () => plot.matches(":focus-visible") && show(Math.max(current, 0)));
  plot.addEventListener("blur", hide);
  plot.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
    if (!(event.key in steps)) return;
    event.preventDefault();
    show(Math.max(0, Math.min(current + steps[event.key], spots.length - 1)));
  });
}

/* Tables: a click on a heading sorts, a second click reverses the order; long tables are collapsed at first. */
const FILTERED = "filtered";

for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  const rows = [...body.rows];
  const first = Number(table.dataset.first);
  let isCut = rows.length > first;

  const button = document.createElement("button");
  button.type = "button";
  button.className = "more";
  table.parentElement.after(button);

  const refresh = () => {
    const matching = [...body.rows].filter((row) => !(FILTERED in row.dataset));
    for (const row of body.rows) row.hidden = FILTERED in row.dataset;
    if (isCut) for (const row of matching.slice(first)) row.hidden = true;
    button.hidden = !isCut || matching.length <= first;
    button.textContent = `Show all ${matching.length.toLocaleString("en")}`;
  };
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent;
  };
  const compared = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }));
  const sort = (column) => {
    const heading = headings[column];
    const isNumber = heading.classList.contains("number");
    // Numbers sort in descending order first, names in ascending order.
    const start = isNumber ? "descending" : "ascending";
    const turned = start === "descending" ? "ascending" : "descending";
    const order = heading.getAttribute("aria-sort") === start ? turned : start;
    const sign = order === "ascending" ? 1 : -1;
    for (const each of headings) each.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", order);
    body.append(...[...rows].sort((a, b) => sign * compared(keyOf(a, column), keyOf(b, column))));
    refresh();
  };

  headings.forEach((heading, column) => {
    const sorter = document.createElement("button");
    sorter.type = "button";
    sorter.append(...heading.childNodes);
    heading.append(sorter);
    sorter.addEventListener("click", () => sort(column));
  });
  button.addEventListener("click", () => {
    isCut = false;
    refresh();
  });
  table.addEventListener("refilter", refresh);
  refresh();
}

/* Labels to check: filter by text and by the least suspicion. */
{
  const table = document.getElementById("doubts-table");
  const words = document.getElementById("doubts-words");
  const status = document.getElementById("doubts-status");
  // With too few labels there are no probabilities, hence no slider.
  const least = document.getElementById("doubts-least");
  const rows = [...table.tBodies[0].rows].map((row) => ({
    row,
    text: row.textContent.toLowerCase(),
    suspicion: Number(row.cells[3].dataset.value),
  }));

  const filter = () => {
    const wanted = words.value.trim().toLowerCase();
    let matching = 0;
    for (const { row, text, suspicion } of rows) {
      const isWanted = text.includes(wanted) && (!least || 100 * suspicion >= Number(least.value));
      if (isWanted) delete row.dataset[FILTERED];
      else row.dataset[FILTERED] = "";
      matching += isWanted;
    }
    if (least) document.getElementById("doubts-least-shown").textContent = `${least.value}\u00a0%`;
    status.textContent = `${matching.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows match`;
    table.dispatchEvent(new Event("refilter"));
  };

  words.addEventListener("input", filter);
  least?.addEventListener("input", filter);
  words.closest(".filter").hidden = false;
  filter();
}

/* Capacity: how many positives to expect among the first rows. The curve is read from its table. */
if (document.getElementById("capacity-curve")) {
  const curve = [...document.getElementById("capacity-curve").tBodies[0].rows].map((row) =>
    [...row.cells].map((cell) => Number(cell.dataset.value)),
  );
  const rows = document.getElementById("capacity-rows");
  const slider = document.getElementById("capacity-slider");
  const status = document.getElementById("capacity-found");
  const most = curve.at(-1)[0];

  // The values of the curve at k rows, by linear interpolation from zero at k = 0.
  const among = (k) => {
    const right = curve.findIndex((point) => point[0] >= k);
    const after = curve[right];
    const before = right > 0 ? curve[right - 1] : after.map(() => 0);
    const part = (k - before[0]) / (after[0] - before[0]);
    return after.map((end, i) => before[i] + part * (end - before[i]));
  };
  const sentence = (k) => {
    const numbers = among(k);
    const [low, high] = numbers.slice(-2);
    const between = `${Math.floor(low + 1e-9).toLocaleString("en")} to ${Math.ceil(high - 1e-9).toLocaleString("en")}`;
    const of = k === 1 ? "Of the first row" : `Of the first ${k.toLocaleString("en")} rows`;
    if (numbers.length === 3) return `${of} anything from ${between} may be positive. Giving the prior would narrow this.`;
    return `${of} expect about ${Math.round(numbers[1]).toLocaleString("en")} to be positive (95 % interval ${between}).`;
  };
  const show = (k) => {
    status.textContent = sentence(k);
    slider.setAttribute("aria-valuetext", `${k.toLocaleString("en")} rows`);
  };
  // The slider is logarithmic: ten more rows matter at the start, but not at the end.
  const placeOf = (k) => (most > 1 ? (1000 * Math.log(k)) / Math.log(most) : 0);
  const rowsAt = (place) => Math.max(1, Math.round(most ** (place / 1000)));

  slider.addEventListener("input", () => {
    const k = rowsAt(Number(slider.value));
    rows.value = k;
    show(k);
  });
  const typed = () => Math.max(1, Math.min(most, Math.round(Number(rows.value)) || 1));
  rows.addEventListener("input", () => {
    slider.value = placeOf(typed());
    show(typed());
  });
  rows.addEventListener("change", () => {
    rows.value = typed();
  });
  slider.value = placeOf(typed());
  show(typed());
  slider.closest(".filter").hidden = false;
}
