import type { Refusal } from '../../refusal.ts';

/** What the contract says of a text in a path or a query. */
export interface TextSchema {
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/**
 * Reads a text of a path or a query. An id is folded to lower case, as it is stored; any other text is taken as it is.
 *
 * @param refuse makes the refusal of a text that the schema does not take, from what is wrong with it.
 */
export function readText(text: string, schema: TextSchema, refuse: (message: string) => Refusal): string {
  if (!text.isWellFormed() || text.includes('\0')) {
    throw refuse('holds NUL or half a character; take it out');
  }
  if (schema.enum !== undefined && !schema.enum.includes(text)) {
    throw refuse(`is '${text}', but takes one of ${schema.enum.join(', ')}`);
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(text)) {
    throw refuse(
      schema.format === 'uuid'
        ? 'is not a UUID, such as 0192f0a0-0000-7000-8000-000000000000'
        : `is '${text}', but takes ${schema.pattern}`,
    );
  }
  const length = [...text].length;
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  if (length < minLength || length > maxLength) {
    throw refuse(`has ${length} characters, but takes ${minLength} to ${maxLength}`);
  }
  return schema.format === 'uuid' ? text.toLowerCase() : text;
}
