import {
  CoreInstanceBatch,
  CoreInstanceErrors,
  CoreInstanceHeartbeat,
  type CoreInstanceItem,
  CoreInstancePoll,
  CoreInstanceRegistration,
  type CoreInstanceReport,
  CoreInstanceUpdate,
  coreInstanceProtocol,
  maxErrorsPerBatch,
  maxItemsPerBatch,
  maxRepeatsOfError,
} from '@muster/contract';
import type { TSchema } from 'typebox';
import { invalidBody, Refusal } from '../../foundation/refusal.ts';

/** A batch whose items are not read yet. */
export interface ReceivedBatch {
  readonly sequence: number;
  /** Null: the core instance has chosen none. */
  readonly id: string | null;
  readonly status: CoreInstanceReport;
  readonly items: readonly unknown[];
  /** How much it is: the number of items and of errors, and a part of the number of repeats. */
  readonly size: number;
  /** What agents sent: the number of items, and instead of those with errors that of their reports. */
  readonly received: number;
}

/** Makes what checks a value against a schema. It throws a Refusal. */
type Compile = (schema: TSchema) => (value: unknown) => void;

/** Reads an item. @throws Refusal invalid_body */
export type ReadItem = (item: unknown) => CoreInstanceItem;

/** Otherwise, numbers of repeats could be made too large to be represented within minutes. */
const repeatsPerItem = 1_000_000;

const itemSchemas = {
  registration: CoreInstanceRegistration,
  update: CoreInstanceUpdate,
  errors: CoreInstanceErrors,
  heartbeat: CoreInstanceHeartbeat,
  poll: CoreInstancePoll,
} as const;

/** Reads batches so that an item with a mistake is refused alone: a batch that is refused would be sent again and again. */
export function createReadBatch(compile: Compile): {
  readonly readBatch: (body: unknown) => ReceivedBatch;
  readonly readItem: ReadItem;
} {
  const validate = compile(CoreInstanceBatch);
  const validateItem = new Map<unknown, (item: unknown) => void>(
    Object.entries(itemSchemas).map(([kind, schema]) => [kind, compile(schema)]),
  );

  function readBatch(body: unknown): ReceivedBatch {
    const { items, ...others } = isObject(body) ? body : { items: [] };
    requireProtocol(others.protocol);
    validate(isObject(body) ? { ...others, items: Array.isArray(items) ? [] : items } : body);
    if (!Array.isArray(items) || items.length > maxItemsPerBatch) {
      throw invalidBody([{ path: '/items', message: `must have at most ${maxItemsPerBatch} items` }]);
    }
    const errors = items.flatMap(errorsOf);
    if (errors.length > maxErrorsPerBatch) {
      throw invalidBody([
        { path: '/items', message: `must have at most ${maxErrorsPerBatch} errors in all items together` },
      ]);
    }
    const { sequence, id, status } = others as unknown as CoreInstanceBatch; // as just validated
    const repeats = errors.reduce((sum: number, error) => sum + repeatsOf(error), 0);
    const size = items.length + errors.length + Math.floor(repeats / repeatsPerItem);
    const received = items.filter((item) => errorsOf(item).length === 0).length + repeats;
    return { sequence, id: id?.toLowerCase() ?? null, status, items, size, received };
  }

  function readItem(item: unknown): CoreInstanceItem {
    const kind = isObject(item) ? item.kind : undefined;
    const check = validateItem.get(kind);
    if (check === undefined) {
      throw invalidBody([
        { path: '/kind', message: `must be one of ${Object.keys(itemSchemas).join(', ')}` },
      ]);
    }
    check(item);
    return item as CoreInstanceItem; // as just validated
  }

  return { readBatch, readItem };
}

/** Of an item that is not validated yet. */
function errorsOf(item: unknown): readonly unknown[] {
  return isObject(item) && Array.isArray(item.errors) ? item.errors : [];
}

/** What is refused later counts as none: the site would have to wait for a number that nobody stores. */
function repeatsOf(error: unknown): number {
  if (!isObject(error) || typeof error.count !== 'number') return 0;
  return error.count > 0 && error.count <= maxRepeatsOfError ? error.count : 0;
}

/** @throws Refusal core_instance_too_old, which says which of the two is older */
function requireProtocol(protocol: unknown): void {
  if (typeof protocol !== 'number' || protocol === coreInstanceProtocol) return;
  throw new Refusal('core_instance_too_old', {
    detail:
      protocol < coreInstanceProtocol
        ? `The core instance speaks protocol ${protocol}, and this service ${coreInstanceProtocol}. Update the core instance. What waits at the site is kept until then.`
        : `The core instance speaks protocol ${protocol}, and this service only ${coreInstanceProtocol}. Update this service. What waits at the site is kept until then.`,
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
