// SPDX-License-Identifier: Apache-2.0
// Runs after contrast.js at the end of a copy of a page of `bobbin sim report`, in a frame, and reports to the page
// around it how wide things are, how much contrast text has, and how many bars are visible.

requestAnimationFrame(() => requestAnimationFrame(() => {
  const shown = [...document.querySelectorAll("body *")].filter((element) => element.getClientRects().length > 0);
  const texts = shown.filter((element) => element.tagName !== "title" &&
    [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
  const least = texts.map((element) => [contrast(element), element.outerHTML.slice(0, 80)]).sort((a, b) => a[0] - b[0])[0];
  const outside = shown.filter((element) => !element.closest(".box") &&
    element.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5);
  const cut = [...document.querySelectorAll(".chart text")].filter((label) => {
    const [inner, outer] = [label, label.closest("svg")].map((element) => element.getBoundingClientRect());
    return inner.left < outer.left - 0.5 || inner.right > outer.right + 0.5;
  });
  const bars = [...document.querySelectorAll("rect")].filter((bar) => {
    const [inner, outer] = [bar, bar.closest("svg")].map((element) => element.getBoundingClientRect());
    return inner.height > 2 && inner.left >= outer.left - 0.5 && inner.right <= outer.right + 0.5;
  });
  console.log("the probe has run");
  parent.postMessage({
    width: innerWidth,
    scrollWidth: document.documentElement.scrollWidth,
    outside: outside.map((element) => element.outerHTML.slice(0, 80)),
    bars: bars.length,
    labelsOutside: cut.map((label) => label.textContent),
    kinds: [...document.querySelectorAll("li .fill[class*=k-]")].map((e) => getComputedStyle(e).backgroundColor),
    scheme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
    contrast: least[0],
    contrastOf: least[1],
  }, "*");
}));
