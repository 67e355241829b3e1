/** Light and dark by what the reader's system prefers; no font, picture or address of somebody else. */
export const auditHtmlStyle = `
:root { color-scheme: light dark; --bg: #f6f7f9; --card: #fff; --ink: #1c2430; --soft: #5b6675; --line: #dfe3e8;
  --error: #b3261e; --warning: #8a5a00; --info: #1d5fb4; --ok: #1b6e3c; --code: #eef1f5; }
@media (prefers-color-scheme: dark) { :root { --bg: #12161c; --card: #1a2029; --ink: #e4e9f0; --soft: #9aa6b5;
  --line: #2d3642; --error: #ff8a80; --warning: #f0b95a; --info: #82b6ff; --ok: #7bd49b; --code: #222b36; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
.soft { color: var(--soft); margin: 0; } code { font: 13px/1.5 ui-monospace, monospace; }
.badge { font-size: .8rem; font-weight: 600; padding: .1rem .6rem; border-radius: 1rem; border: 1px solid currentColor;
  white-space: nowrap; vertical-align: middle; }
.error, .failed { color: var(--error); } .warning, .incomplete { color: var(--warning); } .info { color: var(--info); }
.passed { color: var(--ok); }
.tiles { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0; padding: 0; list-style: none; }
.tiles li { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .6rem 1.1rem; min-width: 6.5rem; }
.tiles b { display: block; font-size: 1.5rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
form { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: center; position: sticky; top: 0; z-index: 1;
  background: var(--bg); padding: .75rem 0; border-bottom: 1px solid var(--line); }
input[type=search], select { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line);
  border-radius: .4rem; padding: .35rem .6rem; min-width: 0; } input[type=search] { flex: 1 1 16rem; }
select { max-width: 100%; }
article { background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--edge); border-radius: .6rem;
  margin: .75rem 0; padding: .9rem 1.1rem; display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 22rem); gap: .5rem 1.5rem;
  content-visibility: auto; contain-intrinsic-size: auto 12rem; }
article[data-severity=error] { --edge: var(--error); } article[data-severity=warning] { --edge: var(--warning); }
article[data-severity=info] { --edge: var(--info); } article:not([data-status=new]) { opacity: .7; }
article p { margin: .35rem 0; overflow-wrap: anywhere; } article svg { width: 100%; height: auto; align-self: center; }
article pre { margin: .35rem 0 0; padding: .5rem .7rem; background: var(--code); border-radius: .4rem; overflow-x: auto; }
[hidden] { display: none !important; }
table { border-collapse: collapse; width: 100%; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; }
th, td { text-align: left; padding: .4rem .8rem; border-top: 1px solid var(--line); } thead th { border-top: 0; }
td:last-child, th:last-child { text-align: right; font-variant-numeric: tabular-nums; }
svg rect { fill: var(--code); stroke: var(--soft); } svg .gone { stroke: var(--error); stroke-dasharray: 5 4; fill: none; }
svg .self { stroke: var(--info); stroke-width: 2; } svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
svg .small { fill: var(--soft); font-size: 11px; } svg path { stroke: var(--soft); fill: none; }
svg .broken { stroke: var(--error); stroke-dasharray: 5 4; } svg .tip { fill: var(--soft); stroke: none; }
@media (max-width: 50rem) { article { grid-template-columns: minmax(0, 1fr); } article svg { max-width: 22rem; } form { position: static; } }
@media print { form { display: none; } article { break-inside: avoid; content-visibility: visible; } body { background: none; } }
`;
