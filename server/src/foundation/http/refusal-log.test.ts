import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestApp } from '../../testing/start-test-app.ts';
import { SummedRefusals } from './summed-refusals.ts';

describe('SummedRefusals', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('logs a line for each of the first ones, and sums up the others with their addresses every ten seconds', () => {
    const lines: unknown[] = [];
    const refusals = new SummedRefusals({
      logger: { info: (...line: unknown[]) => lines.push(line) },
      fields: { status: 422 },
      message: 'these have no line of their own',
      maxLines: 2,
    });
    const note = (address: string) => refusals.hasOwnLine(address);
    expect(['a', 'b', 'a', 'c', 'c'].map(note)).toEqual([true, true, false, false, false]);
    vi.advanceTimersByTime(10_000);
    const sum = { status: 422, count: 3, addresses: { a: 1, c: 2 } };
    expect(lines).toEqual([[sum, 'these have no line of their own']]);

    expect(note('d')).toBe(false);
    vi.advanceTimersByTime(10_000);
    expect(lines.at(-1)).toEqual([{ status: 422, count: 1, addresses: { d: 1 } }, expect.any(String)]);
    vi.advanceTimersByTime(10_000);
    expect(lines).toHaveLength(2);
    expect(note('e')).toBe(true);
  });

  it('names at most twenty addresses, and counts all', () => {
    const sums: { count: number; addresses: object }[] = [];
    const refusals = new SummedRefusals({
      logger: { info: (sum: { count: number; addresses: object }) => sums.push(sum) },
      fields: {},
      message: '',
      maxLines: 0,
    });
    for (let index = 0; index < 1_000; index += 1) refusals.hasOwnLine(`192.0.2.${index % 50}`);
    vi.advanceTimersByTime(10_000);
    expect(sums.map(({ count, addresses }) => [count, Object.keys(addresses).length])).toEqual([[1_000, 20]]);
  });
});

describe('the log lines of refused requests', () => {
  async function linesOf(send: (app: Awaited<ReturnType<typeof startTestApp>>) => Promise<unknown>) {
    const app = await startTestApp({ logLevel: 'info', config: { trustProxy: true } });
    await send(app);
    await app.close();
    const lines = app.logs.map(
      (line) => JSON.parse(line) as { status: number; address: string; msg: string },
    );
    return lines.filter(({ msg }) => msg === 'answered');
  }

  it('have the address of the client', async () => {
    const lines = await linesOf(async (app) => {
      const headers = { 'x-forwarded-for': '192.0.2.7' };
      await app.request('GET', '/nothing', { headers });
      await app.request('GET', '/v1/me', { as: { access: 'nonsense' }, headers });
      await app.request('GET', '/v1/me?nonsense=1', { as: { access: app.admin }, headers });
      await app.app.http.inject({ method: 'GET', url: '/%zz', headers });
    });
    expect(lines.map(({ status, address }) => [status, address])).toEqual([
      [404, '192.0.2.7'],
      [401, '192.0.2.7'],
      [400, '192.0.2.7'],
      // Not yet a request of the framework, which reads the headers of proxies.
      [400, '127.0.0.1'],
    ]);
  });

  it('are limited to one if a credential is missing', async () => {
    const lines = await linesOf(async (app) => {
      for (let count = 0; count < 30; count += 1) await app.request('GET', '/v1/me');
      await app.request('GET', '/v1/me', { as: { access: 'nonsense' } });
    });
    expect(lines.map(({ status }) => status)).toEqual([401, 401]);
  });

  it.each([
    [403, 'GET', {}],
    [422, 'POST', { name: '' }],
  ])('are at most a hundred of %i, and then one sum every ten seconds', async (status, method, body) => {
    const lines = await linesOf(async (app) => {
      const project = await app.createProject();
      const permissions = method === 'GET' ? [] : ['*'];
      const { token } = await app.createToken(project.id, permissions);
      for (let count = 0; count < 110; count += 1) {
        await app.request(method, `/v1/projects/${project.id}/tokens`, {
          as: { project: token },
          ...(method === 'GET' ? {} : { body }),
        });
      }
    });
    expect(lines.map((line) => line.status)).toEqual(Array.from({ length: 100 }, () => status));
  });
});
