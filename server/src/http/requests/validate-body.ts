import { nearestName, type ProblemField } from '@muster/contract';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { invalidBody, Refusal } from '../../refusal.ts';
import { findUnstorable } from './check-text.ts';

type BodyValidator = (body: unknown) => void;

/** Checks bodies against the contract's schemas; lengths count Unicode code points. */
export class BodyValidators {
  readonly #ajv = new Ajv2020({
    allErrors: false,
    allowUnionTypes: true,
    formats: { uuid: true, 'date-time': true },
    strict: true,
  });

  /** @throws Refusal (from the validator) invalid_json for an absent body, else invalid_body */
  compile(schema: TSchema): BodyValidator {
    const validators = alternatives(schema).map((one) => this.#ajv.compile(one));
    return (body) => {
      if (body === undefined) {
        throw new Refusal('invalid_json', { detail: 'The body is empty, but this route takes a JSON body.' });
      }
      const unstorable = findUnstorable(body);
      if (unstorable !== undefined) throw invalidBody([unstorable]);
      const validate = choose(validators, body);
      if (!validate(body)) throw invalidBody((validate.errors ?? []).map((error) => explain(error, schema)));
    };
  }
}

/** Splits a schema for an object or an array of such objects, so that errors mention only the form that was sent. */
function alternatives(schema: TSchema): TSchema[] {
  return 'anyOf' in schema && Array.isArray(schema.anyOf) ? schema.anyOf : [schema];
}

function choose(validators: readonly ValidateFunction[], body: unknown): ValidateFunction {
  const [first, second] = validators;
  if (first === undefined) throw new Error('a body schema has no alternative');
  return Array.isArray(body) && second !== undefined ? second : first;
}

function explain(error: ErrorObject, schema: TSchema): ProblemField {
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
  const known = 'properties' in schema ? Object.keys(schema.properties as object) : []; // an object schema
  const nearest = nearestName(name, known);
  return {
    path: `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    message: nearest === undefined ? 'is unknown' : `is unknown; did you mean '${nearest}'?`,
  };
}

function typeNames(type: string | readonly string[]): string {
  const names = typeof type === 'string' ? type.split(',') : type;
  return names
    .map((name) => (/^[aeiou]/.test(name) ? `an ${name}` : name === 'null' ? name : `a ${name}`))
    .join(' or ');
}
