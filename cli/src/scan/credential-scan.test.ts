import { formatProjectToken, formatToken } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { CredentialScan, type Finding } from './credential-scan.ts';

const access = formatToken('access', new Uint8Array(32).fill(1));
const project = formatProjectToken(
  {
    projectID: '0192f0a0-0000-7000-8000-000000000001',
    tokenID: '0192f0a0-0000-7000-8000-000000000002',
  },
  new Uint8Array(32).fill(2),
);

function scan(...chunks: readonly Uint8Array[]): Finding[] {
  const one = new CredentialScan();
  return chunks.flatMap((chunk) => one.read(chunk));
}

const places = (found: readonly Finding[]) =>
  found.map(({ kind, value, line, column }) => [kind, value, line, column]);

describe('CredentialScan', () => {
  it('tells lines and columns, in characters', () => {
    const text = `first\r\n\tä€😀=${access}\n${project},${access}`;
    expect(places(scan(Buffer.from(text)))).toEqual([
      ['access', access, 2, 6],
      ['project', project, 3, 1],
      ['access', access, 3, project.length + 2],
    ]);
  });

  it('finds each credential once, wherever the chunks begin', () => {
    const bytes = Buffer.from(`x\n${project} ü ${access}${access}\n`);
    const whole = places(scan(bytes));
    expect(whole).toHaveLength(3);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(places(scan(bytes.subarray(0, at), bytes.subarray(at)))).toEqual(whole);
    }
    expect(places(scan(...[...bytes].map((byte) => Buffer.of(byte))))).toEqual(whole);
  });

  it('finds credentials between any bytes', () => {
    const bytes = Buffer.concat([Buffer.from(access), Buffer.from([0, 255, 10, 0]), Buffer.from(project)]);
    expect(places(scan(bytes))).toEqual([
      ['access', access, 1, 1],
      ['project', project, 2, 2],
    ]);
  });

  it('reads UTF-16 of both orders', () => {
    const little = Buffer.from(`\ufeffa\nToken: ${access}`, 'utf16le');
    const big = Buffer.from(little).swap16();
    for (const bytes of [little, big]) {
      expect(places(scan(bytes.subarray(0, 33), bytes.subarray(33)))).toEqual([['access', access, 2, 8]]);
    }
  });

  it('keeps no more than the length of a credential of a line without an end', () => {
    const one = new CredentialScan();
    const chunk = Buffer.from('mst_u_'.repeat(10_000));
    for (let count = 0; count < 100; count += 1) expect(one.read(chunk)).toEqual([]);
    expect(places(one.read(Buffer.from(` ${access}`)))).toEqual([['access', access, 1, 6_000_002]]);
  });
});
