import { type Static, type TSchema, Type } from 'typebox';

/** The same schema with null allowed, in the form of JSON Schema 2020-12 and OpenAPI 3.1. */
export function Nullable<T extends TSchema>(schema: T) {
  const { type, enum: values, ...rest } = schema as T & { type: string; enum?: readonly unknown[] }; // built by Type.*
  return Type.Unsafe<Static<T> | null>({
    ...rest,
    type: [type, 'null'],
    ...(values === undefined ? {} : { enum: [...values, null] }),
  });
}

/** One of a list of words. */
export function OneOf<const T extends string>(
  values: readonly T[],
  options: { description?: string; examples?: readonly T[] } = {},
) {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], ...options });
}

interface TextOptions {
  readonly description?: string;
  /** Example values for the reference. */
  readonly examples?: readonly string[];
}

/** A text whose length is counted in Unicode code points. NUL and lone surrogates are refused everywhere. */
export function Text(minLength: number, maxLength: number, options: TextOptions = {}) {
  return Type.String({ minLength, maxLength, ...options });
}

const uuid = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';

/** An identifier in a request: any UUID in text form, in upper or lower case. */
export function IDParameter(description: string, options: { readonly examples?: readonly string[] } = {}) {
  return Type.String({ format: 'uuid', pattern: uuid, description, ...options });
}

/** An identifier in an answer: UUIDv7 (RFC 9562), lower case. */
export const ID = Type.String({ format: 'uuid', description: 'UUIDv7, lower case.' });

/** A point in time in an answer. */
export const Timestamp = Type.String({
  format: 'date-time',
  description: 'ISO 8601, UTC, milliseconds: 2026-03-02T10:20:30.456Z.',
});

/** A point in time in an answer, with a description of its own meaning. */
export function TimestampOf(description: string) {
  return Type.String({ format: 'date-time', description });
}

/** A point in time in a request. */
export function TimestampInput(description: string) {
  return Type.String({ format: 'date-time', maxLength: 64, description });
}

export const actorKinds = ['user', 'project_token', 'agent', 'core_instance', 'system'] as const;

/** Who did something. */
export const Actor = Type.Object(
  {
    kind: OneOf(actorKinds),
    id: Nullable(ID),
    name: Type.Optional(
      Nullable(
        Type.String({
          description:
            'In the audit log, of tokens and of alerts, its name at that time; elsewhere its name now. Null or absent: it has no name, or it is not known.',
        }),
      ),
    ),
  },
  {
    description:
      'Who did it: a user, a project token, an agent, a core instance, or the service itself (id null).',
    examples: [{ kind: 'user', id: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d', name: 'administrator' }],
  },
);
export type Actor = Static<typeof Actor>;

/** Page size when `last` is absent or 0. */
export const defaultPageSize = 100;

export const largestPageSize = 1000;

/** The paging parameters of every list; lists are newest first. */
export const pageQuery = {
  last: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: largestPageSize,
      description: `Page size. Absent or 0 means ${defaultPageSize}.`,
    }),
  ),
  before: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description:
        'Opaque cursor from the Link header of the previous page: returns the items after that page.',
    }),
  ),
};

/** A filter by name in which `*` matches any run of characters. */
export function NameFilter(what: string) {
  return Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: `Only ${what} with exactly this name; \`*\` matches any run of characters (\`ci-*\`).`,
    }),
  );
}

/** For what reaches agents. */
export const DespiteFreeze = Type.Optional(
  Type.Boolean({ description: 'True: also during a freeze of the project.' }),
);
