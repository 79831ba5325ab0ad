import { describe, expect, it } from 'vitest';
import { checkAnswers, countCreatedReports, type Verdict } from './check-answers.ts';
import { readTrace } from './read-trace.ts';

const id = '01a1fc43-8512-7000-8000-0328117d5721';
const text = 'no route to host';
const log = '7</data/muster.db-wal>';

/** Lines in the format of strace, by their meaning. */
const lines = {
  inner: `10 pwrite64(${log}, "${'\\0'.repeat(24)}", 24, 32) = 24`,
  last: `10 pwrite64(${log}, "\\0\\0\\0\\2\\0\\0\\0\\37${'\\1'.repeat(16)}", 24, 4152) = 24`,
  row: `10 pwrite64(${log}, "\\0\\r${id}\\t${text}", 57, 56)  = ${2 + id.length + 1 + text.length}`,
  other: `10 pwrite64(${log}, "another page", 12, 4176) = 12`,
  sync: `10 fdatasync(${log})                 = 0`,
  failedSync: `10 fsync(${log}) = -1 EIO (Input/output error) (INJECTED)`,
  syncBegun: `10 fsync(${log} <unfinished ...>`,
  syncEnded: '10 <... fsync resumed>)            = 0',
  syncOfAnother: '10 fsync(8</data/muster.db>) = 0',
  answer: `9 write(21<TCP:[127.0.0.1:7400->127.0.0.1:50000]>, "HTTP/1.1 201 Created\\r\\nMuster-Agent-Error: created\\r\\n\\r\\n{\\"id\\":\\"${id}\\",\\"createdAt\\":\\"x\\"}", 120) = 120`,
  answerBegun: `9 write(21<TCP:[127.0.0.1:7400->127.0.0.1:50000]>, "HTTP/1.1 201 Created\\r\\n\\r\\n{\\"id\\":\\"${id}\\"}", 80 <unfinished ...>`,
  answerEnded: '9 <... write resumed>) = 80',
  futex: '11 futex(0x7f, FUTEX_WAKE_PRIVATE, 1) = 1',
  exit: '9 +++ exited with 0 +++',
} as const;

type Line = keyof typeof lines;

function judge(names: readonly Line[]): Verdict | undefined {
  const calls = readTrace(names.map((name) => lines[name]).join('\n'));
  return checkAnswers(calls, [{ id, parts: [id, text] }])[0];
}

describe('a trace in which', () => {
  it.each<[string, Verdict, Line[]]>([
    ['row, sync and answer follow each other', 'durable', ['last', 'row', 'sync', 'answer']],
    [
      'other threads come in between',
      'durable',
      ['last', 'futex', 'row', 'syncBegun', 'futex', 'syncEnded', 'answerBegun', 'exit', 'answerEnded'],
    ],
    [
      'the row is followed by the page that ends its commit',
      'durable',
      ['inner', 'row', 'last', 'other', 'sync', 'answer'],
    ],
    [
      'a sync fails, and the row is written and synced again',
      'durable',
      ['last', 'row', 'failedSync', 'last', 'row', 'sync', 'answer'],
    ],
    ['there is no sync', 'unsynced', ['last', 'row', 'answer']],
    ['the sync comes after the answer', 'unsynced', ['last', 'row', 'answer', 'sync']],
    ['the sync comes before the row', 'unsynced', ['sync', 'last', 'row', 'answer']],
    [
      'the sync ends after the answer was begun',
      'unsynced',
      ['last', 'row', 'syncBegun', 'answerBegun', 'syncEnded', 'answerEnded'],
    ],
    [
      'the sync began before the row was written',
      'unsynced',
      ['syncBegun', 'last', 'row', 'syncEnded', 'answer'],
    ],
    ['the sync is one of another file', 'unsynced', ['last', 'row', 'syncOfAnother', 'answer']],
    ['the sync fails', 'unsynced', ['last', 'row', 'failedSync', 'answer']],
    [
      'the sync fails, and the next one succeeds without what was lost',
      'unsynced',
      ['last', 'row', 'failedSync', 'sync', 'answer'],
    ],
    ['the row is not written', 'unwritten', ['last', 'other', 'sync', 'answer']],
    ['the row is written after the answer', 'unwritten', ['answer', 'last', 'row', 'sync']],
    ['the commit of the row is never ended', 'unwritten', ['inner', 'row', 'sync', 'answer']],
    ['nobody is answered', 'unanswered', ['last', 'row', 'sync']],
  ])('%s: %s', (_, verdict, names) => {
    expect(judge(names)).toBe(verdict);
  });

  it('a page is written in part: unwritten', () => {
    const short = lines.row.replace(/= \d+$/, '= 12');
    const calls = readTrace([lines.last, short, lines.sync, lines.answer].join('\n'));
    expect(checkAnswers(calls, [{ id, parts: [id, text] }])).toEqual(['unwritten']);
  });

  it('id and text are in two commits: unwritten', () => {
    const [one, two] = [lines.row.replace(text, '-'.repeat(16)), lines.row.replace(id, '-'.repeat(36))];
    const calls = readTrace(
      [lines.last, one, lines.sync, lines.last, two, lines.sync, lines.answer].join('\n'),
    );
    expect(checkAnswers(calls, [{ id, parts: [id, text] }])).toEqual(['unwritten']);
  });

  it('errors are answered as created: counts them', () => {
    expect(countCreatedReports(readTrace([lines.answer, lines.sync, lines.answer].join('\n')))).toBe(2);
  });
});
