import {
  type OpenApiDocument,
  type ProblemCode,
  problemCodes,
  problemSentence,
  problems,
} from '@muster/contract';
import { type Html, html } from '../../foundation/html.ts';
import { operationsOf, renderMethod } from './operation-section.ts';
import { renderPage } from './page-layout.ts';
import { renderLine } from './prose.ts';

/** All codes with their status and help. */
export function renderProblemList(): Html {
  return html`<dl class="problems">${problemCodes.map(
    (code) => html`<div class="entry" id="error-${code}">
<dt><span class="status">${problems[code].status}</span> <a href="errors/${code}">${code}</a></dt>
<dd>${renderLine(problems[code].help)}</dd></div>`,
  )}</dl>`;
}

/** The page that the `type` of a problem points to. */
export function renderProblemPage(code: ProblemCode, document: OpenApiDocument): string {
  const { status, title, help } = problems[code];
  const operations = operationsOf(document).filter(({ operation: { responses } }) =>
    responses[status]?.['x-problem-codes']?.includes(code),
  );
  return renderPage({
    title: `${title} · Muster`,
    root: '../',
    version: document.info.version,
    content: html`<p class="eyebrow">Refusal ${status}</p>
<h1>${title}</h1>
<p class="summary">${renderLine(help)}</p>
<figure><figcaption>Body</figcaption><pre>${exampleOf(code)}</pre></figure>
${
  operations.length === 0
    ? undefined
    : html`<h2>Operations that answer it</h2>
<ul class="operations">${operations.map(
        ({ method, path, operation }) =>
          html`<li>${renderMethod(method)} <a href="../docs#${operation.operationId}">${operation.summary}</a> <code>${path}</code></li>`,
      )}</ul>`
}
<p><a href="../docs#errors-by-code">All refusals</a></p>`,
  });
}

function exampleOf(code: ProblemCode): string {
  const { status, title, help } = problems[code];
  const problem = {
    type: `/errors/${code}`,
    title,
    status,
    detail: help,
    error: problemSentence(code),
    code,
    requestID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d',
  };
  return JSON.stringify(problem, null, 2);
}
