import type { StoredEvent } from './event-store.ts';

/** An event as it is sent to listeners (WHATWG HTML section 9.2.5). JSON contains no line breaks, whatever its texts contain. */
export function frameOf({ sequence, type, data, created_at: createdAt }: StoredEvent): string {
  const at = new Date(createdAt).toISOString();
  const text = JSON.stringify({ type, at, ...(JSON.parse(data) as object) }); // written by this service
  return `id: ${sequence}\nevent: ${type}\ndata: ${text}\n\n`;
}

/** Tells a listener that it has missed events, and after which event it continues. */
export function resetFrame(sequence: number, now: number): string {
  const text = JSON.stringify({ type: 'reset', at: new Date(now).toISOString() });
  return `id: ${sequence}\nevent: reset\ndata: ${text}\n\n`;
}

/** A block without data is not an event, but the listener resumes from its id. */
export function openingFrame(sequence: number): string {
  return `retry: 1000\nid: ${sequence}\n\n`;
}

/** A comment, with the id from which the listener resumes. */
export function heartbeatFrame(sequence: number): string {
  return `: still here\nid: ${sequence}\n\n`;
}
