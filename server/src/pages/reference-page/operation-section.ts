import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
  OpenApiSchema,
} from '@muster/contract';
import { type Html, html, joinHtml } from '../../foundation/html.ts';
import { curlCommand } from './curl-command.ts';
import { exampleOfContent } from './example-value.ts';
import { renderLine, renderProse } from './prose.ts';
import { fieldsOf, renderFields, renderType } from './schema-fields.ts';
import { resolveSchema, type Schemas } from './schema-reference.ts';

/** One operation with its path and method. */
export interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

export function operationsOf(document: OpenApiDocument): PlacedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
}

/** One operation: its parameters, its body, its answers, and examples. */
export function renderOperation(placed: PlacedOperation, components: OpenApiDocument['components']): Html {
  const { method, path, operation } = placed;
  const { operationId, summary, description, parameters = [], requestBody } = operation;
  return html`<article class="entry" id="${operationId}">
<div class="explanation">
<h3><a href="#${operationId}">${summary}</a></h3>
<p class="route">${renderMethod(method)} <code>${breakable(path)}</code></p>
${description === undefined ? undefined : renderProse(description)}
<p><a href="#credentials">Credential</a>: ${renderCredentials(operation, components)}</p>
${renderParameters('Path', parameters, 'path')}
${renderParameters('Query', parameters, 'query')}
${requestBody === undefined ? undefined : renderBody(requestBody.content, components.schemas)}
${successesOf(operation).map(([status, response]) => renderAnswer(status, response))}
${renderRefusals(operation)}
</div>
<div class="examples">
${renderExample('Request', curlCommand(method, path, operation, components))}
${successesOf(operation).map(([status, { content }]) =>
  renderExample(`Answer ${status}`, exampleOfContent(content, components.schemas)),
)}
</div>
</article>`;
}

export function renderMethod(method: string): Html {
  return html`<span class="method ${method}">${method.toUpperCase()}</span>`;
}

/** Lets a path wrap after a slash. */
function breakable(path: string): Html {
  return joinHtml(
    path.split('/').map((part) => html`${part}`),
    '/\u200b',
  );
}

function renderCredentials(
  { security }: OpenApiOperation,
  { securitySchemes }: OpenApiDocument['components'],
): Html {
  const names = [...new Set(security.flatMap((alternative) => Object.keys(alternative)))];
  if (names.length === 0) return html`none`;
  const headers = names.map((name) => {
    const scheme = securitySchemes[name];
    if (scheme?.type === 'apiKey') return html`<code>${scheme.name}</code>`;
    return html`<code>Authorization: ${scheme?.scheme === 'basic' ? 'Basic' : 'Bearer'}</code>`;
  });
  return joinHtml(headers, ' or ');
}

function renderParameters(
  title: string,
  parameters: readonly OpenApiParameter[],
  place: OpenApiParameter['in'],
): Html | undefined {
  const placed = parameters.filter((parameter) => parameter.in === place);
  return placed.length === 0 ? undefined : html`<h4>${title}</h4>${renderFields(placed)}`;
}

function renderBody(content: Readonly<Record<string, { schema: OpenApiSchema }>>, schemas: Schemas): Html {
  return html`${Object.entries(content).map(([mediaType, { schema }]) => {
    const object = resolveSchema(schema.anyOf?.[0] ?? schema, schemas);
    return html`<h4>Body</h4><p><code>${mediaType}</code>, ${renderType(schema)}</p>
${object.properties === undefined ? undefined : renderFields(fieldsOf(object))}`;
  })}`;
}

function successesOf({ responses }: OpenApiOperation): [string, OpenApiResponse][] {
  return Object.entries(responses).filter(([, response]) => response['x-problem-codes'] === undefined);
}

/** Described once, in the introduction. */
const headerOfEveryAnswer = 'X-Request-Id';

function renderAnswer(status: string, { description, headers = {}, content = {} }: OpenApiResponse): Html {
  const bodies = Object.entries(content).map(
    ([mediaType, { schema }]) => html`, <code>${mediaType.split(';', 1)}</code>, ${renderType(schema)}`,
  );
  return html`<h4>Answer</h4><p><code>${status}</code>${bodies}. ${renderLine(description)}</p>
${renderHeaders(headers)}`;
}

function renderHeaders(headers: NonNullable<OpenApiResponse['headers']>): Html | undefined {
  const own = Object.entries(headers).filter(([name]) => name !== headerOfEveryAnswer);
  if (own.length === 0) return undefined;
  return html`<dl class="fields">${own.map(
    ([name, header]) => html`<div><dt><code>${name}</code> <span class="type">header</span></dt>
<dd><p>${renderLine(header.description)}</p></dd></div>`,
  )}</dl>`;
}

function renderRefusals({ responses }: OpenApiOperation): Html {
  const rows = Object.entries(responses).map(([status, { 'x-problem-codes': codes }]) =>
    codes === undefined
      ? undefined
      : html`<div><dt>${status}</dt><dd>${joinHtml(
          codes.map((code) => html`<a href="#error-${code}">${code}</a>`),
          ', ',
        )}</dd></div>`,
  );
  return html`<h4>Refusals</h4><dl class="refusals">${rows}</dl>`;
}

function renderExample(title: string, text: string | undefined): Html | undefined {
  return text === undefined
    ? undefined
    : html`<figure><figcaption>${title}</figcaption><pre>${text}</pre></figure>`;
}
