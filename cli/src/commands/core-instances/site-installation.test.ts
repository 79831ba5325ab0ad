import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installSite, type SiteSettings } from './site-installation.ts';

let folder: string;
let notes: string[];
let now: number;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-site-'));
  notes = [];
  now = 0;
  path = `${folder}/bin:/usr/bin:/bin`;
  stub(
    'systemctl',
    `echo "$*" >> ${folder}/calls\n[ "$1" = show ] && { cat ${folder}/state; exit 0; }\nexit 0`,
  );
  stub('journalctl', `echo "$*" >> ${folder}/journal-calls\ncat ${folder}/journal`);
  setState('active', 0);
  writeFileSync(join(folder, 'journal'), '');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function setState(active: string, restarts: number): void {
  writeFileSync(join(folder, 'state'), `NRestarts=${restarts}\nActiveState=${active}\n`);
}

function stub(name: string, script: string): void {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

const settingsFile = () => join(folder, 'etc/muster/core-instance.env');
const tokenFile = () => join(folder, 'etc/muster/core-instance.token');
const dropIn = () => join(folder, 'etc/systemd/system/muster-core-instance.service.d/project-token.conf');
const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');

interface Given extends Partial<Omit<SiteSettings, 'listen'>> {
  readonly port?: number;
}

/** @param onWait called before each poll but the first */
async function install(
  { port = 1, ...settings }: Given,
  onWait: () => void = () => undefined,
): Promise<void> {
  const [url, name] = ['https://muster.example.com', 'plant-7'];
  await installSite(
    {
      ...{ url, name, token: undefined, pins: undefined, ...settings },
      listen: { text: `0.0.0.0:${port}`, host: '0.0.0.0', port },
    },
    {
      settingsRoot: join(folder, 'etc'),
      env: { PATH: path },
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
async function withSite(work: (port: number, up: () => void) => Promise<void>): Promise<void> {
  let isUp = false;
  const site = createServer((_, response) =>
    response.end(`muster_core_instance_service_up ${isUp ? 1 : 0}\n`),
  );
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo; // it listens on a port
  try {
    await work(port, () => {
      isUp = true;
    });
  } finally {
    site.close();
  }
}

describe('muster core-instance install', () => {
  it('writes settings and token for root alone, starts the unit, and deletes the token when it has joined', async () => {
    await withSite(async (port, up) => {
      let whileWaiting: unknown;
      await install({ port, token: 'the-token', name: 'plant "7" $x' }, () => {
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
        settings: `MUSTER_URL=https://muster.example.com\nMUSTER_CORE_INSTANCE_NAME="plant \\"7\\" \\$x"\nMUSTER_CORE_INSTANCE_LISTEN=0.0.0.0:${port}\n`,
        settingsMode: 0o600,
        token: 'the-token\n',
        tokenMode: 0o600,
        dropIn: `[Service]\nLoadCredential=project-token:${tokenFile()}\n`,
      });
    });
    expect([existsSync(tokenFile()), existsSync(dropIn())]).toEqual([false, false]);
    const unit = 'muster-core-instance.service';
    expect(calls()).toEqual([
      'is-system-running',
      `cat ${unit}`,
      'daemon-reload',
      `enable ${unit}`,
      `restart ${unit}`,
      ...Array(3).fill(`show --property=ActiveState,NRestarts ${unit}`),
      'daemon-reload',
    ]);
  });

  it('keeps the other lines of the settings', async () => {
    mkdirSync(join(folder, 'etc/muster'), { recursive: true });
    // Those of the Debian package, whose comments name flags.
    const packaged = readFileSync('deploy/debian/core-instance.env', 'utf8');
    const kept = `${packaged}MUSTER_CORE_INSTANCE_FLAGS=--ca-file /etc/muster/ca.pem\n`;
    writeFileSync(settingsFile(), `${kept}MUSTER_URL=https://old.example.com\n\n`);
    await withSite(async (port, up) => {
      up();
      await install({ port });
      expect(readFileSync(settingsFile(), 'utf8')).toBe(
        `${kept}MUSTER_URL=https://muster.example.com\nMUSTER_CORE_INSTANCE_NAME=plant-7\nMUSTER_CORE_INSTANCE_LISTEN=0.0.0.0:${port}\n`,
      );
    });
  });

  it('writes the pins, and keeps them until others are given', async () => {
    await withSite(async (port, up) => {
      up();
      const lines = (pins: string) =>
        `${pins}MUSTER_URL=https://muster.example.com\nMUSTER_CORE_INSTANCE_NAME=plant-7\nMUSTER_CORE_INSTANCE_LISTEN=0.0.0.0:${port}\n`;
      await install({ port, pins: ['sha256//a+/=', 'sha256//b='] });
      expect(readFileSync(settingsFile(), 'utf8')).toBe(`${lines('')}MUSTER_PIN="sha256//a+/=;sha256//b="\n`);
      await install({ port });
      expect(readFileSync(settingsFile(), 'utf8')).toBe(lines('MUSTER_PIN="sha256//a+/=;sha256//b="\n'));
      await install({ port, pins: ['sha256//c='] });
      expect(readFileSync(settingsFile(), 'utf8')).toBe(`${lines('')}MUSTER_PIN=sha256//c=\n`);
    });
  });

  it('says why the unit has ended', async () => {
    setState('failed', 0);
    now = 1_764_150_000_900;
    writeFileSync(
      join(folder, 'journal'),
      [
        '{"level":"info","msg":"Agents are served."}',
        '{"level":"warn","msg":"Muster cannot be joined yet: the connection was refused."}',
        'muster: https://muster.example.com does not accept the project token: it has expired.',
        'muster-core-instance.service: Failed with result exit-code.',
        '',
      ].join('\n'),
    );
    await expect(install({ token: 'the-token' })).rejects.toMatchObject({
      message: 'muster-core-instance.service has ended.',
      mend: `Its log says:
Muster cannot be joined yet: the connection was refused.
muster: https://muster.example.com does not accept the project token: it has expired.
The project token stays in ${tokenFile()} until it has joined. After that, run this command again with --joined, which deletes the token.
To see the whole log: journalctl --unit muster-core-instance.service`,
    });
    expect(existsSync(tokenFile())).toBe(true);
    // Not what it said when it was started with other settings.
    expect(readFileSync(join(folder, 'journal-calls'), 'utf8')).toBe(
      '--unit muster-core-instance.service --since @1764150000 --lines 200 --output cat\n',
    );
  });

  it('says that the unit ends whenever it is started', async () => {
    let restarts = 0;
    await expect(
      install({}, () => {
        restarts += 1;
        setState('activating', restarts);
      }),
    ).rejects.toMatchObject({
      message: 'muster-core-instance.service ends whenever it is started.',
      mend: 'To see the whole log: journalctl --unit muster-core-instance.service',
    });
    expect(now).toBe(2_000);
  });

  it('deletes the project token of an earlier attempt, and keeps other changes of the unit', async () => {
    await expect(install({ token: 'the-token' })).rejects.toThrow();
    const override = join(dropIn(), '../override.conf');
    writeFileSync(override, '[Service]\nNice=5\n');
    await withSite(async (port, up) => {
      up();
      await install({ port });
    });
    expect([existsSync(tokenFile()), existsSync(dropIn()), existsSync(override)]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('lets the user of the unit read certificates beside the settings', async () => {
    const settings = join(folder, 'etc/muster');
    mkdirSync(settings, { recursive: true });
    chmodSync(settings, 0o755);
    await expect(install({ token: 'the-token' })).rejects.toThrow();
    expect(statSync(settings).mode & 0o777).toBe(0o755);
  });

  it('reads in the log whether the service has answered, if agents need a certificate', async () => {
    mkdirSync(join(folder, 'etc/muster'), { recursive: true });
    writeFileSync(settingsFile(), 'MUSTER_CORE_INSTANCE_FLAGS=--tls-cert c --tls-key k --client-ca ca.pem\n');
    await install({}, () => {
      writeFileSync(join(folder, 'journal'), '{"level":"info","msg":"Muster is reached."}\n');
    });
    expect(now).toBe(1_000);
  });

  it('gives up after 60 s, and says whether it runs at least', async () => {
    await withSite(async (port) => {
      await expect(install({ port })).rejects.toMatchObject({
        message:
          'muster-core-instance.service runs, and keeps what agents send, but https://muster.example.com has not accepted anything from it for 60 s.',
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
    expect(existsSync(settingsFile())).toBe(false);
    const mend =
      "Nothing was changed. To run the core instance without systemd, let something else start it and keep it running: muster core-instance start --url https://muster.example.com --name 'plant 7' --listen 0.0.0.0:1 --state-directory FOLDER";
    // As in a container.
    stub('systemctl', '[ "$1" = is-system-running ] && echo offline\nexit 1');
    await expect(install({ name: 'plant 7' })).rejects.toMatchObject({
      message:
        'systemd does not run on this machine, as in a container: this command installs a unit of systemd.',
      mend,
    });
    rmSync(join(folder, 'bin/systemctl'));
    path = join(folder, 'bin');
    await expect(install({ name: 'plant 7' })).rejects.toMatchObject({
      message: 'This machine has no systemctl: this command installs a unit of systemd.',
      mend,
    });
    expect(existsSync(settingsFile())).toBe(false);
  });
});
