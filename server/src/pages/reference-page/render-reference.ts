import type { OpenApiDocument } from '@muster/contract';
import { type Html, html } from '../../foundation/html.ts';
import { operationsOf, type PlacedOperation, renderMethod, renderOperation } from './operation-section.ts';
import { renderPage } from './page-layout.ts';
import { renderProblemList } from './problem-pages.ts';
import { anchorOf, renderLine, renderProse, splitAtHeadings } from './prose.ts';
import { fieldsOf, renderFields } from './schema-fields.ts';

/** One section of the reference: a heading in the navigation and in the content. */
interface Section {
  readonly title: string;
  readonly anchor: string;
  readonly links: readonly Html[];
  readonly content: Html;
}

/** The whole reference of a service as one page of HTML. */
export function renderReference(document: OpenApiDocument): string {
  const sections = [
    overviewSection(document),
    ...document.tags.map((tag) => operationsSection(tag, document)),
    schemasSection(document),
    errorsSection(),
  ];
  return renderPage({
    title: `${document.info.title} API reference`,
    root: '',
    version: document.info.version,
    search: html`<div class="search" role="search" hidden>
<input type="search" placeholder="Search" aria-label="Search the reference" autocomplete="off" spellcheck="false">
<kbd>/</kbd><output></output></div>`,
    navigation: html`<nav aria-label="Contents"><details open><summary>Contents</summary>
${sections.map(
  ({ title, anchor, links }) =>
    html`<section><h2><a href="#${anchor}">${title}</a></h2><ul>${links.map((link) => html`<li>${link}</li>`)}</ul></section>`,
)}
</details></nav>`,
    content: html`${sections.map(({ content }) => content)}`,
  });
}

function overviewSection({ info }: OpenApiDocument): Section {
  const parts = splitAtHeadings(info.description);
  return {
    title: 'Overview',
    anchor: 'overview',
    links: parts.map(({ heading }) => html`<a href="#${anchorOf(heading)}">${heading}</a>`),
    content: html`<section class="overview" id="overview"><h1>${info.title} API</h1>
<p class="summary">${info.summary}</p>
${parts.map(
  ({ heading, text }) =>
    html`<div class="entry" id="${anchorOf(heading)}"><h2>${heading}</h2>${renderProse(text)}</div>`,
)}</section>`,
  };
}

function operationsSection(
  { name, description }: { name: string; description: string },
  document: OpenApiDocument,
): Section {
  const operations = operationsOf(document).filter(({ operation }) => operation.tags.includes(name));
  const anchor = `operations-${anchorOf(name)}`;
  return {
    title: name,
    anchor,
    links: operations.map(renderOperationLink),
    content: html`<section id="${anchor}"><h2>${name}</h2><p>${renderLine(description)}</p>
${operations.map((operation) => renderOperation(operation, document.components))}</section>`,
  };
}

function renderOperationLink({ method, operation }: PlacedOperation): Html {
  return html`<a href="#${operation.operationId}">${operation.summary} ${renderMethod(method)}</a>`;
}

function schemasSection({ components }: OpenApiDocument): Section {
  const schemas = Object.entries(components.schemas);
  return {
    title: 'Schemas',
    anchor: 'schemas',
    links: schemas.map(([name]) => html`<a href="#schema-${name}">${name}</a>`),
    content: html`<section id="schemas"><h2>Schemas</h2>${schemas.map(
      ([name, schema]) => html`<article class="entry" id="schema-${name}"><div class="explanation">
<h3><a href="#schema-${name}">${name}</a></h3>
${schema.description === undefined ? undefined : html`<p>${renderLine(schema.description)}</p>`}
${renderFields(fieldsOf(schema))}</div></article>`,
    )}</section>`,
  };
}

function errorsSection(): Section {
  return {
    title: 'Errors by code',
    anchor: 'errors-by-code',
    links: [],
    content: html`<section id="errors-by-code"><h2>Errors by code</h2>
<p>What each refusal means and what to do about it.</p>${renderProblemList()}</section>`,
  };
}
