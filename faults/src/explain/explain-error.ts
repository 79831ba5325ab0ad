import { catalogues } from '../catalogue/catalogues.ts';
import type { Catalogue, KnownFault } from '../catalogue/known-fault.ts';
import { nearestOf } from './nearest-of.ts';
import { matchPattern, parsePattern, type TextPattern } from './text-pattern.ts';

/** What a known error means, why it happens, and what to do. */
export interface Explanation {
  readonly id: string;
  readonly title: string;
  readonly meaning: string;
  readonly causes: readonly string[];
  /** Commands are in backticks. */
  readonly actions: readonly string[];
  /** A page of the agent's own documentation. */
  readonly link: string;
  /** The valid name nearest to the wrong one in the text. */
  readonly suggestion?: string;
}

/** Only this much of a longer text is read. */
const maxReadLength = 16_384;

/** The maximum number of names in a list that are compared with a wrong one. */
const maxNames = 1_000;

/**
 * Explains the text of an error; undefined when no catalogue knows it. Of several faults in one text it explains the one that says
 * most. `agentType` is the `type` of the agent; for an unknown type, or without it, all catalogues are used.
 */
export function explainError(text: string, agentType?: string): Explanation | undefined {
  // Some messages are known by the line break that ends them.
  const read = `${text.slice(0, maxReadLength)}\n`;
  const ofAgent = catalogues.some(({ types }) => agentType !== undefined && types.includes(agentType));
  let best: Match | undefined;
  for (const entry of candidatesFor(read)) {
    if (ofAgent && !entry.catalogue.types.includes(agentType ?? '')) continue;
    if (best !== undefined && !saysMore(entry, best.entry)) continue;
    const found = matchPattern(entry.pattern, read);
    if (found !== undefined) best = { entry, found };
  }
  return best === undefined ? undefined : toExplanation(best);
}

interface Entry {
  readonly fault: KnownFault;
  readonly catalogue: Catalogue;
  readonly pattern: TextPattern;
}

interface Match {
  readonly entry: Entry;
  readonly found: Readonly<Record<string, string>>;
}

const entries: readonly Entry[] = catalogues.flatMap((catalogue) =>
  catalogue.sections.flatMap(({ faults }) =>
    faults.flatMap((fault) =>
      fault.match.map((source) => ({ fault, catalogue, pattern: parsePattern(source) })),
    ),
  ),
);

/** Entries by their rarest word. A text is compared only with the entries whose word it contains. */
const entriesByWord: ReadonlyMap<string, readonly Entry[]> = indexByRarestWord();

function indexByRarestWord(): Map<string, Entry[]> {
  const counts = new Map<string, number>();
  for (const { pattern } of entries)
    for (const word of new Set(pattern.words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const index = new Map<string, Entry[]>();
  for (const entry of entries) {
    const [rarest] = entry.pattern.words.toSorted(
      (one, other) => (counts.get(one) ?? 0) - (counts.get(other) ?? 0),
    );
    if (rarest === undefined) throw new Error(`${entry.fault.id} has no complete word`);
    index.set(rarest, [...(index.get(rarest) ?? []), entry]);
  }
  return index;
}

function candidatesFor(text: string): ReadonlySet<Entry> {
  const found = new Set<Entry>();
  for (const [word] of text.matchAll(/\w+/g)) {
    for (const entry of entriesByWord.get(word) ?? []) found.add(entry);
  }
  return found;
}

/** A cause is more specific than its consequence, and a long match is more specific than a short one. */
function saysMore(one: Entry, other: Entry): boolean {
  const [isLess, isMore] = [one, other].map(({ fault }) => fault.isConsequence === true);
  return isLess === isMore ? one.pattern.length > other.pattern.length : !isLess;
}

function toExplanation({ entry: { fault, catalogue }, found }: Match): Explanation {
  const { id, title, meaning, causes, actions, link, suggests } = fault;
  const names = suggests === 'valid' ? namesIn(found.valid ?? '') : catalogue.names[suggests ?? ''];
  // The Collector lists all wrong keys: `receivrs, exportes`.
  const [wrong = ''] = (found.wrong ?? '').split(',');
  const suggestion = nearestOf(wrong.trim(), names ?? []);
  return { id, title, meaning, causes, actions, link, ...(suggestion === undefined ? {} : { suggestion }) };
}

/** `a, b, and c`, `a b c`, with or without quotation marks. */
function namesIn(list: string): string[] {
  return (list.match(/[\w./-]+/g) ?? []).filter((name) => name !== 'and' && name !== 'or').slice(0, maxNames);
}
