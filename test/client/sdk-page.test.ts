import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { presets } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../server/src/testing/start-test-app.ts';
import { readSource, root } from '../architecture/source-files.ts';
import { findMissingLines } from '../readme/read-blocks.ts';
import { bundle } from './bundle.ts';
import { compile, node } from './compile.ts';

const page = readSource('docs/sdk.md');
const programs = blocksOf('ts');
/** Each block of a page continues the one before, as in a module of its reader. */
const whole = programs.join('\n');

/** The state after the first start: one project. */
let test: TestApp;
let environment: Record<string, string>;
beforeAll(async () => {
  test = await startTestApp();
  const url = await test.app.http.listen({ host: '127.0.0.1', port: 0 });
  const { body } = await test.request<[{ id: string }]>('GET', '/v1/projects', {
    as: { access: test.admin },
  });
  const [{ id }] = body;
  const { token } = await test.createToken(id, presets.agent);
  environment = { MUSTER_URL: url, ADMIN_TOKEN: test.admin, PROJECT_TOKEN: token, PROJECT_ID: id };
});
afterAll(() => test?.close());

describe('the programs of docs/sdk.md', () => {
  it('are found, each with its output', () => {
    expect(programs.length).toBeGreaterThan(3);
    expect(blocksOf('text')).toHaveLength(programs.length);
  });

  it('compile', () => {
    expect(compile({ [`${root}/test/client/sdk-page.ts`]: whole }, node)).toEqual([]);
  });

  it('run and print the documented output', async () => {
    const args = ['--input-type=module', '-e', await bundle(whole)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment });
    const expected = blocksOf('text').join('');
    expect([findMissingLines(expected, stdout), stdout]).toEqual([[], stdout]);
  });
});

function blocksOf(language: string): string[] {
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, written]) => written === language)
    .map(([, , text = '']) => text);
}
