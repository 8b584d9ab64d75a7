// SPDX-License-Identifier: Apache-2.0
// Runs after contrast.js at the end of a copy of a page, in a frame, and reports to the page around it how wide things
// are, how much contrast text has, and which hints show.

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
