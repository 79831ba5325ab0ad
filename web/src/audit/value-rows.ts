import type { AuditEntry } from '@muster/client';
import { formatNumber } from '../parts/amount.ts';
import { auditTexts } from '../texts/audit.ts';

/** One field of a change. Undefined: the entry does not have it on this side. */
interface ValueRow {
  readonly field: string;
  readonly before: ShownValue | undefined;
  readonly after: ShownValue | undefined;
  readonly isChanged: boolean;
}

export interface ShownValue {
  /** One text, or those of a list. */
  readonly texts: readonly string[];
  /** What the list had when it was recorded, if it was recorded only in part. */
  readonly total?: number;
}

type Values = Readonly<Record<string, unknown>>;

/** What a change replaced beside what it is now, field by field. A field of an object within is named `filter.q`. */
export function valueRows({ before, after }: Pick<AuditEntry, 'before' | 'after'>): readonly ValueRow[] {
  const [earlier, later] = [flatten(before ?? {}), flatten(after ?? {})];
  const names = new Set([...Object.keys(earlier), ...Object.keys(later)]);
  return [...names].map((field) => ({
    field,
    before: shownValue(earlier, field),
    after: shownValue(later, field),
    isChanged: JSON.stringify(earlier[field]) !== JSON.stringify(later[field]),
  }));
}

function flatten(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      isObject(value)
        ? Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, one] as const)
        : [[name, value] as const],
    ),
  );
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shownValue(values: Values, field: string): ShownValue | undefined {
  const value = values[field];
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) return { texts: [textOf(value)] };
  if (value.length === 0) return { texts: [auditTexts.none] };
  // Of many agents, the service records the first ids and the count.
  const total = field.endsWith('IDs') ? values[field.replace(/IDs$/, 'sCount')] : undefined;
  return {
    texts: value.map(textOf),
    ...(typeof total === 'number' && total > value.length ? { total } : {}),
  };
}

function textOf(value: unknown): string {
  if (value === null) return auditTexts.none;
  if (typeof value === 'number') return formatNumber(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
