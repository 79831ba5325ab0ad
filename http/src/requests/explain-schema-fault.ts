import { nearestName, type ProblemField } from '@muster/contract';
import type { ErrorObject } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';

/** A sentence for a person about what a schema of the contract refuses. It never repeats the refused value. */
export function explainSchemaFault(error: ErrorObject, schema: TSchema): ProblemField {
  const path = error.instancePath;
  const { params } = error;
  switch (error.keyword) {
    case 'required':
      return { path: `${path}/${params.missingProperty}`, message: 'is missing' };
    case 'additionalProperties':
      return unknownField(path, String(params.additionalProperty), schema);
    case 'type':
      return { path, message: `must be ${typeNames(params.type)}` };
    case 'minLength':
      return {
        path,
        message: params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`,
      };
    case 'maxLength':
      return { path, message: `must have at most ${params.limit} characters` };
    case 'minItems':
      return { path, message: 'must not be empty' };
    case 'maxItems':
      return { path, message: `must have at most ${params.limit} elements` };
    case 'enum':
      return { path, message: `must be one of ${params.allowedValues.join(', ')}` };
    default:
      return { path, message: error.message ?? 'is invalid' };
  }
}

function unknownField(parent: string, name: string, schema: TSchema): ProblemField {
  const part = schemaAt(schema, parent.split('/').slice(1));
  const known = part !== undefined && 'properties' in part ? Object.keys(part.properties as object) : []; // an object schema
  const nearest = nearestName(name, known);
  return {
    path: `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    message: nearest === undefined ? 'is unknown' : `is unknown; did you mean '${nearest}'?`,
  };
}

/** The part of a schema for a part of the value; undefined if there are several. */
function schemaAt(schema: TSchema, [name, ...rest]: readonly string[]): TSchema | undefined {
  if (name === undefined) return schema;
  if ('items' in schema) return schemaAt(schema.items as TSchema, rest); // of an array
  const properties = ('properties' in schema ? schema.properties : {}) as Readonly<Record<string, TSchema>>; // of an object
  const part = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return part === undefined ? undefined : schemaAt(part, rest);
}

function typeNames(type: string | readonly string[]): string {
  const names = typeof type === 'string' ? type.split(',') : type;
  return names
    .map((name) => (/^[aeiou]/.test(name) ? `an ${name}` : name === 'null' ? name : `a ${name}`))
    .join(' or ');
}
