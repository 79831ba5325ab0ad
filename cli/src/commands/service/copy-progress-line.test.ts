import { describe, expect, it } from 'vitest';
import { CopyProgressLine } from './copy-progress-line.ts';

function start(isTTY: boolean, columns = 50) {
  const written: string[] = [];
  let now = 0;
  const output = { isTTY, columns, write: (text: string) => written.push(text) };
  const line = new CopyProgressLine(output, () => now);
  const showAt = (milliseconds: number, rows: number) => {
    now = milliseconds;
    line.show({ phase: 'copy', table: 'agent_errors', rows, totalRows: 5_000 });
  };
  return { line, showAt, written };
}

describe('the progress of a copy on a terminal', () => {
  it('is one line that changes at most once per second, and disappears at the end', () => {
    const { line, showAt, written } = start(true);
    showAt(0, 0);
    showAt(999, 1_000);
    showAt(1_000, 2_000);
    showAt(1_999, 3_000);
    line.end();
    line.end();
    expect(written).toEqual([
      '\rcopying agent_errors: 0 of 5,000 rows\x1b[K',
      '\rcopying agent_errors: 2,000 of 5,000 rows\x1b[K',
      '\r\x1b[K',
    ]);
  });

  it('is cut to the width of the terminal', () => {
    const { line, written } = start(true);
    line.show({ phase: 'verify', table: 'a_table_with_quite_a_long_name', rows: 1e9, totalRows: 2e9 });
    expect(written).toEqual(['\rverifying a_table_with_quite_a_long_name: 1,000,0\x1b[K']);
  });
});

describe('the progress of a copy on a terminal of unknown width', () => {
  it('is not cut', () => {
    const { showAt, written } = start(true, 0);
    showAt(0, 0);
    expect(written).toEqual(['\rcopying agent_errors: 0 of 5,000 rows\x1b[K']);
  });
});

describe('the progress of a copy in a file', () => {
  it('is a plain line, at most every ten seconds', () => {
    const { line, showAt, written } = start(false);
    showAt(0, 0);
    showAt(9_999, 1_000);
    showAt(10_000, 2_000);
    line.end();
    expect(written).toEqual([
      'copying agent_errors: 0 of 5,000 rows\n',
      'copying agent_errors: 2,000 of 5,000 rows\n',
    ]);
  });
});

describe('the progress of a quiet copy', () => {
  it('is not shown', () => {
    const line = new CopyProgressLine(undefined);
    line.begin('/data');
    line.show({ phase: 'copy', table: 'users', rows: 1, totalRows: 1 });
    line.end();
  });
});
