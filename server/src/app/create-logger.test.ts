import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLogger } from './create-logger.ts';

/** What the log prints for some lines. */
function linesOf(options: Partial<Parameters<typeof createLogger>[0]>): string[] {
  let printed = '';
  const stream = new PassThrough();
  stream.on('data', (chunk) => {
    printed += String(chunk);
  });
  const logger = createLogger({
    level: 'info',
    format: undefined,
    isTerminal: false,
    destination: stream,
    ...options,
  });
  logger.info({ status: 404, route: 'none' }, 'answered');
  logger.debug('not shown');
  logger.error({ err: new Error('no disk') }, 'a background task failed');
  logger.child({ reqId: 'one' }).warn('of a request');
  return printed.split('\n').filter((line) => line !== '');
}

const escapeCharacter = String.fromCharCode(27);

describe('the log', () => {
  it.each([
    { format: undefined, isTerminal: false },
    { format: 'json', isTerminal: true },
  ] as const)('is JSON with levels as words and times in UTC: %j', (options) => {
    const lines = linesOf(options).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      ['info', 'answered'],
      ['error', 'a background task failed'],
      ['warn', 'of a request'],
    ]);
    expect(lines[0]).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      pid: process.pid,
      hostname: expect.any(String),
      status: 404,
      route: 'none',
      msg: 'answered',
    });
    expect(lines[1]).toMatchObject({ err: { type: 'Error', message: 'no disk' } });
    expect(lines[2]).toMatchObject({ reqId: 'one' });
  });

  it('is text without colours if the format says so', () => {
    const lines = linesOf({ format: 'text' });
    expect(lines[0]).toMatch(/^\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\] INFO: answered$/);
    expect(lines).toEqual(
      expect.arrayContaining([
        '    status: 404',
        '    route: "none"',
        expect.stringMatching(/ ERROR: a background task failed$/),
        expect.stringMatching(/ WARN: of a request$/),
        '    reqId: "one"',
      ]),
    );
    expect(lines.join('')).not.toContain(escapeCharacter);
  });

  it('is text with colours on a terminal', () => {
    const text = linesOf({ isTerminal: true }).join('\n');
    expect(text).toContain(
      `${escapeCharacter}[32mINFO${escapeCharacter}[39m: ${escapeCharacter}[36manswered${escapeCharacter}[39m`,
    );
  });
});
