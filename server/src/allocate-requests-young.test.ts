import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const file = fileURLToPath(new URL('./allocate-requests-young.ts', import.meta.url));

/** Runs a program whose objects all survive; answers the places in its code that V8 allocates in the old generation from then on. */
async function runWithSurvivors(before: string): Promise<string[]> {
  const script = `
    ${before}
    const kept = [];
    function make(value) { return { value, list: [value] }; }
    for (let value = 0; value < 400_000; value += 1) kept.push(make(value));
    console.log(kept.length);`;
  const flags = ['--max-semi-space-size=1', '--trace-pretenuring-statistics'];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, '--import', 'tsx', '--input-type=module', '--eval', script],
    { maxBuffer: 64 * 1024 * 1024 },
  );
  expect(stdout).toContain('400000');
  return stdout.split('\n').filter((line) => line.endsWith('=> tenure'));
}

describe('allocateRequestsYoung', () => {
  it('has V8 allocate in the young generation, whatever survives', async () => {
    const call = `import { allocateRequestsYoung } from ${JSON.stringify(file)}; allocateRequestsYoung();`;
    expect(await runWithSurvivors(call)).toEqual([]);
  });

  it('is needed: V8 by itself allocates in the old generation where objects survive', async () => {
    expect(await runWithSurvivors('')).not.toEqual([]);
  });
});
