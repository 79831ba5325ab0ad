import {
  type CoreInstanceErrors,
  type CoreInstanceItem,
  maxErrorsPerItem,
  type Problem,
} from '@muster/contract';
import type { SignOfLife } from '../listening/signs-of-life.ts';
import { FoldedItems } from '../spool/fold-items.ts';
import type { ReportTarget, SentBy, SpooledError, SpooledItem } from '../spool/spooled-item.ts';

/**
 * The items of a batch, in the order of the spool. Errors that one sender reported of one agent are one item, as long as no state comes between them,
 * which could be that of the same agent.
 */
export function toBatchItems(spooled: readonly SpooledItem[]): CoreInstanceItem[] {
  const folded = new FoldedItems();
  for (const item of spooled) folded.add(item);
  const items: CoreInstanceItem[] = [];
  let open = new Map<string, CoreInstanceErrors>();
  for (const item of folded.items) {
    if (item.kind !== 'error') {
      open = new Map();
      items.push(toStateItem(item));
      continue;
    }
    const { error, firstAt, lastAt, count } = item;
    const key = senderKeyOf(item);
    const earlier = open.get(key);
    if (earlier !== undefined && earlier.errors.length < maxErrorsPerItem) {
      earlier.errors.push({ error, firstAt, lastAt, count });
      continue;
    }
    const errors: CoreInstanceErrors = {
      kind: 'errors',
      by: item.by,
      ...namesOf(item.target),
      errors: [{ error, firstAt, lastAt, count }],
    };
    open.set(key, errors);
    items.push(errors);
  }
  return items;
}

export function toSignItem({ at, by, target, heartbeat }: SignOfLife): CoreInstanceItem {
  return { kind: 'heartbeat', at, by, ...namesOf(target), heartbeat };
}

/** How many reports or changes of an item were refused. Of errors, the centre names those that it did not store, unless it refused them all. */
export function weightOfRefused(item: CoreInstanceItem, { fields = [] }: Problem): number {
  if (item.kind !== 'errors') return 1;
  const named = fields.flatMap(({ path }) => item.errors[Number(/^\/errors\/(\d+)$/.exec(path)?.[1])] ?? []);
  const refused = named.length > 0 ? named : item.errors;
  return refused.reduce((sum, { count }) => sum + count, 0);
}

function toStateItem(item: Exclude<SpooledItem, SpooledError>): CoreInstanceItem {
  switch (item.kind) {
    case 'registration': {
      const { kind, at, agentID, tokenDigest, tokenID, agent } = item;
      // It was validated when it came.
      const described = agent as { name: string; machineID: string };
      return { kind, at, agentID, tokenDigest, tokenID, agent: described };
    }
    case 'update': {
      const { kind, at, agentID, by, agent } = item;
      return { kind, at, agentID, by, agent };
    }
    case 'end': {
      const { at, by, target, heartbeat } = item;
      return { kind: 'heartbeat', at, by, ...namesOf(target), heartbeat };
    }
  }
}

function namesOf(target: ReportTarget) {
  if ('agentID' in target) return { agentID: target.agentID };
  return target.name === undefined
    ? { machineID: target.machineID }
    : { machineID: target.machineID, name: target.name };
}

function senderKeyOf({ by, target }: { readonly by: SentBy; readonly target: ReportTarget }): string {
  return JSON.stringify([by, namesOf(target)]);
}
