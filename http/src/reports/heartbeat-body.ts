import type { SendHeartbeat } from '@muster/contract';

const fields = ['heartbeatSeconds', 'status', 'exitCode', 'signal'] as const;

/**
 * Picks the known fields from the body of a heartbeat. A body that is not a JSON object is ignored, because stock agents
 * send the records of their `http` output in any format.
 */
export function takeHeartbeat(body: unknown): unknown {
  if (!(body instanceof Uint8Array)) return {};
  const parsed = parse(body);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return {};
  const given = parsed as Partial<Record<keyof SendHeartbeat, unknown>>; // checked by the schema afterwards
  return Object.fromEntries(
    fields
      .filter((field) => Object.hasOwn(given, field) && given[field] !== null)
      .map((field) => [field, given[field]]),
  );
}

function parse(body: Uint8Array): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
