// The editor of a post: a live preview, counts of characters, and a warning before changes are lost.
// Without this script there is a button for the preview.
"use strict";

const form = document.querySelector("#editor");
const preview = document.querySelector("#preview");
const state = document.querySelector("#preview-state");
let changed = "changed" in form.dataset;
let latest = 0;
let timer;

const count = () => {
  for (const output of form.querySelectorAll("output")) {
    output.textContent = [...form.elements[output.dataset.of].value].length;
  }
};

const show = async () => {
  latest += 1;
  const mine = latest;
  const options = { method: "POST", body: new FormData(form), redirect: "error" };
  try {
    const answer = await fetch(form.dataset.preview, options);
    const html = await answer.text();
    if (mine === latest) {
      // Escaped and cleaned by the service, as on every other page.
      if (answer.ok) preview.innerHTML = html;
      if (answer.status === 429) timer = setTimeout(show, 1000);
      state.textContent = answer.ok ? "" : "There is no preview now. Save the text to see why.";
    }
  } catch {
    if (mine === latest) {
      state.textContent =
        "There is no preview: the service does not answer, or you are signed out. Keep a copy of your text.";
    }
  }
};

if (preview) {
  form.querySelector("[value=preview]").hidden = true;
  form.addEventListener("input", () => {
    changed = true;
    count();
    clearTimeout(timer);
    timer = setTimeout(show, 500);
  });
  form.addEventListener("submit", () => {
    changed = false;
  });
  addEventListener("beforeunload", (event) => {
    if (changed) event.preventDefault();
  });
}
