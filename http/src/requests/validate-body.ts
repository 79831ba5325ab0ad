import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { invalidBody, Refusal } from '../refusal.ts';
import { findUnstorable } from './check-text.ts';
import { explainSchemaFault } from './explain-schema-fault.ts';

type BodyValidator = (body: unknown) => void;

/** Checks bodies against the contract's schemas; lengths count Unicode code points. */
export class BodyValidators {
  readonly #ajv = new Ajv2020({
    allErrors: false,
    allowUnionTypes: true,
    formats: { uuid: true, 'date-time': true },
    strict: true,
    // The schemas are the contract's. To check them, the first body would wait until that of JSON Schema is compiled.
    meta: false,
    validateSchema: false,
  });

  /**
   * The schema is compiled for the first body: all of them took a seventh of the start.
   *
   * @throws Refusal (from the validator) invalid_json for an absent body, else invalid_body
   */
  compile(schema: TSchema): BodyValidator {
    let validators: readonly ValidateFunction[] | undefined;
    return (body) => {
      validators ??= alternatives(schema).map((one) => this.#ajv.compile(one));
      if (body === undefined) {
        throw new Refusal('invalid_json', { detail: 'The body is empty, but this route takes a JSON body.' });
      }
      const unstorable = findUnstorable(body);
      if (unstorable !== undefined) throw invalidBody([unstorable]);
      const validate = choose(validators, body);
      if (!validate(body))
        throw invalidBody((validate.errors ?? []).map((error) => explainSchemaFault(error, schema)));
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
