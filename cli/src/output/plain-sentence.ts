import type { Sentence, SentencePart } from '@muster/contract';
import { shortID } from './short-id.ts';

interface Writing {
  time(timestamp: string): string;
  /** Writes commands as the person can type them. */
  withCommands(text: string): string;
}

const asItIs: Writing = { time: pointInTime, withCommands: (text) => text };

/** A sentence as plain text. Names are quoted, but not that of a person with whom it begins. */
export function plainSentence(sentence: Sentence, writing: Partial<Writing> = {}): string {
  const written = sentence.map((part, place) =>
    place === 0 && typeof part !== 'string' && 'name' in part
      ? part.name
      : writePart(part, { ...asItIs, ...writing }),
  );
  return written.join('');
}

function writePart(part: SentencePart, { time, withCommands }: Writing): string {
  if (typeof part === 'string') return part;
  if ('name' in part) return `'${part.name}'`;
  if ('quote' in part) return `'${part.quote}'`;
  if ('time' in part) return time(part.time);
  return withCommands(`: muster error get ${shortID(part.causeID)}`);
}

/** `2026-11-30 14:21 UTC`: an entry is read long after it was made, when `in 3 d` would say nothing. */
function pointInTime(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`;
}
