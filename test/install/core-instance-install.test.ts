import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CoreInstance } from '@muster/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { installSite } from '../../cli/src/commands/core-instances/site-installation.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { readSource } from '../architecture/source-files.ts';
import { findFreePort } from '../readme/find-free-port.ts';
import { Gate } from '../report/gate.ts';
import { type ListeningApp, startListeningApp } from '../robustness/listening-app.ts';
import { SystemdDouble } from './systemd-double.ts';

const unit = 'muster-core-instance.service';

let centre: ListeningApp;
let gate: Gate;
let root: string;
let systemd: SystemdDouble;
let port: number;

beforeAll(async () => {
  centre = await startListeningApp();
  // That of the site is the clock of this machine, and ids that are made there have its time.
  centre.test.clock.advance(Date.now() - centre.test.clock.now());
});
afterAll(() => centre.test.close());

beforeEach(async () => {
  gate = await Gate.before(`http://127.0.0.1:${centre.port}`);
  root = mkdtempSync(join(tmpdir(), 'muster-site-root-'));
  systemd = await SystemdDouble.start(root, readSource(`deploy/systemd/${unit}`));
  port = await findFreePort();
});
afterEach(async () => {
  await systemd.stop();
  gate.close();
  rmSync(root, { recursive: true, force: true });
});

const at = (path: string) => join(root, path);
const tokenFile = () => at('etc/muster/core-instance.token');
const dropIn = () => at(`etc/systemd/system/${unit}.d/project-token.conf`);
const asAdmin = () => ({ as: { access: centre.test.admin } });
const joinToken = async () =>
  (await centre.test.createToken(centre.project.id, ['create:core_instance'])).token;

interface Installation {
  readonly token: string | undefined;
  readonly name?: string;
  /** The time of the installation goes on as soon as this holds. */
  readonly isStuck?: () => boolean;
}

/** Runs the installation with a clock of its own, which stands still until nothing more happens. */
async function install({ token, name = 'plant "7"', isStuck = () => false }: Installation): Promise<void> {
  let now = 0;
  await installSite(
    {
      url: gate.url,
      name,
      listen: { text: `127.0.0.1:${port}`, host: '127.0.0.1', port },
      token,
      pins: [],
    },
    {
      settingsRoot: at('etc'),
      env: systemd.env,
      now: () => now,
      wait: async () => {
        await new Promise((resolve) => setTimeout(resolve, 10));
        if (isStuck()) now += 60_000;
      },
      note: () => undefined,
    },
  );
}

async function occupyPort(number: number): Promise<Server> {
  const server = createServer((_, response) => response.writeHead(404).end());
  server.listen(number, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function coreInstancesCalled(name: string): Promise<readonly CoreInstance[]> {
  const path = `/v1/projects/${centre.project.id}/core_instances?name=${encodeURIComponent(name)}`;
  return (await centre.test.request<CoreInstance[]>('GET', path, asAdmin())).body;
}

describe('muster core-instance install, with the unit as it is published', () => {
  it('joins with the settings and the token that it wrote, and keeps no project token', async () => {
    const token = await joinToken();
    await install({ token });
    const joined = await coreInstancesCalled('plant "7"');
    expect(joined).toMatchObject([{ status: 'running' }]);
    expect(statSync(at('etc/muster/core-instance.env')).mode & 0o777).toBe(0o600);
    expect([existsSync(tokenFile()), existsSync(join(dropIn(), '..'))]).toEqual([false, false]);
    expect(readFileSync(at('etc/muster/core-instance.env'), 'utf8')).not.toContain(token);
    const report = await fetch(`http://127.0.0.1:${port}/v1/machines/edge-1/errors`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Project-Token': centre.project.token },
      body: JSON.stringify({ error: 'disk full' }),
    });
    expect(report.status).toBe(201);

    // Again, after the project token was revoked, with another port.
    port = await findFreePort();
    await install({ token: undefined });
    expect(await coreInstancesCalled('plant "7"')).toMatchObject([{ id: joined[0]?.id, status: 'running' }]);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    expect(systemd.calls.filter((call) => call.startsWith('enable'))).toEqual([
      `enable ${unit}`,
      `enable ${unit}`,
    ]);
  });

  it('says that the token is not accepted, and systemd does not try it again', async () => {
    const { id, token } = await centre.test.createToken(centre.project.id, ['create:core_instance']);
    const revoked = await centre.test.request('DELETE', `/v1/project_tokens/${id}`, asAdmin());
    expect(revoked.status).toBe(204);
    await expect(install({ token, name: 'store-1' })).rejects.toMatchObject({
      message: `${unit} has ended.`,
      mend: expect.stringMatching(/^Its log says:\nmuster: http:\S+ does not accept the project token: .+\n/),
    });
    await expect(install({ token: centre.project.token, name: 'store-1' })).rejects.toMatchObject({
      message: `${unit} has ended.`,
      mend: expect.stringContaining('The project token may not create core instances'),
    });
    expect(systemd.log.filter((line) => line.startsWith('muster: '))).toHaveLength(2);
  });

  it('says that it has not joined if it is told that it has', async () => {
    await expect(install({ token: undefined, name: 'store-2' })).rejects.toMatchObject({
      message: `${unit} ends whenever it is started.`,
      mend: expect.stringContaining(
        'This core instance has not joined yet, and needs a project token to do so.',
      ),
    });
  });

  it('says that the service is away, joins when it is back, and then deletes the token when it is told to', async () => {
    gate.mode = 'drop';
    const isStuck = () => systemd.log.some((line) => line.includes('cannot be joined yet'));
    await expect(install({ token: await joinToken(), name: 'store-3', isStuck })).rejects.toMatchObject({
      message: `${unit} runs, and keeps what agents send, but ${gate.url} has not accepted anything from it for 60 s.`,
      mend: expect.stringMatching(
        /^Its log says:\nMuster cannot be joined yet: .+\nThe project token stays in \S+\/core-instance\.token until it has joined\. /,
      ),
    });
    expect(statSync(tokenFile()).mode & 0o777).toBe(0o600);
    expect(systemd.isActive).toBe(true);
    gate.mode = 'pass';
    await eventually(() => expect(systemd.log.join('\n')).toContain('Joined '));
    await install({ token: undefined, name: 'store-3' });
    expect([existsSync(tokenFile()), existsSync(dropIn())]).toEqual([false, false]);
  });

  it('says why the unit ends whenever it is started', async () => {
    const other = await occupyPort(port);
    await expect(install({ token: await joinToken(), name: 'store-4' })).rejects.toMatchObject({
      message: `${unit} ends whenever it is started.`,
      mend: expect.stringContaining(
        `muster: Agents cannot be served at 127.0.0.1:${port}: another process listens there. Choose another address with --listen.`,
      ),
    });
    other.close();
  });
});
