"use strict";
// One row at a time. A decision is sent to the server, and the next row is shown when it is saved. A decision that could
// not be saved is kept in this window and sent again.

const at = (id) => document.getElementById(id);
const isBlind = "blind" in document.body.dataset;
const WORDS = {
  labels: { right: ["Right", "right"], wrong: ["Wrong", "wrong"], "cannot-tell": ["Cannot tell", "cannot tell"] },
  unlabelled: { right: ["Positive", "positive"], wrong: ["Negative", "negative"], "cannot-tell": ["Cannot tell", "cannot tell"] },
};
const POLL = 15000; // milliseconds between requests for the decisions of others (convention)
const RETRY = 4000; // milliseconds until a failed request is sent again (convention)

let reviewer = sessionStorage.getItem("reviewer") || "";
let queue = sessionStorage.getItem("queue") || "labels";
let useKeys = localStorage.getItem("keys") !== "off";
let queues = { labels: { rows: [], advised: 0 }, unlabelled: { rows: [], advised: 0 } };
let decided = new Map(); // the state of each decided row, from the server
let trail = []; // rows in the order in which they were decided here
let last = 0; // the last entry of the record that we have
let shown = null; // the row that is shown
let waiting = JSON.parse(sessionStorage.getItem("waiting") || "null"); // a decision that is not saved yet
let disagreements = [];
const summaries = {}; // the summary of each list, as HTML from the server
let isSending = false;
let timer = 0; // of the next retry
let retry = () => {}; // the request that is sent again then

/* Requests */
const ask = async (path, options) => {
  const answer = await fetch(path, { credentials: "same-origin", ...options });
  const content = await answer.json().catch(() => ({}));
  return { status: answer.status, content };
};
const asReviewer = (path) => `${path}${path.includes("?") ? "&" : "?"}reviewer=${encodeURIComponent(reviewer)}`;

const say = (words) => {
  at("status").textContent = "";
  requestAnimationFrame(() => { at("status").textContent = words; });
};
const trouble = (words, canRetry) => {
  at("trouble").hidden = !words;
  at("trouble-words").textContent = words || "";
  at("retry").hidden = !canRetry;
};

/* The state of all rows */
const learn = (news) => {
  if (news.queues) queues = news.queues;
  for (const row of news.changes.rows) decided.set(row.row, row);
  last = Math.max(last, news.changes.last);
  Object.assign(summaries, news.summaries);
  disagreements = news.disagreements;
  refresh();
};
const isDone = (row) => {
  const state = decided.get(row);
  return Boolean(state && (isBlind ? state.mine : state.decision));
};
const rowsOf = (name) => queues[name].rows.map(([row]) => row);

const refresh = () => {
  const rows = rowsOf(queue);
  const nDone = rows.filter(isDone).length;
  const advised = queues[queue].advised || rows.length;
  const { before } = queues[queue]; // rows that were checked before the fit are not in the list
  at("progress").max = Math.max(before + advised, before + nDone, 1);
  at("progress").value = before + nDone;
  const beyond = nDone > advised ? "" : ` of ${(before + advised).toLocaleString("en")}`;
  at("progress-text").textContent = `${(before + nDone).toLocaleString("en")}${beyond} checked`;
  if (at("summary").innerHTML !== summaries[queue]) at("summary").innerHTML = summaries[queue] || ""; // escaped by the server
  at("found-so-far").textContent = at("summary").querySelector(".so-far")?.textContent || "Results so far";
  for (const tab of document.querySelectorAll("[data-queue]")) tab.setAttribute("aria-pressed", String(tab.dataset.queue === queue));
  for (const [id, [words]] of Object.entries(WORDS[queue])) at(id).firstElementChild.textContent = words;
  at("who").textContent = reviewer;
  at("export").href = asReviewer("/checked.csv");
  if (at("all-rows").open) list(at("list"), queues[queue].rows);
  list(at("disagreements"), disagreements);
  at("done").textContent = before + nDone && nDone === rows.length ? "All rows of this list are checked."
    : nDone >= advised ? "All rows that should be checked are checked. You can go on: the others are less suspicious." : "";
  at("done").hidden = !at("done").textContent;
  at("disagreeing").hidden = disagreements.length === 0;
};
const list = (place, rows) => {
  place.replaceChildren(...rows.map(([row, name]) => {
    const [item, button, who, what] = ["li", "button", "bdi", "span"].map((tag) => document.createElement(tag));
    button.type = "button";
    button.dataset.row = row;
    who.textContent = name;
    what.textContent = decided.get(row)?.decision || "";
    what.className = "note";
    if (shown && shown.row === row) button.setAttribute("aria-current", "true");
    button.append(who, what);
    item.append(button);
    return item;
  }));
};

