import { type Position, Spool, startPosition } from '../spool/spool.ts';
import { defaultSpoolBounds, type SpoolBounds } from '../spool/spool-bounds.ts';
import type { SpoolEvent } from '../spool/spool-event.ts';
import type { SpoolFiles } from '../spool/spool-files.ts';
import type { SpooledError, SpooledRegistration, SpooledUpdate } from '../spool/spooled-item.ts';

export const hour = 60 * 60 * 1_000;
export const startedAt = Date.UTC(2026, 0, 1);

interface TestSpoolOptions {
  readonly bounds?: Partial<SpoolBounds>;
  readonly acknowledged?: Position;
  readonly pinned?: Position;
  readonly now?: () => number;
}

/** A spool, and what it tells. */
export async function openTestSpool(
  files: SpoolFiles,
  { bounds = {}, acknowledged = startPosition, pinned, now = () => startedAt }: TestSpoolOptions = {},
) {
  const events: SpoolEvent[] = [];
  const spool = await Spool.open({
    files,
    bounds: { ...defaultSpoolBounds, ...bounds },
    clock: now,
    monotonic: now,
    tell: (event) => events.push(event),
    acknowledged,
    pinned,
  });
  return { spool, events };
}

export function errorOf(error: string, fields: Partial<SpooledError> = {}): SpooledError {
  return {
    kind: 'error',
    by: { tokenID: 'token-1' },
    target: { agentID: 'agent-1' },
    error,
    firstAt: startedAt,
    lastAt: startedAt,
    count: 1,
    ...fields,
  };
}

export function updateOf(version: string, fields: Partial<SpooledUpdate> = {}): SpooledUpdate {
  return {
    kind: 'update',
    at: startedAt,
    agentID: 'agent-1',
    by: { agentID: 'agent-1' },
    agent: { version },
    ...fields,
  };
}

export function registrationOf(machineID: string): SpooledRegistration {
  return {
    kind: 'registration',
    at: startedAt,
    agentID: `agent of ${machineID}`,
    tokenDigest: 'ab'.repeat(32),
    tokenID: 'token-1',
    agent: { name: machineID, machineID },
  };
}
