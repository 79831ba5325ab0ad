import type { AuditChain, AuditEntry } from '@muster/client';
import { ChainCheck, type KeptHead } from './chain-check.ts';

/** The result for one log. */
export interface CheckedLog {
  readonly chain: AuditChain;
  readonly count: number;
  readonly last: KeptHead;
  /** A sentence; undefined: the log is whole. */
  readonly fault: string | undefined;
}

/**
 * Checks the lines of an export, which may have several logs. Ends after the first log with a fault.
 *
 * @throws InvalidExport
 */
export async function* checkLines(
  lines: AsyncIterable<string>,
  kept: KeptHead | undefined,
): AsyncGenerator<CheckedLog> {
  let current: { readonly chain: AuditChain; readonly check: ChainCheck } | undefined;
  let number = 0;
  const result = (fault: string | undefined): CheckedLog[] =>
    current === undefined
      ? []
      : [{ chain: current.chain, count: current.check.count, last: current.check.last, fault }];
  for await (const line of lines) {
    number += 1;
    if (line === '') continue;
    const value = parse(line, number);
    if (isChain(value)) {
      const fault = current?.check.end();
      yield* result(fault);
      if (fault !== undefined) return;
      current = { chain: value, check: new ChainCheck(value, kept) };
      continue;
    }
    if (current === undefined || !isEntry(value)) throw new InvalidExport(number);
    const fault = current.check.add(value);
    if (fault !== undefined) {
      yield* result(fault);
      return;
    }
  }
  yield* result(current?.check.end());
}

/** The file is no export of an audit log. */
export class InvalidExport extends Error {
  override readonly name = 'InvalidExport';

  constructor(line: number) {
    super(`line ${line} is not from 'muster audit export'`);
  }
}

function parse(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new InvalidExport(number);
  }
}

function isChain(value: unknown): value is AuditChain {
  return (
    isObject(value) && value.format === 'muster-audit-log/1' && isObject(value.anchor) && isObject(value.head)
  );
}

function isEntry(value: unknown): value is AuditEntry {
  return isObject(value) && typeof value.sequence === 'number' && typeof value.digest === 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
