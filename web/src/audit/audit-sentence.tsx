import type { AuditEntry } from '@muster/client';
import { MarkedText } from '../parts/marked-text.tsx';
import { NameText } from '../parts/name-text.tsx';
import { auditTexts } from '../texts/audit.ts';
import { auditSentences } from '../texts/audit-sentences.ts';
import { type Sentence, say, textOf } from './sentence.ts';

/** Who did what, in a sentence. */
export function AuditSentence({ entry }: { readonly entry: AuditEntry }) {
  return wholeSentence(entry).map((part, place) => {
    if (typeof part === 'string') return part;
    // biome-ignore-start lint/suspicious/noArrayIndexKey: parts have no other identity, and are never moved
    if ('name' in part) return <NameText key={place} text={part.name} />;
    return (
      <q key={place}>
        <bdi dir="auto">
          <MarkedText text={part.quote} />
        </bdi>
      </q>
    );
    // biome-ignore-end lint/suspicious/noArrayIndexKey: parts have no other identity, and are never moved
  });
}

export function auditSentenceText(entry: AuditEntry): string {
  return textOf(wholeSentence(entry));
}

function wholeSentence(entry: AuditEntry): Sentence {
  // A newer service may record actions that are not known here.
  const tell = auditSentences[entry.action] as ((entry: AuditEntry) => Sentence) | undefined;
  return say`${actorOf(entry)} ${tell?.(entry) ?? auditTexts.unknownAction(entry.action)}`;
}

function actorOf({ actor: { kind, name, id } }: AuditEntry): Sentence {
  const named = name === null ? (id ?? auditTexts.several) : { name };
  if (kind === 'user') return [named];
  if (kind === 'system')
    return name === null ? [auditTexts.service] : [`${auditTexts.service} (`, { name }, ')'];
  if (name === null && id === null)
    return [kind === 'agent' ? auditTexts.severalAgents : auditTexts.severalTokens];
  return [`${kind === 'agent' ? auditTexts.agent : auditTexts.token} `, named];
}