/* Showing a row */
const show = async (row) => {
  at("row").setAttribute("aria-busy", "true");
  let answer;
  try {
    answer = await ask(asReviewer(`/rows/${row}`));
  } catch {
    answer = { status: 0 };
  }
  if (answer.status !== 200) return unreachable(answer.status, () => show(row));
  const { html, ...state } = answer.content;
  shown = { ...state, queue };
  decided.set(row, state);
  if (!state.decision) decided.delete(row);
  at("row").innerHTML = html; // escaped by the server
  at("row").removeAttribute("aria-busy");
  at("note").value = state.note || "";
  showDecisions();
  refresh();
  window.scrollTo({ top: 0, behavior: "instant" });
  at("row-name").focus({ preventScroll: true });
};
const showDecisions = () => {
  const words = shown.others.map((other) => `${other.reviewer}: ${other.decision}${other.note ? ` (${other.note})` : ""}`);
  if (shown.mine) words.unshift(`You: ${shown.mine}`);
  at("said").textContent = words.join(" · ");
  at("said").hidden = words.length === 0;
  for (const [id, [, decision]] of Object.entries(WORDS[queue])) at(id).setAttribute("aria-pressed", String(shown.mine === decision));
};
const next = () => {
  const rows = rowsOf(queue);
  const start = shown ? rows.indexOf(shown.row) + 1 : 0;
  const open = [...rows.slice(start), ...rows.slice(0, start)].find((row) => !isDone(row) && row !== shown?.row);
  if (open !== undefined) return show(open);
  if (shown && shown.queue === queue) {
    say("All rows of this list are checked.");
    return show(shown.row);
  }
  return rows.length ? show(rows[0]) : empty();
};
const skip = () => {
  if (!waiting) trouble("");
  return next();
};
const empty = () => {
  at("row").textContent = "There is nothing to check in this list.";
  at("row").removeAttribute("aria-busy");
};
const back = () => {
  if (!waiting) trouble("");
  const place = shown ? trail.lastIndexOf(shown.row) : -1;
  const before = trail[(place < 0 ? trail.length : place) - 1];
  if (before === undefined) return say("There is no row before this one.");
  const other = queue === "labels" ? "unlabelled" : "labels";
  if (!rowsOf(queue).includes(before) && rowsOf(other).includes(before)) queue = other;
  return show(before);
};

