import { probeTypeNames } from '@vantage/shared/probe-types/index.js';

const light = `--text: #1b1f24; --muted: #5b6570; --ground: #fff; --raised: #f5f7f9; --line: #d9dee4;
  --link: #0b5cad; --good: #17703a; --bad: #b42318; --warn: #8a5a00; --action: #0b5cad; --land: #dfe5eb;
  --phase-dns: #8a63d2; --phase-connect: #2f81c7; --phase-tls: #1f9e8f; --phase-wait: #c98a1b; --phase-load: #5b9a3c;`;
const dark = `--text: #e6e9ed; --muted: #9aa5b1; --ground: #14171b; --raised: #1d2127;
  --line: #333a43; --link: #7ab8ff; --good: #5fd38d; --bad: #ff8a80; --warn: #f0c36d; --land: #2b323a;
  --phase-dns: #a78be6; --phase-connect: #5aa5e8; --phase-tls: #3fc1b0; --phase-wait: #e0a940; --phase-load: #7fc25c;`;

/** Colours of the element that a selector names, light or dark as the reader has it. */
function colourStyle(selector: string): string {
  return `${selector} { ${light} }
@media (prefers-color-scheme: dark) { ${selector} { ${dark} } }`;
}

/** Colours of the console, whose document may name a theme of its own. */
export const consoleColours = `${colourStyle(':root')}
:root { color-scheme: light dark; }
:root[data-theme="light"] { color-scheme: light; ${light} }
:root[data-theme="dark"] { color-scheme: dark; ${dark} }`;

/**
 * Colours, sizes, the ground of every page, and its header and end; light or dark as the reader has it. Sizes of text are
 * --small, 1rem, --large, --title and --display: there are no others.
 */
export const chromeStyle = `
${colourStyle(':root')}
:root { color-scheme: light dark; --width: 64rem; --small: .875rem; --large: 1.125rem; --title: 1.25rem; --display: 1.75rem; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; }
.site { border-bottom: 1px solid var(--line); }
.site > div { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: center; max-width: var(--width); margin: 0 auto;
  padding: .85rem 1.25rem; }
.site nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
.site .languages { margin-left: auto; font-size: var(--small); }
.site a { color: var(--link); text-decoration: none; padding: .15rem 0; }
.site a:hover { text-decoration: underline; }
.site .brand { display: inline-flex; gap: .5rem; align-items: center; font-weight: 700; color: inherit; }
.site [aria-current] { color: inherit; font-weight: 600; }
footer.site { border: 0; border-top: 1px solid var(--line); font-size: var(--small); }
@media print { :root { color-scheme: light; --text: #000; --muted: #444; --ground: #fff; --raised: #fff; --line: #aaa;
  --link: #000; --good: #17703a; --bad: #b42318; --warn: #8a5a00; } .site nav, footer.site, .unprinted { display: none; } }
`;

