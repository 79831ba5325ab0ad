import type { Random } from './random.ts';

/** The parts of a schema in the OpenAPI document that are used here. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Resolves a reference to its schema. */
export type Resolve = (schema: JsonSchema) => JsonSchema;

/** A value that is roughly valid for the schema. */
export function makeValue(random: Random, given: JsonSchema, resolve: Resolve): unknown {
  const schema = resolve(given);
  if (schema.anyOf !== undefined) return makeValue(random, random.pickAny(schema.anyOf) ?? {}, resolve);
  if (schema.enum !== undefined) return random.pickAny(schema.enum);
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['object']);
  switch (random.pickAny(types)) {
    case 'null':
      return null;
    case 'boolean':
      return random.chance(0.5);
    case 'integer':
    case 'number':
      return (schema.minimum ?? 0) + random.below(Math.min(schema.maximum ?? 1_000, 1_000));
    case 'array':
      return makeArray(random, schema, resolve);
    case 'string':
      return makeText(random, schema);
    default:
      return makeObject(random, schema, resolve);
  }
}

function makeArray(random: Random, { items = {}, minItems = 0 }: JsonSchema, resolve: Resolve): unknown[] {
  return Array.from({ length: minItems + random.below(4) }, () => makeValue(random, items, resolve));
}

function makeObject(random: Random, schema: JsonSchema, resolve: Resolve): Record<string, unknown> {
  const { properties = {}, required = [] } = schema;
  const names = Object.keys(properties).filter((name) => required.includes(name) || random.chance(0.6));
  return Object.fromEntries(names.map((name) => [name, makeValue(random, properties[name] ?? {}, resolve)]));
}

const letters = [...'abcXYZ019 _-.:/*"\\<>&=\'\t\né√漢🙂'];

function makeText(random: Random, { format, minLength = 0, maxLength = 40 }: JsonSchema): string {
  if (format === 'date-time') return new Date(1.7e12 + random.below(1e12)).toISOString();
  if (format === 'uuid')
    return `${'0'.repeat(8)}-0000-7000-8000-${String(random.below(1e12)).padStart(12, '0')}`;
  if (random.chance(0.05))
    return random.pick(['[INPUT]\n  name cpu\n', 'create:*', 'read:agent', 'fluentbit']);
  const length = minLength + random.below(Math.min(maxLength - minLength, 40) + 1);
  return Array.from({ length }, () => random.pickAny(letters)).join('');
}
