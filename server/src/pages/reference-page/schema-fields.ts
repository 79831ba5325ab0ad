import type { OpenApiSchema } from '@muster/contract';
import { type Html, html, joinHtml } from '../../foundation/html.ts';
import { renderLine } from './prose.ts';
import { schemaNameOf } from './schema-reference.ts';

interface Field {
  readonly name: string;
  readonly schema: OpenApiSchema;
  readonly required: boolean;
  readonly description?: string | undefined;
}

/** The fields of an object or the parameters of an operation, as a list. */
export function renderFields(fields: readonly Field[]): Html {
  return html`<dl class="fields">${fields.map(renderField)}</dl>`;
}

export function fieldsOf({ properties = {}, required = [] }: OpenApiSchema): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    required: required.includes(name),
    description: schema.description,
  }));
}

/** A type in words, with links to named schemas. */
export function renderType({ $ref, anyOf, type, items, format }: OpenApiSchema): Html {
  if ($ref !== undefined) return html`<a href="#schema-${schemaNameOf($ref)}">${schemaNameOf($ref)}</a>`;
  if (anyOf !== undefined) return joinHtml(anyOf.map(renderType), ' or ');
  const alternatives = [type ?? 'any'].flat().map((one) => {
    if (one === 'array' && items !== undefined) return html`array of ${renderType(items)}`;
    return html`${one === 'string' ? (format ?? one) : one}`;
  });
  return joinHtml(alternatives, ' or ');
}

function renderField({ name, schema, required, description }: Field): Html {
  return html`<div>
<dt><code>${name}</code> <span class="type">${renderType(schema)}</span>${required ? html` <span class="required">required</span>` : undefined}</dt>
<dd>${description === undefined ? undefined : html`<p>${renderLine(description)}</p>`}${renderLimits(schema)}</dd>
</div>`;
}

function renderLimits(schema: OpenApiSchema): Html | undefined {
  if (schema.enum !== undefined) {
    const values = schema.enum.map((value) => html`<code>${String(value)}</code>`);
    return html`<p class="limits">One of ${joinHtml(values, ', ')}</p>`;
  }
  const limits = limitsOf(schema);
  return limits === '' ? undefined : html`<p class="limits">${limits}</p>`;
}

function limitsOf(schema: OpenApiSchema): string {
  if (schema.format !== undefined) return '';
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, items } = schema;
  const ofItems = items === undefined ? '' : limitsOf(items);
  return [
    bounds(minimum, maximum),
    bounds(minLength === 0 ? undefined : minLength, maxLength, ' characters'),
    bounds(minItems, maxItems, ' items'),
    ofItems === '' ? '' : `each ${ofItems}`,
  ]
    .filter((limit) => limit !== '')
    .join(', ');
}

function bounds(minimum: number | undefined, maximum: number | undefined, unit = ''): string {
  if (minimum === undefined) return maximum === undefined ? '' : `at most ${maximum}${unit}`;
  return maximum === undefined ? `at least ${minimum}${unit}` : `${minimum} to ${maximum}${unit}`;
}
