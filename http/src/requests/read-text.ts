import type { Refusal } from '../refusal.ts';

/** The contract's schema of a text in a path or a query. */
export interface TextSchema {
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/**
 * Parses a text of a path or a query. An id is converted to lower case, as it is stored; any other text is unchanged.
 *
 * @param refuse creates the refusal of an invalid text from a description of the fault.
 */
export function readText(text: string, schema: TextSchema, refuse: (message: string) => Refusal): string {
  if (!text.isWellFormed() || text.includes('\0')) {
    throw refuse('contains NUL or half a character; remove it');
  }
  if (schema.enum !== undefined && !schema.enum.includes(text)) {
    throw refuse(`is '${text}', but must be one of ${schema.enum.join(', ')}`);
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(text)) {
    throw refuse(
      schema.format === 'uuid'
        ? 'is not a UUID, such as 0192f0a0-0000-7000-8000-000000000000'
        : `is '${text}', but must match ${schema.pattern}`,
    );
  }
  const length = [...text].length;
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  if (length < minLength || length > maxLength) {
    throw refuse(`has ${length} characters, but must have ${minLength} to ${maxLength}`);
  }
  return schema.format === 'uuid' ? text.toLowerCase() : text;
}