/** Text, tables, forms and code of our own pages. */
export const textStyle = `
body { display: flex; flex-direction: column; min-height: 100vh; }
main { flex: 1; width: 100%; max-width: var(--width); margin: 0 auto; padding: 1rem 1.25rem 4rem; }
a { color: var(--link); }
h1 { font-size: var(--display); line-height: 1.25; margin: 1rem 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: var(--title); line-height: 1.3; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .4rem; overflow-wrap: anywhere; }
.lead { font-size: var(--large); }
.small { font-size: var(--small); }
.text { max-width: 46rem; overflow-wrap: anywhere; }
code, pre { font: var(--small)/1.5 ui-monospace, monospace; }
h1 code { font-size: inherit; }
p code, li code, td code { overflow-wrap: anywhere; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
.wide th { white-space: nowrap; }
td.name { min-width: 9rem; }
td.words { min-width: 12rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--muted); font-weight: 600; font-size: var(--small); }
td.number, th.number { text-align: right; white-space: nowrap; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.25rem; }
dt { color: var(--muted); }
dd { margin: 0; overflow-wrap: anywhere; }
ol, ul { padding-left: 1.4rem; overflow-wrap: break-word; }
@media (max-width: 37.5rem) { :root { --display: 1.375rem; --large: 1rem; }
  pre { padding: .8rem .6rem; white-space: pre; overflow-x: auto; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; }
  .wide { overflow: visible; } .wide table, .wide tbody { display: block; }
  .wide thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .wide tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .wide td { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: .75rem; padding: .1rem 0; border: 0; text-align: left; }
  .wide td:not([data-title]) { grid-template-columns: minmax(0, 1fr); } .wide td.verdict { white-space: normal; } .wide td > span { overflow-wrap: anywhere; }
  .wide td.name { font-weight: 600; } .wide td:empty, .wide td:has(> span:empty) { display: none; }
  .wide td[data-title]::before { content: attr(data-title); color: var(--muted); } }
.raised { background: var(--raised); border: 1px solid var(--line); border-radius: 8px; padding: 0 1.25rem; margin: 1rem 0; }
.raised h2 { margin-top: .9rem; }
.raised li, .findings li { margin: .5rem 0; }
.findings { list-style: none; padding: 0; }
.contents { columns: 18rem; }
.contents li { break-inside: avoid; }
button, .button { display: inline-block; font: inherit; font-weight: 600; padding: .5rem 1.1rem; border: 1px solid var(--action);
  border-radius: 6px; background: var(--action); color: #fff; cursor: pointer; text-decoration: none; }
button.quiet { background: none; color: var(--link); border-color: var(--line); font-weight: 400; }
button:disabled { opacity: .6; }
input, select { font: inherit; padding: .5rem .6rem; max-width: 100%; border: 1px solid var(--muted); border-radius: 6px;
  background: var(--ground); color: inherit; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
summary { color: var(--link); cursor: pointer; padding: .25rem 0; }
@media print { .wide { overflow: visible; } td { overflow-wrap: anywhere; } pre { white-space: pre-wrap; } }
td.verdict { white-space: nowrap; }
.pill { display: inline-flex; gap: .35rem; align-items: center; font-weight: 600; padding: 0 .6rem 0 .45rem; border: 1px solid currentColor; border-radius: 1rem; font-size: var(--small); line-height: 1.5rem; }
main .pill.none { color: var(--muted); font-weight: 400; }
.pill svg { width: .75rem; height: .75rem; flex: none; }
td.bars { min-width: 11rem; } 
@media (min-width: 37.51rem) and (max-width: 64rem) { td.bars { min-width: 5rem; } th, td { padding-right: .5rem; } td.name { min-width: 7.5rem; }
  .wide table { font-size: var(--small); } }
.bar { display: block; width: 100%; height: .75rem; margin: .35rem 0 0; }
.cut { font-size: var(--small); color: var(--bad); }
.phase-dns { fill: var(--phase-dns); stroke: var(--phase-dns); } .phase-connect { fill: var(--phase-connect); stroke: var(--phase-connect); }
.phase-tls { fill: var(--phase-tls); stroke: var(--phase-tls); } .phase-wait { fill: var(--phase-wait); stroke: var(--phase-wait); }
.phase-load { fill: var(--phase-load); stroke: var(--phase-load); }
.hatched { fill: none; stroke-width: 12; stroke-dasharray: 3 2.2; }
.swatch { width: .6rem; height: .6rem; margin-right: .35rem; }
rect, .land { stroke-width: 0; }
.map { display: block; width: 100%; height: auto; margin: .5rem 0; }
.land { fill: var(--land); }
.map .online { fill: var(--link); fill-opacity: .85; stroke: var(--ground); stroke-width: 1.5; }
.map .offline { fill: var(--ground); stroke: var(--muted); stroke-width: 2; }
.probe { display: grid; grid-template-columns: max-content 1fr max-content max-content max-content; gap: .75rem; align-items: end;
  padding: 1rem; background: var(--raised); border: 1px solid var(--line); border-radius: 8px; margin: 1.25rem 0 .5rem; }
.probe label { display: grid; gap: .25rem; color: var(--muted); font-size: var(--small); min-width: 0; }
.probe input, .probe select { width: 100%; font-size: 1rem; color: var(--text); min-height: 2.75rem; }
.probe select { max-width: 14rem; }
.probe button { min-height: 2.75rem; }
.probe .params { display: none; grid-column: 1 / -1; flex-wrap: wrap; gap: .75rem; }
.probe .params input { max-width: 12rem; }
${probeTypeNames.map((type) => `.probe:has(option[value="${type}"]:checked) .for-${type}`).join(', ')} { display: flex; }
.probe:has(option[value^="lookup/"]:checked) :is(.from, .nodes) { display: none; }
@media (max-width: 48rem) { .probe { grid-template-columns: 1fr 1fr; } .probe .target, .probe button { grid-column: 1 / -1; }
  .probe .target { order: -1; } .probe :is(.from, .params) { order: 1; grid-column: 1 / -1; } .probe button { order: 2; } .probe select { max-width: none; } }
.places { display: grid; grid-template-columns: 3fr 1fr; gap: 2rem; align-items: center; }
.places ul { list-style: none; padding: 0; margin: 0; }
.places li { display: flex; justify-content: space-between; gap: 1rem; padding: .25rem 0; border-bottom: 1px solid var(--line); }
@media (max-width: 48rem) { .places { grid-template-columns: 1fr; gap: .5rem; } }
.refusal { border-left: 4px solid var(--bad); padding: .1rem 0 .1rem 1rem; margin: 1rem 0; }
.refusal p { margin: .35rem 0; }
.ways { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0 2.5rem; }
.ways section { min-width: 0; }
.row { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: center; }
.command { position: relative; margin: .5rem 0; }
.command pre { margin: 0; padding-right: 6rem; user-select: all; }
.command button { position: absolute; top: .4rem; right: .4rem; padding: .2rem .7rem; font-size: var(--small); background: var(--ground); }
.whole { white-space: nowrap; }
.pill { max-width: 100%; overflow-wrap: anywhere; }
@media (max-width: 37.5rem) { .command pre { padding-right: .6rem; } .command button { position: static; margin: .4rem 0 .5rem; } }
.operation { border-top: 1px solid var(--line); margin-top: 2.5rem; }
.reference td.name { min-width: 14rem; }
.reference section :is(h2, h3) a { color: inherit; text-decoration: none; }
.call { display: flex; flex-wrap: wrap; gap: .25rem .6rem; align-items: center; }
.reference :is(p, li) { overflow-wrap: anywhere; }
.stacked { display: grid; gap: .9rem; justify-items: start; max-width: 26rem; margin: 1rem 0; }
.stacked label { display: grid; gap: .25rem; width: 100%; color: var(--muted); font-size: var(--small); }
.stacked input { font-size: 1rem; color: var(--text); width: 100%; min-height: 2.75rem; }
.stacked p { margin: 0; }
.stacked:has(> button.quiet:only-of-type) { margin: .5rem 0; }
.digits { font-size: var(--display); letter-spacing: .15em; margin: .5rem 0; }
.qr { background: #fff; padding: .5rem; border-radius: 6px; max-width: 100%; height: auto; }
.find { display: grid; gap: .25rem; color: var(--muted); font-size: var(--small); max-width: 46rem; }
[hidden] { display: none; }
.muted { color: var(--muted); }
.good { color: var(--good); }
.bad { color: var(--bad); }
.warn { color: var(--warn); }
`;
