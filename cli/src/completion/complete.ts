import type { CompletedCommand, CompletedFlag } from './command-tree.ts';
import type { Values } from './values.ts';

/** The candidates at the cursor. */
export type Completion =
  | {
      readonly kind: 'words';
      readonly words: readonly CompletedWord[];
      /** True if the word is incomplete, so that the shell adds no space after it. */
      readonly isPartial: boolean;
    }
  /** A file or directory, which the shell completes itself. `before` precedes the name: `--config=`, `sqlite:`. */
  | { readonly kind: 'files' | 'directories'; readonly before: string }
  /** The command line of another program, which begins at the word with that index. */
  | { readonly kind: 'command'; readonly start: number };

interface CompletedWord {
  /** The whole word, including the part that was typed. */
  readonly text: string;
  readonly summary: string;
}

/** Candidates that are stored on the user's computer. */
export interface CompletionSources {
  listProfiles(): Promise<readonly string[]>;
}

/**
 * Completes a command line.
 *
 * @param commands the tree of `muster`
 * @param words the words after `muster` up to the cursor; the last one is completed and may be empty
 */
export async function complete(
  commands: readonly CompletedCommand[],
  words: readonly string[],
  sources: CompletionSources,
): Promise<Completion> {
  const current = words.at(-1) ?? '';
  const place = findPlace(commands, words.slice(0, -1));
  const { command, flag, hasEnded } = place;
  if (flag?.value !== undefined) return completeValue(flag.value.values, '', current, sources);
  if (!hasEnded && /^--[^=]+=/.test(current)) {
    const name = current.slice(0, current.indexOf('='));
    const value = findFlag(command, name)?.value;
    if (value === undefined) return nothing;
    return completeValue(value.values, `${name}=`, current.slice(name.length + 1), sources);
  }
  if (!hasEnded && current.startsWith('-')) return completeFlags(command, current);
  return completeArgument(place, words, current, sources);
}

const nothing: Completion = { kind: 'words', words: [], isPartial: false };

/** The position of the cursor. */
interface Place {
  readonly command: CompletedCommand | undefined;
  /** The flag whose value is being typed. */
  readonly flag: CompletedFlag | undefined;
  /** True after `--`: the following words are not flags. */
  readonly hasEnded: boolean;
  /** The words before the cursor that are arguments of the command. */
  readonly argumentIndexes: readonly number[];
}

function findPlace(commands: readonly CompletedCommand[], before: readonly string[]): Place {
  let command = commands.find(({ path }) => path === '');
  let flag: CompletedFlag | undefined;
  let hasEnded = false;
  const argumentIndexes: number[] = [];
  for (const [index, word] of before.entries()) {
    if (flag !== undefined) flag = undefined;
    else if (!hasEnded && word === '--') hasEnded = true;
    else if (!hasEnded && /^-./.test(word)) flag = takesNextWord(command, word);
    else {
      const below = argumentIndexes.length === 0 ? findBelow(commands, command, word) : undefined;
      if (below === undefined) argumentIndexes.push(index);
      else command = below;
    }
  }
  return { command, flag, hasEnded, argumentIndexes };
}

function takesNextWord(command: CompletedCommand | undefined, word: string): CompletedFlag | undefined {
  const flag = findFlag(command, word);
  return flag?.value === undefined ? undefined : flag;
}

function findFlag(command: CompletedCommand | undefined, name: string): CompletedFlag | undefined {
  return command?.flags.find(({ long, short }) => name === long || name === short);
}

function findBelow(
  commands: readonly CompletedCommand[],
  command: CompletedCommand | undefined,
  name: string,
): CompletedCommand | undefined {
  const path = `${command?.path ?? ''} ${name}`.trim();
  return commands.find((one) => one.path === path || one.aliases.includes(path));
}

function completeFlags(command: CompletedCommand | undefined, current: string): Completion {
  const flags = command?.flags.map(({ long, summary }) => ({ text: long, summary })) ?? [];
  const end = command?.argument?.values.kind === 'command' ? [{ text: '--', summary: '' }] : [];
  // `--help` is well known and would hide the other flags.
  const offered = [...flags, ...end].filter(({ text }) => current !== '' || text !== '--help');
  return wordsFrom(offered, current);
}

async function completeArgument(
  { command, argumentIndexes, hasEnded }: Place,
  words: readonly string[],
  current: string,
  sources: CompletionSources,
): Promise<Completion> {
  if (command === undefined) return nothing;
  const { argument, subcommands } = command;
  if (subcommands.length > 0) {
    const names = subcommands.map(({ name, summary }) => ({ text: name, summary }));
    return argumentIndexes.length === 0 ? wordsFrom(names, current) : nothing;
  }
  const isDue = argument !== undefined && (argumentIndexes.length === 0 || argument.isVariadic);
  if (!isDue) return hasEnded ? nothing : completeFlags(command, current);
  if (argument.values.kind === 'command') {
    return { kind: 'command', start: argumentIndexes[0] ?? words.length - 1 };
  }
  return completeValue(argument.values, '', current, sources);
}

/** @param before precedes the value in the same word: `--preset=` */
async function completeValue(
  values: Values,
  before: string,
  current: string,
  sources: CompletionSources,
): Promise<Completion> {
  const list = (texts: readonly string[], isPartial = false): Completion =>
    wordsFrom(
      texts.map((text) => ({ text: before + text, summary: '' })),
      before + current,
      isPartial,
    );
  switch (values.kind) {
    case 'text':
    case 'command':
      return nothing;
    case 'words':
      return list(values.words);
    case 'list': {
      const chosen = current.slice(0, current.lastIndexOf(',') + 1);
      return list(values.words.map((word) => chosen + word));
    }
    case 'profile':
      return list(await sources.listProfiles());
    case 'file':
      return { kind: 'files', before };
    case 'directory':
      if (!current.startsWith(values.prefix)) return list([values.prefix], true);
      return { kind: 'directories', before: before + values.prefix };
  }
}

function wordsFrom(words: readonly CompletedWord[], current: string, isPartial = false): Completion {
  return { kind: 'words', words: words.filter(({ text }) => text.startsWith(current)), isPartial };
}
