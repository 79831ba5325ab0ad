import type { OpenApiContent, OpenApiSchema } from '@muster/contract';
import { resolveSchema, type Schemas } from './schema-reference.ts';

/** A body that is valid for the schema, as indented JSON; undefined for a body that is not JSON. */
export function exampleOfContent(content: OpenApiContent | undefined, schemas: Schemas): string | undefined {
  const schema = content?.['application/json']?.schema;
  return schema === undefined ? undefined : JSON.stringify(exampleOf(schema, schemas), null, 2);
}

function exampleOf(schemaOrReference: OpenApiSchema, schemas: Schemas): unknown {
  const schema = resolveSchema(schemaOrReference, schemas);
  const [alternative] = schema.anyOf ?? [];
  if (schema.examples !== undefined) return schema.examples[0];
  // As with the types below: nullable fields are null, so that the fields of an example are consistent.
  if (schema.anyOf?.some(({ type }) => type === 'null')) return null;
  if (alternative !== undefined) return exampleOf(alternative, schemas);
  if (Array.isArray(schema.type)) return null;
  switch (schema.type) {
    case 'object':
      return exampleOfObject(schema, schemas);
    case 'array':
      return schema.items === undefined ? [] : [exampleOf(schema.items, schemas)];
    case 'integer':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return schema.enum?.[0] ?? exampleTexts[schema.format ?? ''] ?? 'text';
  }
}

/** Optional fields are included only if they have an example. */
function exampleOfObject({ properties = {}, required = [] }: OpenApiSchema, schemas: Schemas): unknown {
  const fields = Object.entries(properties).map(
    ([name, field]) => [name, exampleOf(field, schemas)] as const,
  );
  return Object.fromEntries(fields.filter(([name, value]) => value !== null || required.includes(name)));
}

const exampleTexts: Readonly<Record<string, string>> = {
  uuid: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d',
  'date-time': '2026-03-02T10:20:30.456Z',
};
