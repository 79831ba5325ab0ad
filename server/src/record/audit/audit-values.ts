import { canonicalJson, type JsonValue } from '@muster/contract';
import { redactKnownSecrets } from '@muster/redaction';

/** What a feature records of a change: texts, numbers, truth values, and lists and objects of them. */
export interface RecordedValues {
  readonly [name: string]: JsonValue | undefined;
}

/** Reasons are shorter. What is longer, such as a search text, is cut. */
const maxTextLength = 2_000;
const maxListLength = 1_000;

export function auditValues(values: RecordedValues | undefined): JsonValue {
  return values === undefined ? null : clean(values);
}

/** A name or an id that somebody chose. */
export function auditValue(text: string | null): string | null {
  return text === null ? null : cleanText(text);
}

/** Of two descriptions of the same thing, the members that differ. */
export function changedValues(
  before: RecordedValues,
  after: RecordedValues,
): { readonly before: RecordedValues; readonly after: RecordedValues } {
  const changed = Object.keys(after).filter(
    (name) => canonicalJson(before[name] ?? null) !== canonicalJson(after[name] ?? null),
  );
  const only = (values: RecordedValues) =>
    Object.fromEntries(changed.map((name) => [name, values[name] ?? null]));
  return { before: only(before), after: only(after) };
}

function clean(value: JsonValue): JsonValue {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.slice(0, maxListLength).map(clean);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value as RecordedValues); // no array, checked above
  return Object.fromEntries(
    members.flatMap(([name, member]) => (member === undefined ? [] : [[name, clean(member)]])),
  );
}

/** PostgreSQL stores no NUL, and RFC 8785 allows no lone surrogates. */
function cleanText(text: string): string {
  const plain = redactKnownSecrets(text).replaceAll('\0', '').toWellFormed();
  return plain.length <= maxTextLength ? plain : `${plain.slice(0, maxTextLength).toWellFormed()}…`;
}
