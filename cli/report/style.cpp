// SPDX-License-Identifier: Apache-2.0
#include "cli/report/page.hpp"

namespace bobbin::cli::page {

// Codec colours are in colors.hpp. Labels of the map are shown if their cell has room: each cell is a
// container that knows its size. A hint is shown if its table scrolls: an animation driven by the table's
// scroll position is inactive if there is nothing to scroll. Browsers without such animations show it on
// phones.
const std::string_view kStyle = R"css(
:root {
  color-scheme: light dark;
  --page: #fcfcfa; --ink: #1b1d20; --soft: #565b63; --line: #d9d9d3; --card: #f3f3ef;
  --shade: #0003; --light: .64; --step: .06; --vivid: 1;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #15171a; --ink: #e8e8e4; --soft: #a6abb3; --line: #33373d; --card: #1d2024;
    --shade: #000b; --light: .53; --step: -.05; --vivid: .9;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 80rem;
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
section { timeline-scope: --sideways; }
.box { overflow-x: auto; scroll-timeline: --sideways x; border: 1px solid var(--line); border-radius: .4rem;
  background: linear-gradient(to left, var(--page) 50%, transparent) right / 3rem 100% no-repeat local,
    linear-gradient(to left, var(--shade), transparent) right / 1rem 100% no-repeat scroll; }
.hint { visibility: hidden; max-width: none; margin: 0 0 .25rem; text-align: right; font-size: .8rem; }
@supports (animation-timeline: --sideways) {
  .hint { animation: hint linear both; animation-timeline: --sideways; }
}
@supports not (animation-timeline: --sideways) {
  @media (max-width: 40rem) { .hint { visibility: visible; } }
}
@media (min-width: 60rem) { .hint { margin-top: -2rem; } }
@keyframes hint { from, 95% { visibility: visible; } to { visibility: hidden; } }
.box:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th, td { padding: .35rem .45rem; text-align: left; white-space: nowrap; vertical-align: baseline; }
tbody tr + tr > * { border-top: 1px solid var(--line); }
thead th { font-weight: 500; font-size: .8rem; color: var(--soft); }
tbody th { position: sticky; left: 0; max-width: 11rem; overflow: hidden; text-overflow: ellipsis;
  background: var(--page); font-weight: 600; }
td.v, td.e { max-width: 7.5rem; overflow: hidden; text-overflow: ellipsis; }
td.e { max-width: 14rem; }
.n { text-align: right; }
.none { color: var(--soft); }
.best { font-weight: 700; }
.rest { background: repeating-linear-gradient(135deg, var(--line) 0 2px, var(--card) 2px 7px); }
.others { background: var(--card); border: 1px solid var(--line); }
ul { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; margin: 0 0 .6rem; padding: 0; list-style: none;
  font-size: .85rem; }
li .fill { display: inline-block; width: .8rem; height: .8rem; margin-right: .4rem; border-radius: .15rem;
  vertical-align: -.05rem; outline: 1px solid var(--line); }
.map { position: relative; width: 100%; aspect-ratio: 16 / 9; max-height: 38rem; overflow: hidden;
  background: var(--page); border-radius: .4rem; }
.map div { position: absolute; overflow: hidden; container-type: size; }
.map .col { border: 1px solid var(--page); }
.map .col:not(.rest) { background: var(--card); }
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
.strip i { flex: 1 1 0; min-width: 5px; height: 1.25rem; border-radius: 1px; }
.bands { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 16rem), 1fr)); gap: 1rem; }
figure { margin: 0; min-width: 0; }
.bands figcaption { font-size: .875rem; font-weight: 600; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; }
.bands svg { display: block; width: 100%; height: 4rem; margin: .15rem 0; background: var(--card);
  border-block: 1px solid var(--line); }
.bands path { fill: oklch(.66 .1 250); }
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
