import { type Html, html } from '../../foundation/html.ts';

interface PageParts {
  readonly title: string;
  /** Relative path to the root of the service, so that pages also work behind a proxy that adds a path. */
  readonly root: '' | '../';
  readonly version: string;
  readonly search?: Html;
  readonly navigation?: Html;
  readonly content: Html;
}

/** The frame of every page: a bar at the top, the navigation, and the content. */
export function renderPage({ title, root, version, search, navigation, content }: PageParts): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${root}docs/icon.svg">
<link rel="stylesheet" href="${root}docs/style.css">
<script src="${root}docs/page.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${root}docs"><img src="${root}docs/icon.svg" alt="" width="24" height="24">Muster <span>${version}</span></a>
${search}
<a class="document" href="${root}openapi.json">OpenAPI</a>
</header>
<div class="${navigation === undefined ? 'page' : 'page with-navigation'}">
${navigation}
<main id="content">${content}</main>
</div>
</body>
</html>
`.markup;
}
