import {
  allows,
  type EventType,
  eventPermissions,
  eventTypes,
  type Grant,
  isEventType,
} from '@muster/contract';
import { requireGrant } from '../../foundation/credentials/principal.ts';
import { Refusal } from '../../foundation/refusal.ts';

/** The types of events that a listener has asked for. */
export interface ListenedTypes {
  readonly asked: ReadonlySet<string>;
  /** True if the listener named types. It is refused if it may not read one of them. Otherwise, it gets the types that it may read. */
  readonly areNamed: boolean;
}

/**
 * @param text from the query: names such as `agent.deleted` or `agent.*`, separated by commas. Absent: all types
 * @throws Refusal invalid_query_parameter
 */
export function parseTypes(text: string | undefined): ListenedTypes {
  if (text === undefined) return { asked: new Set(eventTypes), areNamed: false };
  const asked = new Set(text.split(',').flatMap((name) => typesNamed(name.trim())));
  return { asked, areNamed: true };
}

function typesNamed(name: string): readonly EventType[] {
  const found = name.endsWith('.*')
    ? eventTypes.filter((type) => type.startsWith(name.slice(0, -1)))
    : eventTypes.filter((type) => type === name);
  if (found.length > 0) return found;
  const message = `contains '${name}', which is no type of event; known types: ${eventTypes.join(', ')}`;
  throw new Refusal('invalid_query_parameter', {
    detail: `The query parameter 'types' ${message}.`,
    fields: [{ path: 'types', message }],
  });
}

/**
 * @param held the permissions of the caller in the project
 * @throws Refusal permission_denied if the caller may not read a type that it named, or may not read any type
 */
export function requireReadable(held: readonly Grant[], types: ListenedTypes): void {
  const asked = eventTypes.filter((type) => types.asked.has(type));
  const refused = asked.filter((type) => !allows(held, eventPermissions[type]));
  const [first] = refused;
  if (first === undefined || (!types.areNamed && refused.length < asked.length)) return;
  requireGrant(held, eventPermissions[first]);
}

/**
 * The types that a caller asked for and may read, as a text with a 1 or a 0 for each type: listeners with the same text get the same events.
 *
 * @param held the permissions of the caller in the project
 */
export function selectTypes(held: readonly Grant[], { asked }: ListenedTypes): string {
  return eventTypes
    .map((type) => (asked.has(type) && allows(held, eventPermissions[type]) ? '1' : '0'))
    .join('');
}

export function selects(selection: string, type: string): boolean {
  return isEventType(type) && selection[eventTypes.indexOf(type)] === '1';
}
