// SPDX-License-Identifier: Apache-2.0
// Runs at the end of a copy of a page, in a frame, and reports to the page around it how wide things are, how much
// contrast text has, and which hints show.
const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});

function luminance(color) {
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}

function background(element) {
  for (let at = element; at; at = at.parentElement) {
    const color = getComputedStyle(at).backgroundColor;
    if (color !== "rgba(0, 0, 0, 0)") return color;
  }
  return "white";
}

// As WCAG has it: 1 to 21.
function contrast(element) {
  const [dark, light] = [getComputedStyle(element).color, background(element)].map(luminance).sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

// Animations by scroll position take effect in the frame after the one that lays the page out.
requestAnimationFrame(() => requestAnimationFrame(() => {
  const shown = [...document.querySelectorAll("body *")].filter((element) => element.getClientRects().length > 0);
  const texts = shown.filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
  const least = texts.map((element) => [contrast(element), element.outerHTML.slice(0, 80)]).sort((a, b) => a[0] - b[0])[0];
  const outside = shown.filter((element) => !element.closest(".box table, .map") &&
    element.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5);
  // Whether all of a cell is inside its box, without scrolling.
  function inSight(cell) {
    const [inner, outer] = [cell, cell.closest(".box")].map((element) => element.getBoundingClientRect());
    return inner.left >= outer.left && inner.right <= outer.right;
  }

  const boxes = [...document.querySelectorAll(".box")].map((box) => ({
    name: box.getAttribute("aria-labelledby"),
    scrolls: box.scrollWidth > box.clientWidth,
    hint: getComputedStyle(box.parentElement.querySelector(".hint")).visibility === "visible",
  }));
  const nulls = [...document.querySelectorAll("th")].find((head) => head.textContent === "Nulls");
  console.log("the probe has run");
  parent.postMessage({
    width: innerWidth,
    scrollWidth: document.documentElement.scrollWidth,
    outside: outside.map((element) => element.outerHTML.slice(0, 80)),
    columns: [...document.querySelectorAll(".map .col")].filter((e) => e.offsetWidth > 0 && e.offsetHeight > 0).length,
    labels: [...document.querySelectorAll(".map .col > span")].filter((e) => e.clientWidth > 0).length,
    boxes,
    nullsInSight: inSight(nulls),
    fills: Object.fromEntries([...document.querySelectorAll(".map .fill")].map(
      (element) => [element.textContent, getComputedStyle(element).backgroundColor])),
    scheme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
    contrast: least[0],
    contrastOf: least[1],
  }, "*");
}));
