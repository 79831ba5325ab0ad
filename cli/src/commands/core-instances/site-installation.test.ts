import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installSite, type SiteSettings } from './site-installation.ts';

let folder: string;
let notes: string[];
let now: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-site-'));
  notes = [];
  now = 0;
  stub(
    'systemctl',
    `echo "$*" >> ${folder}/calls\n[ "$1" = is-active ] && { cat ${folder}/state; exit 0; }\nexit 0`,
  );
  stub('journalctl', `cat ${folder}/journal`);
  writeFileSync(join(folder, 'state'), 'active\n');
  writeFileSync(join(folder, 'journal'), '');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function stub(name: string, script: string): void {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

const settingsFile = () => join(folder, 'etc/muster/core-instance.env');
const tokenFile = () => join(folder, 'etc/muster/core-instance.token');
const dropIn = () => join(folder, 'etc/systemd/system/muster-core-instance.service.d/project-token.conf');
const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');

/** @param onWait called before each poll but the first */
async function install(settings: Partial<SiteSettings>, onWait: () => void = () => undefined): Promise<void> {
  await installSite(
    {
      url: 'https://muster.example.com',
      name: 'plant-7',
      listen: '127.0.0.1:1',
      token: undefined,
      ...settings,
    },
    {
      settingsRoot: join(folder, 'etc'),
      env: { PATH: `${folder}/bin:/usr/bin:/bin` },
      now: () => now,
      wait: async (milliseconds) => {
        now += milliseconds;
        onWait();
      },
      note: (text) => notes.push(text),
    },
  );
}

/** A core instance that the service answers, or not yet. */
async function withSite(work: (listen: string, up: () => void) => Promise<void>): Promise<void> {
  let isUp = false;
  const site = createServer((_, response) =>
    response.end(`muster_core_instance_centre_up ${isUp ? 1 : 0}\n`),
  );
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo; // it listens on a port
  try {
    await work(`0.0.0.0:${port}`, () => {
      isUp = true;
    });
  } finally {
    site.close();
  }
}

describe('muster core-instance install', () => {
  it('writes settings and token for root alone, starts the unit, and deletes the token when it has joined', async () => {
    await withSite(async (listen, up) => {
      let whileWaiting: unknown;
      await install({ listen, token: 'the-token', name: 'plant "7" $x' }, () => {
        whileWaiting = {
          settings: readFileSync(settingsFile(), 'utf8'),
          settingsMode: statSync(settingsFile()).mode & 0o777,
          token: readFileSync(tokenFile(), 'utf8'),
          tokenMode: statSync(tokenFile()).mode & 0o777,
          dropIn: readFileSync(dropIn(), 'utf8'),
        };
        up();
      });
      expect(whileWaiting).toEqual({
        settings: `MUSTER_URL=https://muster.example.com\nMUSTER_CORE_INSTANCE_NAME="plant \\"7\\" \\$x"\nMUSTER_CORE_INSTANCE_LISTEN=${listen}\n`,
        settingsMode: 0o600,
        token: 'the-token\n',
        tokenMode: 0o600,
        dropIn: `[Service]\nLoadCredential=project-token:${tokenFile()}\n`,
      });
    });
    expect([existsSync(tokenFile()), existsSync(dropIn())]).toEqual([false, false]);
    const unit = 'muster-core-instance.service';
    expect(calls()).toEqual([
      `cat ${unit}`,
      'daemon-reload',
      `enable ${unit}`,
      `restart ${unit}`,
      `is-active ${unit}`,
      `is-active ${unit}`,
      'daemon-reload',
    ]);
  });

  it('keeps the other lines of the settings', async () => {
    mkdirSync(join(folder, 'etc/muster'), { recursive: true });
    const kept = '# Ours.\nMUSTER_CORE_INSTANCE_FLAGS=--ca-file /etc/muster/ca.pem\n';
    writeFileSync(settingsFile(), `${kept}MUSTER_URL=https://old.example.com\n\n`);
    await withSite(async (listen, up) => {
      up();
      await install({ listen });
      expect(readFileSync(settingsFile(), 'utf8')).toBe(
        `${kept}MUSTER_URL=https://muster.example.com\nMUSTER_CORE_INSTANCE_NAME=plant-7\nMUSTER_CORE_INSTANCE_LISTEN=${listen}\n`,
      );
    });
  });

  it('says why the unit has ended', async () => {
    writeFileSync(join(folder, 'state'), 'failed\n');
    writeFileSync(
      join(folder, 'journal'),
      [
        '{"level":30,"msg":"Agents are served."}',
        '{"level":40,"msg":"Muster cannot be joined yet: the connection was refused."}',
        'muster: https://muster.example.com does not accept the project token: it has expired.',
        'muster-core-instance.service: Failed with result exit-code.',
        '',
      ].join('\n'),
    );
    await expect(install({ token: 'the-token' })).rejects.toMatchObject({
      message: 'muster-core-instance.service has ended.',
      mend: 'Its log says:\nMuster cannot be joined yet: the connection was refused.\nmuster: https://muster.example.com does not accept the project token: it has expired.\nTo see all of it: journalctl --unit muster-core-instance.service',
    });
    expect(existsSync(tokenFile())).toBe(true);
  });

  it('gives up after 60 s, and says whether it runs at least', async () => {
    await withSite(async (listen) => {
      await expect(install({ listen })).rejects.toMatchObject({
        message:
          'muster-core-instance.service runs, and keeps what agents send, but https://muster.example.com has not answered it for 60 s.',
      });
    });
    expect(now).toBe(60_000);
    await expect(install({})).rejects.toMatchObject({
      message: 'muster-core-instance.service does not answer at http://127.0.0.1:1/metrics after 60 s.',
    });
  });

  it('says what is missing where there is no systemd, or no unit', async () => {
    stub('systemctl', 'exit 1');
    await expect(install({})).rejects.toMatchObject({
      message: 'systemd does not know muster-core-instance.service.',
    });
    rmSync(join(folder, 'bin/systemctl'));
    const { PATH } = process.env;
    expect(PATH).toBeDefined();
    expect(existsSync(settingsFile())).toBe(false);
  });
});