/* Deciding */
const identifier = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const decide = (id) => {
  if (!shown || isSending || waiting || at("row").hasAttribute("aria-busy")) return;
  waiting = {
    request: identifier(), reviewer, row: shown.row, decision: WORDS[queue][id][1], note: at("note").value.trim(), version: shown.version,
  };
  sessionStorage.setItem("waiting", JSON.stringify(waiting));
  send();
};
const send = async () => {
  if (isSending || !waiting) return;
  isSending = true;
  clearTimeout(timer);
  const body = JSON.stringify({ ...waiting, since: last });
  let answer;
  try {
    answer = await ask("/decisions", { method: "POST", body, headers: { "Content-Type": "application/json" } });
  } catch {
    answer = { status: 0, content: {} };
  }
  isSending = false;
  if (answer.status === 200) return written(answer.content);
  if (answer.status === 409) return refused(answer.content);
  if (answer.status === 400 || answer.status === 413) {
    forget();
    return trouble(answer.content.error || "The server refused this decision.", false);
  }
  return unreachable(answer.status, send, answer.content.error);
};
const forget = () => {
  waiting = null;
  sessionStorage.removeItem("waiting");
};
const written = (content) => {
  const sent = waiting;
  forget();
  trail = [...trail.filter((row) => row !== sent.row), sent.row];
  trouble("");
  learn(content);
  say(`${sent.decision}. ${at("summary").textContent}`);
  if (!shown || shown.row === sent.row) next();
};
const refused = (content) => {
  const { decision, note, row } = waiting;
  forget();
  learn(content);
  trouble(`${content.error} You said: ${decision}. Look at the current decisions, and decide again or skip.`, false);
  show(row).then(() => { if (!at("note").value) at("note").value = note; });
};
const unreachable = (status, again, words) => {
  const kept = waiting ? " Your decision is kept in this window and will be sent again." : "";
  if (status === 401 || status === 403) trouble(`Your session has ended. Open the address that blindauc review printed.${kept}`, true);
  else trouble(`${words || "The server does not answer."}${kept}`, true);
  retry = again;
  timer = setTimeout(again, RETRY);
};
/* Keys, buttons and dialogs */
const acts = {
  r: () => decide("right"), w: () => decide("wrong"), c: () => decide("cannot-tell"), b: back, s: skip,
  n: () => at("note").focus(), "?": () => at("help").showModal(),
};
document.addEventListener("keydown", (event) => {
  if (event.target.id === "note" && (event.key === "Escape" || event.key === "Enter")) {
    event.preventDefault();
    return at("row-name")?.focus();
  }
  if (!useKeys || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.matches("input, textarea, select") || document.querySelector("dialog[open]")) return;
  const act = acts[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act();
});
for (const id of ["right", "wrong", "cannot-tell"]) at(id).addEventListener("click", () => decide(id));
at("back").addEventListener("click", back);
at("skip").addEventListener("click", skip);
at("retry").addEventListener("click", () => { clearTimeout(timer); retry(); });
at("help-button").addEventListener("click", () => at("help").showModal());
at("all-rows").addEventListener("toggle", refresh);
at("keys").checked = useKeys;
at("keys").addEventListener("change", (event) => {
  useKeys = event.target.checked;
  localStorage.setItem("keys", useKeys ? "on" : "off");
});
for (const tab of document.querySelectorAll("[data-queue]")) {
  tab.addEventListener("click", () => {
    queue = tab.dataset.queue;
    sessionStorage.setItem("queue", queue);
    shown = null;
    refresh();
    next();
  });
}
for (const place of [at("list"), at("disagreements")]) {
  place.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const row = Number(button.dataset.row);
    queue = rowsOf("labels").includes(row) ? "labels" : "unlabelled";
    show(row);
  });
}
at("who").addEventListener("click", () => at("name-dialog").showModal());
at("name-dialog").addEventListener("cancel", (event) => reviewer || event.preventDefault());
at("name-form").addEventListener("submit", () => {
  reviewer = at("name").value.trim();
  sessionStorage.setItem("reviewer", reviewer);
  begin();
});

/* Start, and start again for another reviewer */
const begin = async () => {
  if (!reviewer) return at("name-dialog").showModal();
  [decided, trail, last, shown] = [new Map(), [], 0, null];
  let answer;
  try {
    answer = await ask(asReviewer("/state?since=0"));
  } catch {
    answer = { status: 0 };
  }
  if (answer.status !== 200) return unreachable(answer.status, begin);
  trouble("");
  trail = answer.content.changes.rows.filter((row) => row.mine).map((row) => row.row);
  if (!answer.content.queues[queue].rows.length) queue = "labels";
  learn(answer.content);
  if (waiting) return send();
  return next();
};
const poll = async () => {
  if (reviewer && !document.hidden && !isSending) {
    const answer = await ask(asReviewer(`/state?since=${last}`)).catch(() => null);
    if (answer && answer.status === 200 && answer.content.changes.rows.length) learn(answer.content);
  }
  setTimeout(poll, POLL);
};
setTimeout(poll, POLL);
begin();
