import { canonicalJson, type JsonValue } from '@muster/contract';
import type { NewAuditEntry } from './audit-entry.ts';
import type { PendingRow } from './audit-pending-store.ts';

type StoredEntry = Omit<NewAuditEntry, 'id' | 'createdAt' | 'projectID'>;

const maxAgentIDs = 100;

/** One entry for all parts of the same work. What differs between the parts is null in it. */
export function foldPending(
  rows: readonly PendingRow[],
  identify: () => Pick<NewAuditEntry, 'id' | 'createdAt'>,
): NewAuditEntry[] {
  const byWork = new Map<string, PendingRow[]>();
  for (const row of rows) byWork.set(row.work, [...(byWork.get(row.work) ?? []), row]);
  return [...byWork.values()].map((parts) => foldWork(parts, identify()));
}

function foldWork(
  rows: readonly PendingRow[],
  identity: Pick<NewAuditEntry, 'id' | 'createdAt'>,
): NewAuditEntry {
  const entries = rows.map(({ entry }) => JSON.parse(entry) as StoredEntry); // only the audit log writes it
  const [first] = entries;
  const [row] = rows;
  if (first === undefined || row === undefined) throw new Error('a work has a part');
  const one = { ...identity, ...first, projectID: row.project_id };
  const agentIDs = [...new Set(rows.flatMap(({ agent_ids: ids }) => JSON.parse(ids) as string[]))];
  const isAboutAgent = first.target.kind === 'agent' && agentIDs.length <= 1;
  const counted = agentIDs.length === 0 || isAboutAgent ? {} : countOf(agentIDs);
  return {
    ...one,
    actor: { ...foldMembers(entries.map(({ actor }) => actor)), kind: first.actor.kind },
    address: same(entries.map(({ address }) => address)),
    requestID: same(entries.map(({ requestID }) => requestID)),
    target:
      agentIDs.length > 1 && first.target.kind === 'agent'
        ? { kind: 'agent', id: null, name: null }
        : first.target,
    before: same(entries.map(({ before }) => before)),
    after: foldValues(
      entries.map(({ after }) => after),
      counted,
    ),
  };
}

function countOf(agentIDs: readonly string[]) {
  return { agentsCount: agentIDs.length, agentIDs: agentIDs.slice(0, maxAgentIDs) };
}

function foldValues(values: readonly JsonValue[], counted: Readonly<Record<string, JsonValue>>): JsonValue {
  const objects = values.map((value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, JsonValue>) // checked above
      : {},
  );
  const folded = { ...foldMembers(objects), ...counted };
  return Object.keys(folded).length === 0 ? null : folded;
}

/** The members that all objects have with the same value; others are null. */
function foldMembers<Members extends Readonly<Record<string, JsonValue>>>(objects: readonly Members[]) {
  const [first] = objects;
  if (first === undefined) throw new Error('a work has a part');
  return Object.fromEntries(
    Object.keys(first).map((name) => [name, same(objects.map((one) => one[name] ?? null))]),
  ) as { readonly [Name in keyof Members]: Members[Name] | null };
}

function same<Value extends JsonValue>(values: readonly Value[]): Value | null {
  const [first] = values;
  if (first === undefined) return null;
  const text = canonicalJson(first);
  return values.every((value) => canonicalJson(value) === text) ? first : null;
}
