import type { AuditEntry } from '@muster/client';

/** One field of a change. Undefined: the entry does not have it on this side. */
interface ValueRow {
  readonly field: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly isChanged: boolean;
}

/** What a change replaced beside what it is now, field by field. */
export function valueRows({ before, after }: Pick<AuditEntry, 'before' | 'after'>): readonly ValueRow[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].map((field) => {
    const earlier = textOf(before?.[field]);
    const later = textOf(after?.[field]);
    return { field, before: earlier, after: later, isChanged: earlier !== later };
  });
}

function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ');
  return JSON.stringify(value);
}
