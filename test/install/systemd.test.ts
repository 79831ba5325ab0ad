import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFlags, startVariables } from '@muster/server/start-flags';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes } from '../../cli/src/exit-codes.ts';
import { createProgram } from '../../cli/src/run-muster.ts';
import { processTerminal } from '../../cli/src/terminal/process-terminal.ts';
import { readSource } from '../architecture/source-files.ts';
import { maxStopSeconds, variables } from '../deploy/deployment-files.ts';
import { readSiteFlags } from '../deploy/read-site-flags.ts';
import { valuesOf } from './read-unit.ts';

const unit = readSource('deploy/systemd/muster.service');
const siteUnit = readSource('deploy/systemd/muster-core-instance.service');
const dropIn = readSource('deploy/systemd/fluent-bit.service.d/muster-report.conf');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

describe('muster.service', () => {
  it('uses existing settings, and keeps data in a writable directory', () => {
    const environment = Object.fromEntries(
      valuesOf(unit, 'Environment').map((pair) => [pair.replace(/=.*/, ''), pair.replace(/^\w+=/, '')]),
    );
    expect(environment).toEqual({ NODE_ENV: 'production', MUSTER_DATA_DIR: '%S/muster', ...startVariables });
    expect(variables).toContain('MUSTER_DATA_DIR');
    expect(valuesOf(unit, 'StateDirectory')).toEqual(['muster']);
  });

  it('starts the service with its flags, wherever the command is', () => {
    const command = `exec node ${startFlags.join(' ')} "$$(command -v muster)" serve`;
    expect(valuesOf(unit, 'ExecStart')).toEqual([`/bin/sh -c '${command}'`]);
  });

  it('gives the service time to finish running requests', () => {
    expect(Number(valuesOf(unit, 'TimeoutStopSec')[0])).toBeGreaterThan(maxStopSeconds + 1);
  });

  it('does not restart after exit code 2, which means invalid settings', () => {
    expect(valuesOf(unit, 'Restart')).toEqual(['on-failure']);
    expect(valuesOf(unit, 'RestartPreventExitStatus')).toEqual(['2']);
  });

  it('is tried again for as long as its database is away', () => {
    expect(valuesOf(unit, 'StartLimitIntervalSec')).toEqual(['0']);
  });
});

describe('muster-core-instance.service', () => {
  it('reads what muster core-instance install writes, and keeps its state where the next start finds it', () => {
    expect(valuesOf(siteUnit, 'EnvironmentFile')).toEqual(['-/etc/muster/core-instance.env']);
    expect(valuesOf(siteUnit, 'StateDirectory')).toEqual(['muster-core-instance']);
    const defaults = ['MUSTER_CORE_INSTANCE_NAME=%H', 'MUSTER_CORE_INSTANCE_LISTEN=0.0.0.0:7410'];
    expect(valuesOf(siteUnit, 'Environment')).toEqual([
      'NODE_ENV=production',
      'MALLOC_ARENA_MAX=1',
      ...defaults,
      'MUSTER_CORE_INSTANCE_FLAGS=',
    ]);
    const installation = readSource('cli/src/commands/core-instances/site-installation.ts');
    for (const variable of ['MUSTER_URL', 'MUSTER_CORE_INSTANCE_NAME', 'MUSTER_CORE_INSTANCE_LISTEN'])
      expect(installation).toContain(`    ${variable}: `);
    expect(installation).toContain('LoadCredential=project-token:');
    expect(valuesOf(siteUnit, 'ExecStart')[0]).toContain(
      '--token-file /run/credentials/muster-core-instance.service/project-token',
    );
  });

  it('starts a core instance with the flags of Node and flags that there are', async () => {
    const line = valuesOf(siteUnit, 'ExecStart')[0] ?? '';
    const before = `/bin/sh -c 'exec node ${startFlags.join(' ')} "$$(command -v muster)" "$$@"' sh `;
    expect(line.slice(0, before.length)).toBe(before);
    const words = line.slice(before.length);
    const more = '--ca-file ca.pem --tls-cert cert.pem --tls-key key.pem --client-ca clients.pem';
    const started = words
      .replace('$MUSTER_CORE_INSTANCE_FLAGS', more)
      .replaceAll(/\$\{MUSTER_CORE_INSTANCE_(\w+)\}/g, '$1');
    expect(started).not.toContain('$');
    expect(await readSiteFlags(started.split(' '))).toEqual({
      name: 'NAME',
      listen: 'LISTEN',
      stateDirectory: '%S/muster-core-instance',
      tokenFile: '/run/credentials/muster-core-instance.service/project-token',
      caFile: 'ca.pem',
      tlsCert: 'cert.pem',
      tlsKey: 'key.pem',
      clientCa: 'clients.pem',
    });
    await expect(readSiteFlags([...started.split(' '), '--state-dir', 'x'])).rejects.toThrow(
      "unknown option '--state-dir'",
    );
  });

  it('is not tried again where that does not help, and otherwise for ever', () => {
    expect(valuesOf(siteUnit, 'Restart')).toEqual(['on-failure']);
    const { usage, notSignedIn, forbidden } = exitCodes;
    expect(valuesOf(siteUnit, 'RestartPreventExitStatus')).toEqual([`${usage} ${notSignedIn} ${forbidden}`]);
    expect(valuesOf(siteUnit, 'StartLimitIntervalSec')).toEqual(['0']);
  });

  it('is confined as the service is', () => {
    const confinement = (text: string) => text.slice(text.indexOf('# It writes nothing else'));
    expect(confinement(siteUnit)).toBe(confinement(unit));
  });
});

