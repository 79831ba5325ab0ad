import type { AuditEntry } from '@muster/client';
import { countOf } from '../output/count-of.ts';
import { entrySentences, ownSentences } from './entry-sentences.ts';
import { numberIn, quote } from './entry-values.ts';

/**
 * A sentence that says who did what. Ids and long lists are in the JSON form alone.
 *
 * @param withCommands writes commands as the person can type them
 */
export function describeEntry(
  entry: AuditEntry,
  withCommands: (text: string) => string = (text) => text,
): string {
  // A newer service may record actions that are not known here.
  const tell = entrySentences[entry.action] as (typeof entrySentences)[AuditEntry['action']] | undefined;
  const told = (isOwn(entry) ? ownSentences[entry.action] : undefined) ?? tell;
  const { subject, because } = actorOf(entry);
  const did =
    told?.(entry, withCommands) ?? `did something that this version does not know: '${entry.action}'`;
  return `${subject} ${did}${because ?? ''}`;
}

/** True if somebody did it to themselves. Agents change only themselves, and many are recorded together without their ids. */
function isOwn({ actor, target }: AuditEntry): boolean {
  return actor.id === target.id && (actor.id !== null || (actor.kind === 'agent' && target.kind === 'agent'));
}

interface ToldActor {
  readonly subject: string;
  /** Why the service did it, at the end of the sentence. */
  readonly because?: string;
}

function actorOf(entry: AuditEntry): ToldActor {
  const { actor, target, after } = entry;
  const { kind, id } = actor;
  if (kind === 'system') return serviceOf(entry);
  // The name of an agent is recorded with what it did to itself.
  const name = actor.name ?? (isOwn(entry) ? target.name : null) ?? id;
  if (kind === 'user') return { subject: name ?? 'Somebody' };
  if (name !== null) return { subject: `The ${actorNouns[kind]} ${quote(name)}` };
  const agents = numberIn(after, 'agentsCount');
  if (kind === 'agent' && agents > 0) return { subject: countOf(agents, 'agent') };
  return { subject: `Several ${actorNouns[kind]}s` };
}

const actorNouns = { agent: 'agent', core_instance: 'core instance', project_token: 'token' } as const;

function serviceOf({ actor: { name }, action }: AuditEntry): ToldActor {
  if (name === null) return { subject: 'The service' };
  // The service names what ended a mute.
  if (action === 'agent_error_group.unmuted') return { subject: 'The service', because: `, because ${name}` };
  return services[name] ?? { subject: `The service (${name})` };
}

/** What made the service act, by the name that it records. */
const services: Readonly<Record<string, ToldActor>> = {
  'start of the service': { subject: 'The service', because: ' when it started' },
  'first use of a newer value': { subject: 'The service', because: ', because a newer one was used' },
  'muster admin reset-token': { subject: "Somebody with the command 'muster admin reset-token'" },
  MUSTER_PROVISION_FILE: { subject: 'The file of MUSTER_PROVISION_FILE' },
  MUSTER_FORGET_AGENTS_DAYS: { subject: 'The service', because: ', as MUSTER_FORGET_AGENTS_DAYS says' },
  'identity provider': { subject: 'The identity provider' },
  rollouts: { subject: 'The service' },
  'report of a leak': { subject: 'The service' },
};
