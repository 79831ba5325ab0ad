/** Colours come first; all rules below use them. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --background: #fff; --surface: #f5f7fa; --line: #dbe0e7; --text: #1b2330; --quiet: #55606f; --link: #1d54c0;
  --get: #1d54c0; --post: #17693a; --patch: #855100; --delete: #ad211c;
  --code: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  --bar: 3.5rem;
}
@media (prefers-color-scheme: dark) {
  :root {
    --background: #10151c; --surface: #18202a; --line: #2b3542; --text: #e3e8ef; --quiet: #a2adbb; --link: #84b4ff;
    --get: #84b4ff; --post: #6fd39a; --patch: #efb75c; --delete: #ff9c96;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: calc(var(--bar) + 1rem); -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--background); color: var(--text); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: break-word; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px; }
code, pre, kbd { font-family: var(--code); font-size: .875em; }
code { overflow-wrap: anywhere; }
p code, dd code { background: var(--surface); border: 1px solid var(--line); border-radius: 4px; padding: .05em .3em; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.5rem; line-height: 1.3; margin: 0 0 .5rem; }
figure + h2 { margin-top: 2rem; }
h3 { font-size: 1.125rem; line-height: 1.4; margin: 0 0 .5rem; }
h4 { font-size: .875rem; margin: 1.5rem 0 .5rem; }
p { margin: 0 0 .75rem; }

.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: .75rem; z-index: 2; background: var(--background); padding: .25rem .5rem; }
header { position: sticky; top: 0; z-index: 1; display: flex; align-items: center; gap: 1rem; height: var(--bar); padding: 0 1.25rem; background: var(--background); border-bottom: 1px solid var(--line); }
.brand { display: flex; align-items: center; gap: .6rem; color: inherit; font-weight: 650; text-decoration: none; }
.brand span, .document { color: var(--quiet); font-size: .875rem; font-weight: 400; }
.document { margin-left: auto; }
.search { position: relative; flex: 0 1 26rem; min-width: 0; margin: 0 auto; }
.search input { width: 100%; height: 2.25rem; padding: 0 2.5rem 0 .75rem; border: 1px solid var(--line); border-radius: 6px; background: var(--surface); color: inherit; font: inherit; font-size: .9375rem; }
.search input::placeholder { color: var(--quiet); opacity: 1; }
.search kbd { position: absolute; right: .6rem; top: .45rem; color: var(--quiet); border: 1px solid var(--line); border-radius: 4px; padding: 0 .4rem; line-height: 1.4; pointer-events: none; }
.searching .search input { padding-right: .6rem; }
.searching .search kbd, .search input:focus ~ kbd { display: none; }
.search output:not(:empty) { position: absolute; right: 0; top: 2.75rem; background: var(--background); border: 1px solid var(--line); border-radius: 6px; padding: .1rem .6rem; font-size: .8125rem; color: var(--quiet); }

.page { max-width: 90rem; margin: 0 auto; }
main { min-width: 0; padding: 2.5rem 1.25rem 6rem; }
.page:not(.with-navigation) main { max-width: 48rem; margin: 0 auto; }
nav { padding: 1rem 1.25rem; font-size: .9375rem; border-bottom: 1px solid var(--line); }
nav summary { cursor: pointer; font-weight: 600; }
nav h2 { font-size: .875rem; margin: 1.25rem 0 .25rem; }
nav h2 a { color: inherit; text-decoration: none; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: flex; justify-content: space-between; align-items: baseline; gap: .5rem; padding: .25rem .5rem; margin: 0 -.5rem; color: var(--quiet); text-decoration: none; border-radius: 5px; }
nav a:hover, nav li a:focus-visible, nav a[aria-current] { color: var(--text); background: var(--surface); }

.method { font-family: var(--code); font-size: .75rem; font-weight: 600; }
.method.get { color: var(--get); } .method.post { color: var(--post); } .method.patch { color: var(--patch); } .method.delete { color: var(--delete); }
.eyebrow { color: var(--quiet); margin: 0; }
.summary { font-size: 1.125rem; color: var(--quiet); max-width: 44rem; }
.overview .entry { max-width: 44rem; margin-top: 1.75rem; }
.overview .entry h2 { font-size: 1.125rem; }
main > section + section { margin-top: 4rem; }
.entry { margin-top: 2rem; }
article.entry { padding-top: 2rem; border-top: 1px solid var(--line); }
.searching article.entry { border-top: 0; padding-top: 0; }
.searching main > section { margin-top: 2rem; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
.route { display: flex; align-items: baseline; gap: .6rem; }
p.route code { background: none; border: 0; padding: 0; font-size: .9375rem; }
.route .method { font-size: .8125rem; }

dl { margin: 0; }
dd { margin: 0; }
.fields { border-top: 1px solid var(--line); }
.fields > div { padding: .6rem 0; border-bottom: 1px solid var(--line); }
.fields dt code { font-weight: 600; }
.fields dd { color: var(--quiet); font-size: .9375rem; }
.fields p { margin: 0; }
.type, .required, .limits { color: var(--quiet); font-size: .8125rem; }
.required { color: var(--patch); }
.refusals { font-size: .8125rem; line-height: 1.9; }
.refusals > div { display: flex; gap: .75rem; }
.refusals dt, .status { font-family: var(--code); color: var(--quiet); }
.refusals dd { min-width: 0; }
.refusals a, .problems dt a { font-family: var(--code); }
.problems .entry { margin: 0; padding: .75rem 0; border-bottom: 1px solid var(--line); }
.problems dt a { font-size: .9375rem; font-weight: 600; overflow-wrap: anywhere; }
.operations { list-style: none; padding: 0; }
.operations .method { display: inline-block; min-width: 4rem; }
.operations li { padding: .4rem 0; border-bottom: 1px solid var(--line); }
.operations code { color: var(--quiet); }
:target { scroll-margin-top: calc(var(--bar) + 1rem); }
.problems .entry:target { background: var(--surface); }

figure { position: relative; margin: 0 0 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--surface); }
figcaption { padding: .4rem .9rem; font-size: .8125rem; color: var(--quiet); border-bottom: 1px solid var(--line); }
pre { margin: 0; font-size: .8125rem; padding: .8rem .9rem; line-height: 1.55; white-space: pre-wrap; overflow-wrap: anywhere; }
figure button { position: absolute; top: .3rem; right: .4rem; padding: .1rem .6rem; border: 1px solid var(--line); border-radius: 5px; background: var(--background); color: var(--text); font: inherit; font-size: .75rem; cursor: pointer; }

@media (max-width: 36rem) {
  header { gap: .75rem; padding: 0 1rem; }
  .brand span, .document, .search kbd { display: none; }
  main { padding: 1.75rem 1rem 4rem; }
  nav { padding: .75rem 1rem; }
}
@media (min-width: 60rem) {
  .with-navigation { display: grid; grid-template-columns: 18rem minmax(0, 1fr); }
  .with-navigation main { padding: 2.5rem 3rem 8rem; }
  nav { position: sticky; top: var(--bar); align-self: start; height: calc(100vh - var(--bar)); overflow-y: auto; border: 0; border-right: 1px solid var(--line); padding: .5rem 1.25rem 2rem; }
  nav summary { display: none; }
}
@media (min-width: 80rem) {
  article.entry:has(.examples) { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 28rem); gap: 2.5rem; }
  .examples { position: sticky; top: calc(var(--bar) + 1rem); align-self: start; }
}
@media print { header, nav, figure button { display: none; } }
`;
