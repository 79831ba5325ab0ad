import type { AuditEntry } from '@muster/client';
import { visibleText } from '@muster/contract';
import { auditTexts } from '../texts/audit.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Whom and what the log can be filtered by, as far as it is known without the log. */
export interface KnownNames {
  readonly people: readonly Named[];
  readonly tokens: readonly Named[];
}

interface NameGroup {
  readonly group: string;
  readonly items: { value: string; label: string }[];
}

/**
 * People and tokens, and what else stands in the entries that are shown, by name.
 *
 * @param chosen what the log is filtered by: it stands among them even if nothing has its name
 */
export function nameChoices(
  { people, tokens }: KnownNames,
  entries: readonly AuditEntry[],
  side: 'actor' | 'target',
  chosen: string | undefined,
): NameGroup[] {
  const known = new Set([...people, ...tokens].map(({ id }) => id));
  const others = new Map<string, string>();
  if (chosen !== undefined && !known.has(chosen)) others.set(chosen, chosen);
  for (const entry of entries) {
    const { id, name } = entry[side];
    if (id !== null && name !== null && !known.has(id)) others.set(id, name);
  }
  return [
    groupOf(auditTexts.people, people),
    groupOf(auditTexts.tokens, tokens),
    groupOf(
      auditTexts.inTheLog,
      [...others].map(([id, name]) => ({ id, name })),
    ),
  ].filter(({ items }) => items.length > 0);
}

function groupOf(group: string, named: readonly Named[]): NameGroup {
  const items = named.map(({ id, name }) => ({ value: id, label: visibleText(name) }));
  return { group, items: items.sort((one, other) => one.label.localeCompare(other.label, 'en')) };
}
