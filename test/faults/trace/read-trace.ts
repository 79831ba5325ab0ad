/** One system call of a trace. Line numbers give the order: `began` and `ended` differ if other calls came in between. */
export interface TracedCall {
  readonly name: string;
  /** The file of its first argument, as strace writes it: a path, or `TCP:[…]`. */
  readonly target: string;
  /** The bytes that were passed, one character each. */
  readonly data: string;
  /** Undefined if it did not end. */
  readonly result: number | undefined;
  readonly began: number;
  readonly ended: number;
  readonly isInjected: boolean;
}

interface BegunCall {
  readonly name: string;
  readonly args: string;
  readonly began: number;
}

const line = /^(\d+) +(.*)$/;
const whole = /^(\w+)\((.*)\) += (.*)$/;
const unfinished = /^(\w+)\((.*) <unfinished \.\.\.>$/;
const resumed = /^<\.\.\. (\w+) resumed>(.*)\) += (.*)$/;

/** Reads the output of `strace -f -yy -o`; calls are in the order in which they ended. */
export function readTrace(text: string): TracedCall[] {
  const calls: TracedCall[] = [];
  const begun = new Map<string, BegunCall>();
  text.split('\n').forEach((written, number) => {
    const [, process = '', rest = ''] = line.exec(written) ?? [];
    const start = unfinished.exec(rest);
    if (start !== null) {
      begun.set(process, { name: start[1] ?? '', args: start[2] ?? '', began: number });
      return;
    }
    const end = resumed.exec(rest);
    const start2 = end === null ? undefined : begun.get(process);
    if (end !== null && start2 !== undefined) {
      begun.delete(process);
      calls.push(toCall({ ...start2, args: `${start2.args}${end[2]}` }, end[3] ?? '', number));
      return;
    }
    const call = whole.exec(rest);
    if (call === null) return;
    calls.push(toCall({ name: call[1] ?? '', args: call[2] ?? '', began: number }, call[3] ?? '', number));
  });
  return calls;
}

function toCall({ name, args, began }: BegunCall, outcome: string, ended: number): TracedCall {
  const [, target = ''] = /^-?\d+<((?:[^<>]|->)*)>/.exec(args) ?? [];
  const [, result] = /^(-?\d+)/.exec(outcome) ?? [];
  return {
    name,
    target,
    data: [...args.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, quoted = '']) => unescapeBytes(quoted)).join(''),
    result: result === undefined ? undefined : Number(result),
    began,
    ended,
    isInjected: outcome.includes('(INJECTED)'),
  };
}

const named: Readonly<Record<string, string>> = { t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' };

/** A C string in the quoting of strace. */
function unescapeBytes(quoted: string): string {
  return quoted.replaceAll(/\\(?:([0-7]{1,3})|x([0-9a-f]{2})|(.))/g, (_, octal, hex, letter) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return named[letter] ?? letter;
  });
}
