import type { OpenApiDocument, OpenApiSchema } from '@muster/contract';

export type Schemas = OpenApiDocument['components']['schemas'];

/** Reads `Token` from `#/components/schemas/Token`. */
export function schemaNameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** Resolves a reference to its schema. */
export function resolveSchema(schema: OpenApiSchema, schemas: Schemas): OpenApiSchema {
  return schema.$ref === undefined ? schema : (schemas[schemaNameOf(schema.$ref)] ?? {});
}
