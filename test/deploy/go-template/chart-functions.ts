import { stringify } from 'yaml';
import { type Functions, isTrue, printed, type Value } from './evaluate-template.ts';

/** What the chart uses of the functions of Go, Sprig and Helm. `include` comes with the templates. */
export const chartFunctions: Functions = {
  and: (...given) => given.find((value) => !isTrue(value)) ?? last(given),
  or: (...given) => given.find(isTrue) ?? last(given),
  not: (...given) => !isTrue(only(given)),
  gt: (...given) => {
    const [one, other] = numbers(given, 2);
    return Number(one) > Number(other);
  },
  printf: (format = '', ...given) => {
    const parts = printed(format).split('%s');
    if (parts.length !== given.length + 1 || parts.join('').includes('%')) {
      throw new Error(`printf with another format than %s: ${printed(format)}`);
    }
    return parts.map((part, index) => part + (index < given.length ? text(given[index]) : '')).join('');
  },
  default: (fallback = null, ...given) => {
    const value = only(given);
    return isTrue(value) ? value : fallback;
  },
  int: (...given) => Math.trunc(numbers(given, 1)[0] ?? 0),
  nindent: (width = null, ...given) => {
    const [spaces] = numbers([width], 1);
    const pad = ' '.repeat(spaces ?? 0);
    return `\n${pad}${text(only(given)).replaceAll('\n', `\n${pad}`)}`;
  },
  quote: (...given) => JSON.stringify(printed(only(given))),
  ternary: (yes = null, no = null, ...given) => (only(given) === true ? yes : no),
  // As in Helm: YAML 1.1, in which "yes" is a boolean, and lists as deep as their names.
  toYaml: (...given) =>
    stringify(only(given), {
      version: '1.1',
      sortMapEntries: true,
      indentSeq: false,
      lineWidth: 0,
    }).trimEnd(),
  trimSuffix: (suffix = null, ...given) => {
    const [end, whole] = [text(suffix), text(only(given))];
    return whole.endsWith(end) ? whole.slice(0, whole.length - end.length) : whole;
  },
  trunc: (length = null, ...given) => text(only(given)).slice(0, numbers([length], 1)[0]),
  upper: (...given) => text(only(given)).toUpperCase(),
};

function last(given: readonly Value[]): Value {
  const value = given.at(-1);
  if (value === undefined) throw new Error('An argument is missing.');
  return value;
}

function only(given: readonly Value[]): Value {
  if (given.length !== 1) throw new Error(`One argument is missing, or there are too many: ${given.length}`);
  return last(given);
}

function text(value: Value | undefined): string {
  if (typeof value !== 'string') throw new Error(`No text: ${JSON.stringify(value) ?? 'nothing'}`);
  return value;
}

function numbers(given: readonly Value[], count: number): number[] {
  const found = given.filter((value) => typeof value === 'number');
  if (found.length !== count || given.length !== count)
    throw new Error(`Not ${count} numbers: ${JSON.stringify(given)}`);
  return found;
}
