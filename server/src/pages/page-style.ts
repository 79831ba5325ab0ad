/** Colours come first; all rules below use them. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --background: #f3f5f8; --surface: #fff; --line: #d3dae3; --field: #7a8797; --text: #1b2330; --quiet: #55606f;
  --link: #1d54c0; --action: #1d54c0; --action-hover: #17449c; --on-action: #fff;
  --bad: #a51d18; --bad-surface: #fdf0ef; --good: #17693a; --good-surface: #eef8f1;
}
@media (prefers-color-scheme: dark) {
  :root {
    --background: #10151c; --surface: #18202a; --line: #2b3542; --field: #7b8a9c; --text: #e3e8ef; --quiet: #a2adbb;
    --link: #84b4ff; --action: #84b4ff; --action-hover: #a9caff; --on-action: #0d1724;
    --bad: #ff9c96; --bad-surface: #2b1a1c; --good: #6fd39a; --good-surface: #15271e;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; background: var(--background); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 6px; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem; }
h2 { font-size: 1rem; line-height: 1.4; margin: 0; }
p { margin: 0 0 1rem; }
code { font: .875em/1.4 ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); font-size: .9375rem; }

.mark { margin: 0 1px; padding: 0 .25em; border: 1px solid; border-radius: 4px; font-size: .85em; }

.brand { display: flex; align-items: center; gap: .6rem; color: inherit; font-weight: 650; text-decoration: none; }
.center { min-height: 100vh; display: flex; flex-direction: column; justify-content: center; padding: 1.5rem 1rem; }
.center header, .center main, .center footer { width: 100%; max-width: 26rem; margin: 0 auto; }
.center header { margin-bottom: 1rem; }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: 12px; padding: 1.75rem; }
.card > :last-child, .notice > :last-child { margin-bottom: 0; }
.center footer { margin-top: 1rem; font-size: .9375rem; }

label { display: block; font-weight: 600; margin-bottom: .25rem; }
input { width: 100%; height: 2.75rem; padding: 0 .75rem; border: 1px solid var(--field); border-radius: 8px; background: var(--background); color: inherit; font: inherit; }
input + button { margin-top: 1.25rem; }
input[aria-invalid] { border: 2px solid var(--bad); }
.after { margin: 1.25rem 0 0; }
.hint code, .after code { white-space: nowrap; }
.hint { color: var(--quiet); font-size: .9375rem; margin: .5rem 0 1.25rem; }
button, .button { display: flex; align-items: center; justify-content: center; width: 100%; min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid var(--action); border-radius: 8px; background: var(--action); color: var(--on-action); font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; }
button:hover, .button:hover { background: var(--action-hover); border-color: var(--action-hover); }
.second { background: transparent; border-color: var(--field); color: var(--text); }
.second:hover { background: var(--background); border-color: var(--text); }
.or { display: flex; align-items: center; gap: .75rem; margin: 1.5rem 0; color: var(--quiet); font-size: .9375rem; }
.or::before, .or::after { content: ''; flex: 1; border-top: 1px solid var(--line); }
.notice { border: 1px solid; border-radius: 8px; padding: .75rem 1rem; margin: 0 0 1.25rem; }
.notice h2 { margin-bottom: .15rem; }
.notice.bad { color: var(--bad); background: var(--bad-surface); }
.notice.good { color: var(--good); background: var(--good-surface); }
.notice p { color: var(--text); margin: 0; }

.bar { background: var(--surface); border-bottom: 1px solid var(--line); }
.bar > div, .wide { max-width: 60rem; margin: 0 auto; padding: 0 1.25rem; }
.bar > div { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.25rem; min-height: 3.5rem; padding-top: .5rem; padding-bottom: .5rem; }
.bar .who { margin-left: auto; color: var(--quiet); font-size: .9375rem; overflow-wrap: anywhere; }
.bar button { width: auto; min-height: 2.25rem; padding: .25rem .9rem; }
.wide { padding-top: 2rem; padding-bottom: 4rem; }
.projects { list-style: none; margin: 1.25rem 0 0; padding: 0; display: grid; gap: 1rem; }
.projects .card { padding: 1.25rem; }
.counts { display: flex; flex-wrap: wrap; gap: .75rem 2rem; margin: .75rem 0 0; }
.counts div { display: flex; flex-direction: column-reverse; }
.counts dt { color: var(--quiet); font-size: .875rem; }
.counts dd { margin: 0; font-size: 1.375rem; font-weight: 600; line-height: 1.2; font-variant-numeric: tabular-nums; }
.counts .bad dd { color: var(--bad); }
@media (max-width: 36rem) {
  .card { padding: 1.25rem; }
  .bar .who { order: 3; margin-left: 0; width: 100%; }
  .bar form { margin-left: auto; }
}
@media (prefers-reduced-motion: no-preference) { button, .button { transition: background .12s; } }
`;
