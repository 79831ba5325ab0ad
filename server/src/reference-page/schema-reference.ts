import type { OpenApiDocument, OpenApiSchema } from '@muster/contract';

export type Schemas = OpenApiDocument['components']['schemas'];

/** `#/components/schemas/Token` names `Token`. */
export function schemaNameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** The schema itself, where one is only named. */
export function resolveSchema(schema: OpenApiSchema, schemas: Schemas): OpenApiSchema {
  return schema.$ref === undefined ? schema : (schemas[schemaNameOf(schema.$ref)] ?? {});
}
