// What the console's pages do not need, but is nicer with a script: times in the reader's zone, and
// buttons that copy.
"use strict";

const zoned = new Intl.DateTimeFormat("en-GB", {
  day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit",
  timeZoneName: "short",
});
for (const time of document.querySelectorAll("time[datetime]")) {
  time.title = time.textContent;
  time.textContent = zoned.format(new Date(time.dateTime));
}

const said = document.createElement("p");
said.className = "hidden";
said.setAttribute("role", "status");
if (navigator.clipboard) {
  document.querySelector("main").append(said);
  for (const block of document.querySelectorAll("main pre:not(.post pre)")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet copies";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = said.textContent = "Copied";
    });
    block.after(button);
  }
}

const every = document.querySelector(".every");
if (every) {
  const boxes = document.querySelectorAll("input[form=chosen]");
  every.hidden = false;
  every.addEventListener("change", (event) => {
    for (const box of boxes) box.checked = event.target.checked;
  });
}
