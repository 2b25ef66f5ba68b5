"use strict";
(() => {
  const run = document.body.dataset.run;
  const key = `copydesk-editorial-${run}`;
  const sections = [...document.querySelectorAll("main > section")];
  const ids = sections.map((section) => section.dataset.post).filter(Boolean);
  const links = new Map([...document.querySelectorAll("nav a[data-post]")].map((link) => [link.dataset.post, link]));
  const [tables, input, changes] = ["tables", "mark", "changes"].map((id) => document.getElementById(id));
  // What the reader gave, and the results once they are shown.
  let state = { marks: {}, revealed: false };
  let found = null;

  const element = (name, text, className) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const shown = () => document.querySelector("main > .shown");

  const load = () => {
    try {
      const kept = JSON.parse(localStorage.getItem(key));
      if (kept && kept.marks) state = kept;
    } catch {
      document.getElementById("storage").hidden = false;
    }
  };
  const keep = () => {
    try {
      localStorage.setItem(key, JSON.stringify(state));
    } catch {
      document.getElementById("storage").hidden = false;
    }
  };

  const markOf = (id) => {
    const mark = state.marks[id]?.mark;
    return mark === undefined ? null : mark;
  };
  const readFields = () => {
    const id = shown().dataset.post;
    document.getElementById("refused").hidden = input.validity.valid;
    const mark = input.value === "" || !input.validity.valid ? null : Number(input.value);
    const lines = changes.value.split("\n").map((line) => line.trim()).filter(Boolean);
    const before = state.marks[id];
    // A mark stays blind as long as nobody changes it after the results were shown.
    const blind = before && before.mark === mark ? before.blind : !state.revealed;
    state.marks[id] = { mark, changes: lines, blind };
    keep();
    showProgress();
  };
  const fillFields = () => {
    const id = shown().dataset.post;
    const kept = state.marks[id];
    input.value = kept?.mark ?? "";
    document.getElementById("refused").hidden = true;
    changes.value = (kept?.changes ?? []).join("\n");
    document.querySelector(".which").textContent = `for post ${ids.indexOf(id) + 1}`;
    const result = found?.posts.find((each) => each.id === id);
    document.getElementById("result").replaceChildren(...(result ? details(result) : []));
  };
  const showProgress = () => {
    const marked = ids.filter((id) => markOf(id) !== null);
    document.getElementById("progress").textContent = `${marked.length} of ${ids.length} posts marked`;
    for (const [id, link] of links) {
      const mark = markOf(id);
      link.classList.toggle("done", mark !== null);
      const name = `Post ${ids.indexOf(id) + 1}`;
      link.setAttribute("aria-label", mark === null ? name : `${name}, mark ${mark}`);
    }
    if (found) showTables();
  };

  const show = (focus) => {
    const wanted = document.getElementById(location.hash.slice(1));
    const target = sections.includes(wanted) ? wanted : shown() ?? sections[0];
    for (const section of sections) section.classList.toggle("shown", section === target);
    document.body.classList.toggle("results", !target.dataset.post);
    for (const link of document.querySelectorAll("nav a")) {
      if (link.hash === `#${target.id}`) {
        link.setAttribute("aria-current", "page");
        link.parentElement.parentElement.scrollLeft = link.offsetLeft - 100;
      } else link.removeAttribute("aria-current");
    }
    fillFields();
    if (focus && wanted === target) {
      target.querySelector("h2").focus({ preventScroll: true });
      scrollTo(0, 0);
    }
  };
  const step = (by) => {
    const next = sections[sections.indexOf(shown()) + by];
    if (next) location.hash = next.id;
  };

  const mean = (values) => values.length ? (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(1) : "–";
  const table = (caption, columns, rows) => {
    const made = element("table");
    made.append(element("caption", caption));
    const head = made.createTHead().insertRow();
    for (const column of columns) {
      const cell = element("th", column);
      cell.scope = "col";
      head.append(cell);
    }
    const body = made.createTBody();
    for (const cells of rows) {
      const row = body.insertRow();
      cells.forEach((cell, index) => {
        const place = row.insertCell();
        if (cell instanceof Node) place.append(cell);
        else place.textContent = cell;
        if (index > 0 && /^[\d.–]/.test(place.textContent)) place.className = "figure";
      });
    }
    const scroll = element("div", undefined, "scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "group");
    scroll.setAttribute("aria-label", caption);
    scroll.append(made);
    return scroll;
  };
  const listOf = (lines) => {
    const list = element("ul");
    for (const line of lines) list.append(element("li", line));
    return list;
  };
  const results = () => {
    const sealed = document.getElementById("sealed").textContent.trim();
    const bytes = Uint8Array.from(atob(sealed), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  };
  const details = (result) => [
    element("h3", "Result"),
    listOf(found.postColumns.map((column, index) => `${column}: ${result.cells[index]}`)),
    ...(result.problem ? [element("p", result.problem)] : []),
    element("h3", result.findings.length ? "Findings" : "No findings"),
    listOf(result.findings),
  ];
  const showTables = () => {
    const marksOf = (group) => group.posts.map(markOf).filter((mark) => mark !== null);
    const link = (result) => {
      const number = ids.indexOf(result.id) + 1;
      if (!number) return "–";
      const made = element("a", String(number));
      made.href = `#post-${result.id}`;
      return made;
    };
    tables.replaceChildren(
      element("h3", "Run"),
      listOf(found.run.map(([name, value]) => `${name}: ${value}`)),
      element("h3", "Means"),
      table(
        "Marks, scores and cost by group",
        [found.groupColumns[0], "mean mark", ...found.groupColumns.slice(1)],
        found.groups.map((group) => [group.cells[0], mean(marksOf(group)), ...group.cells.slice(1)]),
      ),
      element("h3", "Posts"),
      table(
        "Marks, scores and cost of each post",
        ["post", "mark", ...found.postColumns],
        found.posts.map((result) => [link(result), String(markOf(result.id) ?? "–"), ...result.cells]),
      ),
    );
    for (const result of found.posts.filter((each) => !ids.includes(each.id))) {
      tables.append(element("h3", `${result.cells[0]}, ${result.cells[1]} sources: no post`), ...details(result));
    }
  };
  const showResults = () => {
    found = results();
    showTables();
    fillFields();
    document.getElementById("waiting").hidden = true;
    document.getElementById("explained").hidden = false;
    document.getElementById("reveal").hidden = true;
  };

  const reveal = () => {
    const missing = ids.filter((id) => markOf(id) === null).length;
    const posts = missing === 1 ? "1 post has" : `${missing} posts have`;
    if (missing && !confirm(`${posts} no mark. Show the results now? Marks that you give afterwards are not blind.`)) return;
    state.revealed = true;
    keep();
    showResults();
  };
  const save = () => {
    const marks = Object.fromEntries(ids.filter((id) => state.marks[id]).map((id) => [id, state.marks[id]]));
    const file = new Blob([JSON.stringify({ run, revealed: state.revealed, marks }, null, 1)], { type: "application/json" });
    const link = element("a");
    link.href = URL.createObjectURL(file);
    link.download = `marks-${run}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const restore = async (event) => {
    const [file] = event.target.files;
    if (!file) return;
    try {
      const saved = JSON.parse(await file.text());
      if (saved.run !== run) throw new Error("These are the marks of another run.");
      state = { marks: saved.marks, revealed: state.revealed || saved.revealed === true };
    } catch (problem) {
      alert(`The file cannot be used. ${problem.message}`);
      return;
    }
    keep();
    fillFields();
    showProgress();
    if (state.revealed) showResults();
  };

  document.body.classList.add("scripted");
  load();
  const marking = document.getElementById("marking");
  marking.addEventListener("input", readFields);
  marking.addEventListener("submit", (event) => {
    event.preventDefault();
    changes.focus();
  });
  document.getElementById("previous").addEventListener("click", () => step(-1));
  document.getElementById("next").addEventListener("click", () => step(1));
  document.getElementById("reveal").addEventListener("click", reveal);
  document.getElementById("save").addEventListener("click", save);
  document.getElementById("load").addEventListener("change", restore);
  addEventListener("hashchange", () => show(true));
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea")) return;
    if (event.key === "n") step(1);
    else if (event.key === "p") step(-1);
    else if (event.key === "m") {
      input.focus();
      event.preventDefault();
    }
  });
  show(false);
  showProgress();
  if (state.revealed) showResults();
})();
