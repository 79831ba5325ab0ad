import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { startFlags, startVariables } from '@muster/server/start-flags';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveMuster } from '../../server/src/testing/muster-process.ts';
import { readSource } from '../architecture/source-files.ts';
import { readImageSettings } from './deployment-files.ts';

const { scripts } = JSON.parse(readSource('package.json')) as { scripts: { start: string } }; // as npm reads it
const cannotReplace = !('execve' in process) || process.platform !== 'linux';
if (cannotReplace) {
  process.stderr.write(
    'Skipped, muster serve that gives itself flags: that takes Linux, and Node.js 22.15 or newer.\n',
  );
}

/** Runs a program whose objects all survive; returns the places in its code that V8 allocates in the old generation from then on. */
async function runWithSurvivors(flags: readonly string[]): Promise<string[]> {
  const script = `
    const kept = [];
    function make(value) { return { value, list: [value] }; }
    for (let value = 0; value < 400_000; value += 1) kept.push(make(value));
    console.log(kept.length);`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, '--max-semi-space-size=1', '--trace-pretenuring-statistics', '--eval', script],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  expect(stdout).toContain('400000');
  return stdout.split('\n').filter((line) => line.endsWith('=> tenure'));
}

describe('the flags that the service gets when it starts', () => {
  it('exist in this Node.js', () => {
    const { status, stderr } = spawnSync(process.execPath, [...startFlags, '--eval', ''], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('have V8 allocate in the young generation, whatever survives', async () => {
    expect(await runWithSurvivors(startFlags)).toEqual([]);
  });

  it('are needed: V8 by itself allocates in the old generation where objects survive', async () => {
    expect(await runWithSurvivors([])).not.toEqual([]);
  });

  it('are the same in the image and by npm start', () => {
    const entry = ['node', ...startFlags, '--enable-source-maps', 'cli/dist/muster.mjs'];
    const written = entry.map((part) => JSON.stringify(part)).join(', ');
    expect(readSource('deploy/Dockerfile')).toContain(`\nENTRYPOINT [${written}]\n`);
    expect(readImageSettings()).toMatchObject(startVariables);
    expect(scripts.start).toBe(`node ${startFlags.join(' ')} scripts/start.mjs`);
  });
});

describe.skipIf(cannotReplace)('muster serve', () => {
  it('gives itself the flags, and stays the same process', async () => {
    const service = serveMuster();
    onTestFinished(async () => {
      if (!service.hasEnded) await service.end('SIGKILL');
    });
    await service.ready();
    const given = readFileSync(`/proc/${service.pid}/cmdline`, 'utf8').split('\0');
    expect(given).toEqual(expect.arrayContaining([...startFlags]));
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(service.output).not.toContain('Warning');
  });
});
