import { startFlags } from '@muster/server/start-flags';
import { describe, expect, it } from 'vitest';
import { type ReplaceableProcess, restartWithStartFlags } from './restart-with-start-flags.ts';

const program = '/lib/muster/dist/muster.mjs';

/** Returns the arguments of the program that replaces `muster serve`; undefined if none does. */
function restart(own: Partial<ReplaceableProcess> = {}): unknown {
  let replacement: unknown;
  restartWithStartFlags(
    {
      argv: ['/usr/bin/node', '/usr/bin/muster', 'serve', '--port', '80'],
      execArgv: ['--enable-source-maps'],
      execPath: '/usr/bin/node',
      env: { PATH: '/usr/bin' },
      platform: 'linux',
      connected: false,
      execve(...call) {
        replacement = call;
        return undefined;
      },
      ...own,
    },
    program,
  );
  return replacement;
}

describe('muster serve', () => {
  it('that was started without the flags of the service: is started anew with them', () => {
    expect(restart()).toEqual([
      '/usr/bin/node',
      ['/usr/bin/node', '--enable-source-maps', ...startFlags, program, 'serve', '--port', '80'],
      { PATH: '/usr/bin', MALLOC_ARENA_MAX: '1' },
    ]);
  });

  it('that was started with all flags: continues', () => {
    expect(restart({ execArgv: startFlags })).toBeUndefined();
  });

  it('that was started with other values: keeps them', () => {
    const execArgv = ['--allocation_site_pretenuring'];
    const env = { NODE_OPTIONS: '--no-warnings --max-semi-space-size=16', MALLOC_ARENA_MAX: '4' };
    const args = [
      '/usr/bin/node',
      ...execArgv,
      '--heap-growing-percent=50',
      '--no-parallel-scavenge',
      program,
      'serve',
      '--port',
      '80',
    ];
    expect(restart({ execArgv, env })).toEqual(['/usr/bin/node', args, env]);
  });

  it.each<[string, Partial<ReplaceableProcess>]>([
    ['a Node.js that cannot replace its program', { execve: undefined }],
    ['Windows', { platform: 'win32' }],
    ['a program that exchanges messages with the one that started it', { connected: true }],
  ])('on %s: continues without the flags', (_, own) => {
    expect(restart(own)).toBeUndefined();
  });
});
