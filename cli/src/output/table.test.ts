import { describe, expect, it } from 'vitest';
import { formatTable } from './table.ts';

const id = '0192f0a0-0000-7000-8000-000000000000';
const columns = [
  { title: 'ID' },
  { title: 'NAME', isFlexible: true },
  { title: 'STATUS', leaveOut: 1 },
  { title: 'ERROR', isFlexible: true, leaveOut: 2 },
];
const rows = [
  [id, 'web-01', 'healthy', 'no upstream connections available to forward'],
  [id, 'a-host-with-quite-a-long-name', 'unhealthy', ''],
];
const format = (width: number | undefined, hasHead = true) => formatTable({ columns, rows, width, hasHead });
const widthsOf = (text: string) => text.split('\n').map((line) => line.length);

describe('a table', () => {
  it('has its full width outside a terminal', async () => {
    expect(await format(undefined)).toBe(
      [
        'ID                                    NAME                           STATUS     ERROR',
        `${id}  web-01                         healthy    no upstream connections available to forward`,
        `${id}  a-host-with-quite-a-long-name  unhealthy`,
        '',
      ].join('\n'),
    );
  });

  it('fits the terminal by cutting flexible columns', async () => {
    expect(await format(100)).toBe(
      [
        'ID                                    NAME                      STATUS     ERROR',
        `${id}  web-01                    healthy    no upstream connections …`,
        `${id}  a-host-with-quite-a-lon…  unhealthy`,
        '',
      ].join('\n'),
    );
  });

  it('leaves columns out on a narrow terminal, and never cuts an id', async () => {
    expect(await format(60)).toBe(
      [
        'ID                                    NAME         STATUS',
        `${id}  web-01       healthy`,
        `${id}  a-host-wit…  unhealthy`,
        '',
      ].join('\n'),
    );
    expect(await format(20, false)).toBe(`${id}  web-01\n${id}  a-host-…\n`);
  });

  it.each([47, 60, 80, 100, 132, 400])('fits %i columns', async (width) => {
    expect(Math.max(...widthsOf(await format(width)))).toBeLessThanOrEqual(width);
  });

  it('counts wide characters as two', async () => {
    const text = await formatTable({
      columns: [{ title: 'NAME', isFlexible: true }, { title: 'B' }],
      rows: [
        ['東京', 'b'],
        ['abcd', 'b'],
      ],
      width: 40,
      hasHead: false,
    });
    expect(text).toBe('東京  b\nabcd  b\n');
  });

  it('never cuts through a wide character or one of several code points', async () => {
    const text = await formatTable({
      columns: [{ title: 'NAME', isFlexible: true }, { title: 'B' }],
      rows: [
        ['東京都庁舎前駅', 'b'],
        ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 'b'],
      ],
      width: 11,
      hasHead: false,
    });
    expect(text).toBe('東京都…   b\n👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦…   b\n');
  });

  it('aligns numbers to the right, and decorates them without their blanks', async () => {
    const text = await formatTable({
      columns: [{ title: 'ERRORS', isRightAligned: true }, { title: 'NAME' }],
      rows: [
        ['7', 'a'],
        ['1,155', ''],
      ],
      width: 80,
      hasHead: true,
      decorateCell: (cell) => `<${cell}>`,
    });
    expect(text).toBe('ERRORS  NAME\n     <7>  <a>\n <1,155>\n');
  });

  it('leaves out a column rather than cut another below its minimum', async () => {
    const layout = (width: number) =>
      formatTable({
        columns: [
          { title: 'A', leaveOut: 1 },
          { title: 'CAUSE', isFlexible: true, minWidth: 12 },
          { title: 'TYPE', isFlexible: true },
        ],
        rows: [['aaaa', 'no upstream connections', 'fluentbit 5.1.1']],
        width,
        hasHead: false,
      });
    expect(await layout(28)).toBe('aaaa  no upstream…  fluentb…\n');
    expect(await layout(27)).toBe('no upstream…  fluentbit 5.…\n');
    expect(await layout(22)).toBe('no upstream…  fluentb…\n');
  });

  it('breaks the last column between words into as many lines as it may take', async () => {
    const layout = (text: string, maxLines: number) =>
      formatTable({
        columns: [{ title: 'ID' }, { title: 'CAUSE', isFlexible: true, maxLines }],
        rows: [
          ['a1', text],
          ['b2', 'short'],
        ],
        width: 20,
        hasHead: true,
        decorateCell: (cell) => `<${cell}>`,
      });
    expect(await layout('no upstream connections available', 1)).toBe(
      'ID  CAUSE\n<a1>  <no upstream con…>\n<b2>  <short>\n',
    );
    expect(await layout('no upstream connections available', 2)).toBe(
      'ID  CAUSE\n<a1>  <no upstream>\n    connections ava…\n<b2>  <short>\n',
    );
    expect(await layout('no upstream connections available', 3)).toBe(
      'ID  CAUSE\n<a1>  <no upstream>\n    connections\n    available\n<b2>  <short>\n',
    );
    expect(await layout('no upstream wörd', 3)).toBe('ID  CAUSE\n<a1>  <no upstream wörd>\n<b2>  <short>\n');
    expect(await layout('a-word-that-is-too-long for it', 3)).toBe(
      'ID  CAUSE\n<a1>  <a-word-that-is-…>\n<b2>  <short>\n',
    );
    expect(await layout('東京都庁舎前駅 東京都', 2)).toBe(
      'ID  CAUSE\n<a1>  <東京都庁舎前駅>\n    東京都\n<b2>  <short>\n',
    );
  });

  it('without rows is empty', async () => {
    expect(await formatTable({ columns, rows: [], width: 80, hasHead: false })).toBe('');
  });
});
