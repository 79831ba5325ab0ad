import type { AuditEntry } from '@muster/client';
import { MarkedText } from '../parts/marked-text.tsx';
import { NameText } from '../parts/name-text.tsx';
import { entrySentence } from './entry-sentence.ts';
import { textOf } from './sentence.ts';

/** Who did what, in a sentence. */
export function AuditSentence({ entry }: { readonly entry: AuditEntry }) {
  return entrySentence(entry).map((part, place) => {
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
  return textOf(entrySentence(entry));
}
