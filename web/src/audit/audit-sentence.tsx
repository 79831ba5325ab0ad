import type { AuditEntry } from '@muster/client';
import { entrySentence, type SentencePart } from '@muster/contract';
import { MarkedText } from '../parts/marked-text.tsx';
import { NameText } from '../parts/name-text.tsx';

/** Who did what, in a sentence. */
export function AuditSentence({ entry }: { readonly entry: AuditEntry }) {
  return entrySentence(entry).map((part, place) => {
    if (typeof part === 'string') return part;
    // biome-ignore-start lint/suspicious/noArrayIndexKey: parts have no other identity, and are never moved
    if ('name' in part) return <NameText key={place} text={part.name} />;
    if (!('quote' in part)) return textOf(part);
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
  return entrySentence(entry).map(textOf).join('');
}

/** The table of the entry has the id of a cause. */
function textOf(part: SentencePart): string {
  if (typeof part === 'string') return part;
  if ('name' in part) return part.name;
  if ('quote' in part) return `“${part.quote}”`;
  return 'time' in part ? minute.format(Date.parse(part.time)) : '';
}

/** Such as `Nov 22, 2026, 14:05`. */
const minute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
