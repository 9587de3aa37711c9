/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The menu of a box, and what is shown as files: a picture, and folded stacks. */
"use strict";

/* ---- files ---- */

function saveAs(suffix, blob) {
  const link = document.createElement("a");
  if (!blob) {
    $("details").textContent = "cannot save: the graph is too large for a picture";
    return;
  }
  link.href = URL.createObjectURL(blob);
  link.download = data.title.replace(/[^\w.-]+/g, "_").slice(0, 80) + suffix;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  $("details").textContent = "saved: " + link.download;
}

/* What is drawn, below its title and the first note: a picture that is passed on must not lose them. */
function savePicture() {
  const heads = [data.title + "   " + $("subtitle").textContent];
  const picture = document.createElement("canvas"), pen = picture.getContext("2d"), ratio = canvas.width / canvas.clientWidth;
  const style = getComputedStyle(document.body), LINE = 20;
  if (firstNote) heads.push(firstNote);
  if (selection) heads.push($("when").textContent);
  picture.width = canvas.width;
  picture.height = canvas.height + Math.round((heads.length * LINE + 6) * ratio);
  pen.fillStyle = style.backgroundColor;
  pen.fillRect(0, 0, picture.width, picture.height);
  pen.fillStyle = style.color;
  pen.font = Math.round(13 * ratio) + "px system-ui, sans-serif";
  heads.forEach((line, k) => pen.fillText(line, 6 * ratio, (k + 0.8) * LINE * ratio));
  pen.drawImage(canvas, 0, picture.height - canvas.height);
  picture.toBlob((blob) => saveAs(".png", blob));
}

/* The stacks of the box that the graph is zoomed to. In a difference each line has the numbers before and now. */
function foldedText() {
  const lines = [];
  walk(zoomed, (i) => {
    if (tree.self[i] || tree.before[i]) lines.push(stackOf(i) + " " + (data.diff ? tree.before[i] + " " : "") + tree.self[i] + "\n");
    return true;
  });
  return lines.join("");
}

/* ---- the menu ---- */

const ofCursor = () => data.names[tree.frame[cursor]];

const offers = [
  ["Zoom in", () => zoom(cursor)],
  ["Callers and callees", () => showFunction(functionNames[tree.frame[cursor]])],
  ["Mark this function", () => findInGraph(functionNames[tree.frame[cursor]])],
  ["Copy name", () => copyText(ofCursor())],
  ["Copy stack", copyStack],
  ["Save the graph as PNG", savePicture],
  ["Save as folded stacks", () => saveAs(".folded", new Blob([foldedText()], { type: "text/plain" }))],
];

function closeMenu() {
  if ($("menu").contains(document.activeElement)) canvas.focus({ preventScroll: true });
  $("menu").hidden = true;
}

/* By the key for menus, it is the menu of the selected box. */
function openMenu(event) {
  const byKey = event.button !== 2 && !event.ctrlKey && event.pointerType !== "touch", menu = $("menu");
  const i = byKey ? selected() : nodeAt(event);
  if (i < 0) return;
  event.preventDefault();
  cursor = i;
  $("tip").hidden = true;
  draw();
  $("details").textContent = describe(i);
  menu.replaceChildren(...offers.map(([name, act]) => {
    const button = document.createElement("button");
    button.textContent = name;
    button.addEventListener("click", () => {
      closeMenu();
      act();
    });
    return button;
  }));
  menu.hidden = false;
  menu.style.left = Math.max(Math.min(event.clientX, window.innerWidth - menu.offsetWidth - 4), 0) + "px";
  menu.style.top = Math.max(Math.min(event.clientY, window.innerHeight - menu.offsetHeight - 4), 0) + "px";
  menu.firstChild.focus();
}

function serveMenu() {
  canvas.addEventListener("contextmenu", openMenu);
  window.addEventListener("pointerdown", (event) => {
    if (!$("menu").contains(event.target)) closeMenu();
  }, true);
  window.addEventListener("scroll", closeMenu);
  $("menu").addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], items = [...$("menu").children];
    if (event.key === "Escape") closeMenu();
    else if (step) items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus();
    else if (event.key !== "Enter" && event.key !== " " && event.key !== "Tab") return;
    event.stopPropagation();
    if (event.key === "Escape" || step) event.preventDefault();
  });
}
