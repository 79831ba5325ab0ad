import { describe, expect, it } from 'vitest';
import { createSiteLog } from './create-site-log.ts';

function logged(isTTY: boolean): string {
  let text = '';
  const stdout = { isTTY, write: (part: string) => (text += part) };
  const log = createSiteLog({ stdout, now: () => Date.parse('2026-03-02T10:20:30.456Z') });
  log.info('Muster is reached.');
  log.warn('It has no room.', { bytes: 5 });
  const error = new Error('broken');
  error.stack = 'Error: broken';
  log.error('It failed.', { err: error });
  return text;
}

describe('the log of a core instance', () => {
  it('is JSON, a line for each message, in the form of the log of the service', () => {
    expect(logged(false)).toBe(
      `{"level":"info","time":"2026-03-02T10:20:30.456Z","msg":"Muster is reached."}
{"level":"warn","time":"2026-03-02T10:20:30.456Z","bytes":5,"msg":"It has no room."}
{"level":"error","time":"2026-03-02T10:20:30.456Z","err":{"message":"broken","stack":"Error: broken"},"msg":"It failed."}
`,
    );
  });

  it('is for people on a terminal', () => {
    expect(logged(true)).toBe(
      `[10:20:30] INFO: Muster is reached.
[10:20:30] WARN: It has no room. bytes=5
[10:20:30] ERROR: It failed. err={"message":"broken","stack":"Error: broken"}
`,
    );
  });
});
