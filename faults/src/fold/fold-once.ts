import type { FoldRule, FoldStart } from './fold-rule.ts';
import { foldRules } from './fold-rules.ts';
import { endOfWord, isSuspectWord, isWordCode, kindOf } from './words.ts';

interface Folded {
  readonly pattern: string;
  /** False if a part stayed because of others that were folded. The next pass may fold it too. */
  readonly isStable: boolean;
}

/** Reads a text once, from left to right, and replaces each part at the first rule that matches there. */
export function foldOnce(text: string): Folded {
  if (!begins.test(text)) return { pattern: text, isStable: true };
  let pattern = '';
  /** Everything before this index is in the pattern, or was replaced. */
  let copied = 0;
  /** The end of the last replaced part. */
  let changed = 0;
  let lastBy = '';
  let isStable = true;
  /** True if quoted words may have stayed because they were too long, and may be shorter now. */
  let hasLongQuote = false;
  /** The end of quoted words that stay. */
  let closesAt = -1;
  let at = 0;
  while (at < text.length) {
    const start = kindOf(text.charCodeAt(at));
    const next = start === 'letter' || start === 'digit' ? endOfWord(text, at) : at + 1;
    if (start === undefined || at === closesAt || isPlain(text, at, next, start)) {
      at = next;
      continue;
    }
    const { joined, rules } = matchers[start];
    joined.lastIndex = at;
    const found = joined.exec(text);
    if (found === null) {
      if (start === 'quote') {
        closesAt = text.indexOf(text.charAt(at), at + 1);
        hasLongQuote ||= closesAt - at > maxValueLength;
      }
      at = next;
      continue;
    }
    const end = at + found[0].length;
    const rule = ruleOf(found, rules);
    const by = rule?.by;
    if (by === undefined) {
      isStable &&= changed === 0 || rule === undefined || staysAfter(text, changed, at, rule);
    } else {
      // `partitions 1, 2, 3`: lists of different lengths have the same cause.
      const isRepeat = by === lastBy && isListSeparator(text, copied, at);
      if (!isRepeat) pattern += text.slice(copied, at) + by;
      if (isRepeat || by !== found[0]) changed = end;
      // Quoted words may have stayed because of a blank that was removed.
      if (at < closesAt && (isRepeat || found[0].includes(' '))) isStable = false;
      if (start === 'quote') closesAt = -1;
      lastBy = by;
      copied = end;
    }
    at = end;
  }
  if (copied === 0) return { pattern: text, isStable: true };
  return { pattern: pattern + text.slice(copied), isStable: isStable && !(hasLongQuote && changed > 0) };
}

/** Quoted values are recognized up to this length. */
const maxValueLength = 126;

/** The maximum distance that a rule looks back or ahead. */
const maxLook = 128;

/** True if a part stays even without the text before an index. */
function staysAfter(text: string, from: number, at: number, { match }: FoldRule): boolean {
  if (at - from >= maxLook) return true;
  match.lastIndex = at - from;
  return match.test(text.slice(from, at + maxLook));
}

/** True if no rule can match here. `next` is the index after the word or the character. */
function isPlain(text: string, at: number, next: number, start: FoldStart): boolean {
  switch (start) {
    case 'letter':
      return !isSuspectWord(text, at, next);
    case 'digit':
    case 'placeholder':
      return false;
    case 'colon':
      return text.charCodeAt(at + 1) !== colon || followsWord(text, at);
    case 'quote':
    case 'slash':
      return followsWord(text, at);
  }
}

/** A placeholder is a word too. */
function followsWord(text: string, at: number): boolean {
  const before = at === 0 ? blank : text.charCodeAt(at - 1);
  return before === closingAngle || isWordCode(before);
}

const colon = 58;
const comma = 44;
const closingAngle = 62;
const blank = 32;

function isListSeparator(text: string, from: number, to: number): boolean {
  const length = to - from;
  return (
    (length === 1 || (length === 2 && text.charCodeAt(from + 1) === blank)) && text.charCodeAt(from) === comma
  );
}

/** Every folded part contains one of these. */
const begins = /[\d"'/<]|::|POD /;

interface Matcher {
  /** All rules with the same start, with one group per rule. */
  readonly joined: RegExp;
  readonly rules: readonly FoldRule[];
}

function matcherOf(start: FoldStart): Matcher {
  const rules = foldRules
    .filter((rule) => rule.start === start)
    .map((rule) => ({ ...rule, match: new RegExp(rule.match.source, 'y') }));
  return { joined: new RegExp(rules.map(({ match }) => `(${match.source})`).join('|'), 'y'), rules };
}

const matchers: Readonly<Record<FoldStart, Matcher>> = {
  digit: matcherOf('digit'),
  letter: matcherOf('letter'),
  quote: matcherOf('quote'),
  slash: matcherOf('slash'),
  placeholder: matcherOf('placeholder'),
  colon: matcherOf('colon'),
};

function ruleOf(found: RegExpExecArray, rules: readonly FoldRule[]): FoldRule | undefined {
  for (let index = 0; index < rules.length; index += 1)
    if (found[index + 1] !== undefined) return rules[index];
  return undefined;
}