describe('the drop-in for fluent-bit.service', () => {
  it('replaces the command line by one that muster report accepts', async () => {
    const [before, line = ''] = valuesOf(dropIn, 'ExecStart');
    expect(before).toBe('');
    const { commands } = await createProgram(processTerminal());
    const report = commands.find((command) => command.name() === 'report');
    const flags = report?.options.map(({ long }) => long);
    const [own = '', agent] = line.split(' -- ');
    expect(own.startsWith('muster report ')).toBe(true);
    for (const [flag] of own.matchAll(/--\S+/g)) expect(flags).toContain(flag);
    expect(agent).toBe('/opt/fluent-bit/bin/fluent-bit -c /etc/fluent-bit/fluent-bit.conf');
  });

  it('matches the page about muster report', () => {
    const withoutComments = dropIn.replaceAll(/^#.*\n/gm, '').trim();
    expect(readSource('docs/report.md')).toContain(`\`\`\`ini\n${withoutComments}\n\`\`\`\n`);
  });
});

describe.runIf(hasSystemd)('systemd', () => {
  let folder = '';

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-systemd-'));
    mkdirSync(join(folder, 'fluent-bit.service.d'));
    // It looks whether the programs are there.
    const withPrograms = (text: string) =>
      text.replaceAll('=muster ', '=/bin/true ').replaceAll('/opt/fluent-bit/bin/fluent-bit', '/bin/true');
    writeFileSync(join(folder, 'muster.service'), withPrograms(unit));
    writeFileSync(join(folder, 'muster-core-instance.service'), siteUnit);
    writeFileSync(join(folder, 'fluent-bit.service'), '[Service]\nExecStart=/bin/false\n');
    writeFileSync(join(folder, 'fluent-bit.service.d/muster-report.conf'), withPrograms(dropIn));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function analyze(...args: string[]) {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    return { status, printed: stdout + stderr };
  }

  it.each(['muster.service', 'muster-core-instance.service', 'fluent-bit.service'])('accepts %s', (name) => {
    expect(analyze('verify', '--man=no', join(folder, name))).toEqual({ status: 0, printed: '' });
  });

  it('detects mistakes', () => {
    writeFileSync(join(folder, 'wrong.service'), `${unit}\n[Service]\nProtectEverything=yes\n`);
    expect(analyze('verify', '--man=no', join(folder, 'wrong.service')).printed).toContain(
      "'ProtectEverything'",
    );
  });

  it('rates the service as little exposed: at most 2 of 10', () => {
    const args = [
      'security',
      '--offline=yes',
      '--no-pager',
      '--threshold=20',
      join(folder, 'muster.service'),
    ];
    const { status, printed } = analyze(...args);
    expect([status, printed]).toEqual([
      0,
      expect.stringContaining('Overall exposure level for muster.service: '),
    ]);
  });
});
