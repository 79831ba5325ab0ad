import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findMachineID } from './machine-id.ts';

let stateDirectory = '';

beforeEach(() => {
  stateDirectory = mkdtempSync(join(tmpdir(), 'muster-state-'));
});

afterEach(() => rmSync(stateDirectory, { recursive: true, force: true }));

function find(machineID: string, directory = stateDirectory) {
  const machineIDFile = join(stateDirectory, 'etc-machine-id');
  writeFileSync(machineIDFile, machineID);
  return findMachineID({ instance: 'fluentbit', stateDirectory: directory, machineIDFile });
}

describe('findMachineID', () => {
  it('is the application-specific id that systemd derives from /etc/machine-id, which it does not reveal', async () => {
    // systemd-id128 machine-id --app-specific=10f06e52b71a4e3e922de67af9b81643
    expect(await find('3d1219c7c4c5404aaa1f6d2a48adfda4\n')).toBe(
      '2bc46dbd74884a8294afeb73c1f3f4a5.fluentbit',
    );
  });

  it.each(['', 'uninitialized\n', '00000000000000000000000000000000'])(
    'is random and stored if the host has %j',
    async (machineID) => {
      const id = await find(machineID);
      expect(id).toMatch(/^[\da-f]{32}\.fluentbit$/);
      expect(await find(machineID)).toBe(id);
      const path = join(stateDirectory, 'machine-id');
      expect(readFileSync(path, 'utf8')).toBe(`${id.split('.')[0]}\n`);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    },
  );

  it('is the same for concurrent callers on a new host', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => find('')));
    expect(new Set(ids).size).toBe(1);
    expect(readdirSync(stateDirectory).sort()).toEqual(['etc-machine-id', 'machine-id']);
  });

  it("is derived from the host's name if nothing can be stored", async () => {
    const id = await find('', '/proc/none/muster');
    expect(await find('', '/proc/none/muster')).toBe(id);
    expect(id).toMatch(/^[\da-f]{32}\.fluentbit$/);
    expect(id).not.toContain(hostname());
  });
});
