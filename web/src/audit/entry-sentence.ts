import type { AuditEntry } from '@muster/client';
import { auditTexts } from '../texts/audit.ts';
import { auditSentences, ownSentences } from '../texts/audit-sentences.ts';
import { numberIn, type Sentence, say } from './sentence.ts';

/** Who did what. */
export function entrySentence(entry: AuditEntry): Sentence {
  // A newer service may record actions that are not known here.
  const tell = auditSentences[entry.action] as ((entry: AuditEntry) => Sentence) | undefined;
  const told = (isOwn(entry) ? ownSentences[entry.action] : undefined) ?? tell;
  return say`${actorOf(entry)} ${told?.(entry) ?? auditTexts.unknownAction(entry.action)}`;
}

/** True if somebody did it to themselves. Agents change only themselves, and many are recorded together without their ids. */
function isOwn({ actor, target }: AuditEntry): boolean {
  return actor.id === target.id && (actor.id !== null || (actor.kind === 'agent' && target.kind === 'agent'));
}

function actorOf(entry: AuditEntry): Sentence {
  const { kind, id } = entry.actor;
  // An agent names itself, so its name then stands at what it did.
  const name = entry.actor.name ?? (isOwn(entry) ? entry.target.name : null);
  const named = name === null ? (id ?? auditTexts.several) : { name };
  if (kind === 'user') return [named];
  if (kind === 'system')
    return name === null ? [auditTexts.service] : [`${auditTexts.service} (`, { name }, ')'];
  if (name === null && id === null)
    return [
      kind === 'agent'
        ? auditTexts.severalAgents(numberIn(entry.after, 'agentsCount'))
        : auditTexts.severalTokens,
    ];
  const kinds = {
    agent: auditTexts.agent,
    core_instance: auditTexts.coreInstance,
    project_token: auditTexts.token,
  };
  return [`${kinds[kind]} `, named];
}
