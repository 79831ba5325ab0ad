import { type Html, html } from '../foundation/html.ts';

/** Relative path to the root of the service, so that pages also work behind a proxy that adds a path. */
export type Root = '' | `../${string}`;

interface PageParts {
  readonly title: string;
  readonly root: Root;
  readonly content: Html;
}

/** The frame of a page without scripts. */
function renderPage({ title, root, content }: PageParts): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Muster</title>
<link rel="icon" type="image/svg+xml" href="${root}docs/icon.svg">
<link rel="stylesheet" href="${root}sign_in/style.css">
</head>
<body>
${content}
</body>
</html>
`.markup;
}

/** A page with one card in the middle. */
export function renderCard({ title, root, content }: PageParts): string {
  return renderPage({
    title,
    root,
    content: html`<div class="center">
<header>${brand(root)}</header>
<main class="card">${content}</main>
<footer class="quiet"><a href="${root}docs">API reference</a></footer>
</div>`,
  });
}

function brand(root: Root): Html {
  return html`<a class="brand" href="${root === '' ? './' : root}"><img src="${root}docs/icon.svg" alt="" width="28" height="28">Muster</a>`;
}

/** What went wrong, and what to do. */
export interface Fault {
  readonly title: string;
  readonly text: string;
}

/** A screen reader reads it first. */
export function notice(kind: 'bad' | 'good', { title, text }: Fault): Html {
  return html`<div class="notice ${kind}" id="notice" role="${kind === 'bad' ? 'alert' : 'status'}"><h2>${title}</h2><p>${text}</p></div>`;
}
