// SPDX-License-Identifier: Apache-2.0
// The contrast between an element's text and what is under it.
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

// As WCAG has it: 1 to 21. Text of a chart has the colour that fills it.
function contrast(element) {
  const style = getComputedStyle(element);
  const color = element.closest("svg") ? style.fill : style.color;
  const [dark, light] = [color, background(element)].map(luminance).sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
