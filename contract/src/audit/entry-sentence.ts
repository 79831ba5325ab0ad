import { countOf } from '../count-of.ts';
import type { AuditEntry } from '../schemas/audit.ts';
import { auditSentences, ownSentences } from './audit-sentences.ts';
import { numberIn } from './entry-values.ts';
import { type Sentence, say } from './sentence.ts';

/** A sentence that says who did what. Ids and long lists are in the JSON form alone. If it begins with a name, that is of a person. */
export function entrySentence(entry: AuditEntry): Sentence {
  // A newer service may record actions that are not known here.
  const tell = auditSentences[entry.action] as (typeof auditSentences)[AuditEntry['action']] | undefined;
  const told = (isOwn(entry) ? ownSentences[entry.action] : undefined) ?? tell;
  const { subject, because } = actorOf(entry);
  const unknown = say`did something that this version does not know: ${{ quote: entry.action }}`;
  return say`${subject} ${told?.(entry) ?? unknown}${because}`;
}

/** True if somebody did it to themselves. Agents change only themselves, and many are recorded together without their ids. */
function isOwn({ actor, target }: AuditEntry): boolean {
  return actor.id === target.id && (actor.id !== null || (actor.kind === 'agent' && target.kind === 'agent'));
}

interface ToldActor {
  readonly subject: Sentence;
  /** Why the service did it, at the end of the sentence. */
  readonly because?: string | Sentence;
}

function actorOf(entry: AuditEntry): ToldActor {
  const { actor, target, after } = entry;
  const { kind, id } = actor;
  if (kind === 'system') return serviceOf(entry);
  // The name of an agent is recorded with what it did to itself.
  const name = actor.name ?? (isOwn(entry) ? target.name : null) ?? id;
  if (kind === 'user') return { subject: [name === null ? 'Somebody' : { name }] };
  if (name !== null) return { subject: say`The ${actorNouns[kind]} ${{ name }}` };
  const agents = numberIn(after, 'agentsCount');
  if (kind === 'agent' && agents > 0) return { subject: [countOf(agents, 'agent')] };
  return { subject: say`Several ${actorNouns[kind]}s` };
}

const actorNouns = { agent: 'agent', core_instance: 'core instance', project_token: 'token' } as const;

function serviceOf({ actor: { name }, action }: AuditEntry): ToldActor {
  const subject = ['The service'];
  if (name === null) return { subject };
  // The service names what ended a mute.
  if (action === 'agent_error_group.unmuted') return { subject, because: `, because ${name}` };
  return { subject: say`The service (${{ name }})`, ...services[name] };
}

/** What made the service act, by the name that it records. */
const services: Readonly<Record<string, Partial<ToldActor>>> = {
  'start of the service': { subject: ['The service'], because: ' when it started' },
  'first use of a newer value': { subject: ['The service'], because: ', because a newer one was used' },
  'muster admin reset-token': {
    subject: say`Somebody with the command ${{ name: 'muster admin reset-token' }}`,
  },
  MUSTER_PROVISION_FILE: { subject: ['The file of MUSTER_PROVISION_FILE'] },
  MUSTER_FORGET_AGENTS_DAYS: { subject: ['The service'], because: ', as MUSTER_FORGET_AGENTS_DAYS says' },
  'identity provider': { subject: ['The identity provider'] },
  rollouts: { subject: ['The service'] },
  'report of a leak': { subject: ['The service'] },
};
