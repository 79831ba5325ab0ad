import { randomBytes } from 'node:crypto';
import { formatProjectToken } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { countLookUps } from '../../../testing/rows/count-look-ups.ts';
import { startTestApp, type TestApp, type TestProject } from '../../../testing/start-test-app.ts';
import { testEngine } from '../../../testing/test-database.ts';

let test: TestApp;
let project: TestProject;

beforeAll(async () => {
  test = await startTestApp({ logLevel: 'info', config: { invalidCredentialsPerAddressPerMinute: 30 } });
  project = await test.createProject();
});

afterAll(async () => {
  vi.restoreAllMocks();
  await test.close();
});

/** Skips the check against the OpenAPI document, which would take longer than the flood. */
async function statusOf(headers: Readonly<Record<string, string>>): Promise<number> {
  return (await test.app.http.inject({ url: '/v1/me', headers })).statusCode;
}

/** Number of answers by status. */
async function tally(statuses: readonly Promise<number>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const status of await Promise.all(statuses)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function unknownToken(): Record<string, string> {
  const payload = { projectID: project.id, tokenID: project.id };
  return { 'x-project-token': formatProjectToken(payload, randomBytes(32)) };
}

async function newTokens(count: number): Promise<Record<string, string>[]> {
  const tokens: Record<string, string>[] = [];
  while (tokens.length < count) {
    tokens.push({ 'x-project-token': (await test.createToken(project.id, [])).token });
  }
  return tokens;
}

const sizeOfWave = 250;
const waves = 20;

describe('a flood of unknown credentials from one address', () => {
  it('costs a bounded number of statements, and all valid callers at the address are accepted', async () => {
    const remembered = { authorization: `Bearer ${test.admin}` };
    const fresh = await newTokens(waves);
    expect(await statusOf(remembered)).toBe(200);

    const lookUps = countLookUps();
    for (const newcomer of fresh) {
      const flood = Array.from({ length: sizeOfWave }, () => statusOf(unknownToken()));
      const valid = [statusOf(newcomer), ...Array.from({ length: 10 }, () => statusOf(remembered))];
      const [refused, admitted] = await Promise.all([tally(flood), tally(valid)]);
      expect(admitted).toEqual({ 200: 11 });
      expect(newcomer === fresh[0] ? refused : refused[429]).toEqual(
        newcomer === fresh[0] ? { 401: 30, 429: sizeOfWave - 30 } : sizeOfWave,
      );
    }
    // One or two for each wave, and on a shared database as many freshness checks.
    const perWave = testEngine === 'sqlite' ? 3 : 8;
    expect(lookUps.count()).toBeLessThan(waves * perWave);
    expect(lookUps.count()).toBeGreaterThan(0);
  });
});
