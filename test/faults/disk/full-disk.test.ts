import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MusterProcess, serveMuster } from '../../../server/src/testing/muster-process.ts';
import { send } from '../../replicas/send.ts';
import { checkIntegrity } from '../check-integrity.ts';
import { faultSettings } from '../fault-settings.ts';
import { findBroken, prepare, runRequests } from './fault-requests.ts';
import { SmallDisk, whyNoSmallDisk } from './small-disk.ts';

const reason = whyNoSmallDisk();
if (reason !== undefined) process.stderr.write(`Skipped, a disk that is full: ${reason}.\n`);

const adminToken = randomBytes(32).toString('hex');
let disk: SmallDisk;
let directory: string;
let started: MusterProcess[];

beforeEach(() => {
  if (reason !== undefined) return;
  disk = new SmallDisk(1_200);
  directory = join(disk.folder, 'data');
  started = [];
});
afterEach(async () => {
  if (reason !== undefined) return;
  await Promise.all(started.filter(({ hasEnded }) => !hasEnded).map((service) => service.end('SIGKILL')));
  disk.remove();
});

function start(): MusterProcess {
  const service = serveMuster({
    env: { ...faultSettings, MUSTER_DATA_DIR: directory, MUSTER_ADMIN_TOKEN: adminToken },
  });
  started.push(service);
  return service;
}

describe.skipIf(reason !== undefined)('a disk that', () => {
  it('gets full: 503 until there is room, and nothing acknowledged is lost', async () => {
    // Enough for the tables, for what the service notes each second on a slow machine, and for some reports.
    disk.resize(2_800);
    const service = start();
    const url = await service.ready();
    const prepared = await prepare(url, adminToken);
    const before = await runRequests(url, prepared);
    const stored: string[] = [];
    const report = async (number: number, count: number) => {
      const answer = await send<{ id: string }[]>(`${url}/v1/agents/${prepared.agentID}/errors`, {
        headers: { 'x-project-token': prepared.token, connection: 'close' },
        body: Array.from({ length: count }, (_, index) => ({
          error: `${number} ${index} `.padEnd(1_000, 'x'),
        })),
      });
      if (answer.status === 201) stored.push(...answer.body.map(({ id }) => id));
      return answer;
    };
    let answer = await report(0, 50);
    for (let number = 1; answer.status === 201; number += 1) answer = await report(number, 50);
    expect(answer).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(stored.length).toBeGreaterThan(0);
    // The space of the failed commit is enough for a few small ones.
    for (let number = 100; (await fetch(`${url}/readyz`)).status === 200; number += 1)
      await report(number, 1);
    await service.untilOutput(
      'database or disk is full. Free some space on the disk with the data directory; a running service then continues automatically.',
    );

    disk.resize(16_000);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const after = await runRequests(url, prepared);
    expect(after.lastStatus).toBe(201);
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });

    const again = start();
    const promised = [...before.promised, ...after.promised];
    expect(await findBroken(await again.ready(), prepared, promised)).toEqual([]);
    const { body: kept } = await send<{ id: string }[]>(
      `${await again.ready()}/v1/agents/${prepared.agentID}/errors?last=1000`,
      { headers: { authorization: `Bearer ${adminToken}` } },
    );
    const ids = new Set(kept.map(({ id }) => id));
    expect(stored.filter((id) => !ids.has(id))).toEqual([]);
    await again.end('SIGTERM');
    expect(checkIntegrity(join(directory, 'muster.db'))).toBe('ok');
  });

  it('is full at the start: it ends with 1, says so, and starts when there is room', async () => {
    fill(join(disk.folder, 'ballast'), 1_180);
    const full = start();
    expect(await full.ended).toEqual({ code: 1, signal: null });
    expect(full.output).toBe(
      `muster: ${join(directory, 'muster.db')} cannot be opened: disk I/O error. The system does not let Muster read or write its files; the system's log says why. Check whether the disk with the data directory is full or failing, and check limits on the size of files.\n`,
    );
    disk.resize(16_000);
    const service = start();
    await service.ready();
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('is read-only at the start: it ends with 1 and says what to do', async () => {
    const first = start();
    await first.ready();
    await first.end('SIGTERM');
    disk.makeReadOnly();
    const service = start();
    expect(await service.ended).toEqual({ code: 1, signal: null });
    // The second if the service that was stopped so soon has left its log.
    expect(service.output).toMatch(
      /^muster: \S+\/muster\.db cannot be opened: (unable to open database file\. Let Muster read and write|EROFS: .+\. Let Muster write to) the data directory and every file in it.*read-only.*\n$/,
    );
    expect(readdirSync(directory)).toContain('muster.db');
  });

  it('is read-only before there is a data directory: it ends with 1 and names another way', async () => {
    disk.makeReadOnly();
    const service = start();
    expect(await service.ended).toEqual({ code: 1, signal: null });
    expect(service.output).toContain(
      `muster: The data directory ${directory} cannot be created. Allow Muster to write to its parent directory, or choose another one with MUSTER_DATA_DIR.`,
    );
    expect(existsSync(directory)).toBe(false);
  });
});

function fill(file: string, kibibytes: number): void {
  writeFileSync(file, Buffer.alloc(kibibytes * 1024));
}
