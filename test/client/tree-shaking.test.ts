import { gzipSync } from 'node:zlib';
import { routes } from '@muster/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundle } from './bundle.ts';

let one: string;
let all: string;

beforeAll(async () => {
  [one, all] = await Promise.all([
    bundle(`
      import { createAgentError, createClient } from '@muster/client';
      const client = createClient({ url: 'http://127.0.0.1:7400', credential: { agentToken: 'mst_a_1' } });
      globalThis.report = (agentID: string, error: string) => createAgentError(client, { agentID, body: { error } });
    `),
    bundle(`
      import * as sdk from '@muster/client';
      globalThis.sdk = { ...sdk };
    `),
  ]);
});

/** Operations whose id is in a bundle as a text: each function has its own in its descriptor. */
function operationsIn(code: string): string[] {
  return Object.keys(routes).filter((id) => new RegExp(`["'\`]${id}["'\`]`).test(code));
}

describe('a program that uses one function', () => {
  it('contains only that function', ({ annotate }) => {
    expect(operationsIn(one)).toEqual(['createAgentError']);
    expect(operationsIn(all)).toEqual(Object.keys(routes));
    return annotate(`one function: ${sizeOf(one)}; all: ${sizeOf(all)}`);
  });

  it('is small', () => {
    expect(one.length).toBeLessThan(11_500);
    expect(gzipSync(one).length).toBeLessThan(4_800);
  });

  it('contains no code for lists if it reads none', () => {
    expect(one).not.toContain('the same page again');
    expect(all).toContain('the same page again');
  });

  it('has no imports', () => {
    expect(one).not.toMatch(/\bimport\b|\brequire\b/);
    expect(all).not.toMatch(/\bimport\b|\brequire\b/);
  });
});

function sizeOf(code: string): string {
  return `${code.length} bytes, ${gzipSync(code).length} gzipped`;
}
