// SPDX-License-Identifier: Apache-2.0
#include "cli/report/page.hpp"

namespace bobbin::cli::page {

// Fills are told by lightness, chroma and hue, so that text on them has the same contrast whatever the codec.
// Labels of the map show where their cell has the room: each cell is a container that knows its size.
const std::string_view kStyle = R"css(
:root {
  color-scheme: light dark;
  --page: #fcfcfa; --ink: #1b1d20; --soft: #565b63; --line: #d9d9d3; --card: #f3f3ef;
  --light: .78; --chroma: .095; --step: -.13;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #15171a; --ink: #e8e8e4; --soft: #a6abb3; --line: #33373d; --card: #1d2024;
    --light: .47; --chroma: .085; --step: .12;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 76rem;
  background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  font-variant-numeric: tabular-nums;
}
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; font-weight: 650; overflow-wrap: anywhere; }
h2 { margin: 2.5rem 0 .25rem; font-size: 1.125rem; line-height: 1.3; font-weight: 650; }
p { margin: 0 0 .75rem; max-width: 46rem; color: var(--soft); font-size: .9rem; }
small { font-size: .8rem; color: var(--soft); }
code { font: .85em ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem 1rem; margin: 0;
  padding: .9rem 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .4rem; }
header { margin-bottom: 1rem; }
dt { font-size: .8rem; color: var(--soft); }
dd { margin: 0; font-size: 1.2rem; line-height: 1.3; font-weight: 600; }
.box { overflow-x: auto; border: 1px solid var(--line); border-radius: .4rem; }
.box:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th, td { padding: .35rem .6rem; text-align: left; white-space: nowrap; vertical-align: baseline; }
tbody tr + tr > * { border-top: 1px solid var(--line); }
thead th { font-weight: 500; font-size: .8rem; color: var(--soft); background: var(--card); }
tbody th { position: sticky; left: 0; max-width: 13rem; overflow: hidden; text-overflow: ellipsis;
  background: var(--page); font-weight: 600; }
td.v, td.e { max-width: 8.5rem; overflow: hidden; text-overflow: ellipsis; }
td.e { max-width: 17rem; }
.n { text-align: right; }
.none { color: var(--soft); }
.best { font-weight: 700; }
.fill { background: oklch(calc(var(--light) + var(--n, 0) * var(--step)) var(--c, var(--chroma)) var(--h)); }
.h0 { --h: 250; } .h1 { --h: 70; } .h2 { --h: 155; } .h3 { --h: 345; } .h4 { --h: 205; } .h5 { --h: 30; }
.h6 { --h: 115; } .h7 { --h: 300; } .h8 { --h: 180; } .h9 { --h: 50; } .h10 { --h: 275; } .h11 { --h: 95; }
.h12 { --h: 0; --c: 0; }
.s1 { --n: 1; } .s2 { --n: 2; } .s3 { --n: 3; }
ul { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; margin: 0 0 .6rem; padding: 0; list-style: none;
  font-size: .85rem; }
li .fill { display: inline-block; width: .8rem; height: .8rem; margin-right: .4rem; border-radius: .15rem;
  vertical-align: -.05rem; }
.map { position: relative; width: 100%; aspect-ratio: 16 / 9; max-height: 38rem; overflow: hidden;
  background: var(--page); border-radius: .4rem; }
.map div { position: absolute; overflow: hidden; container-type: size; }
.map .col { border: 1px solid var(--page); background: var(--card); }
.map .in { inset: 0; }
.map .fill { border: .5px solid var(--page); }
.map span { display: none; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; line-height: 1.3; }
.map .col > span { padding: .1rem .35rem; font-size: .8rem; font-weight: 600; }
.map .fill > span { padding: .1rem .3rem; font-size: .75rem; }
@container (min-width: 2.6rem) and (min-height: 2.4rem) {
  .map .col > span { display: block; }
  .map .in { inset: 1.35rem 0 0; }
}
@container (min-width: 2.4rem) and (min-height: 1.2rem) { .map .fill > span { display: block; } }
.cells th, .cells td { padding-block: .2rem; vertical-align: middle; }
.cells td { width: 100%; }
.strip { display: flex; gap: 1px; }
.strip i { flex: 1 1 0; min-width: 5px; height: 1.15rem; border-radius: 1px; }
.bands { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 16rem), 1fr)); gap: 1rem; }
figure { margin: 0; min-width: 0; }
.bands figcaption { font-size: .875rem; font-weight: 600; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; }
.bands svg { display: block; width: 100%; height: 4rem; margin: .15rem 0; background: var(--card);
  border-block: 1px solid var(--line); }
.bands path { fill: oklch(calc(var(--light) - .12) .1 250); }
@media (prefers-color-scheme: dark) { .bands path { fill: oklch(.68 .1 250); } }
.bands small { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
footer { margin-top: 2.5rem; padding-top: .75rem; border-top: 1px solid var(--line); }
@media (max-width: 40rem) {
  body { padding: 1rem .9rem 2rem; }
  h1 { font-size: 1.3rem; }
  .map { aspect-ratio: 4 / 5; }
  tbody th { max-width: 8rem; }
}
)css";

}  // namespace bobbin::cli::page
