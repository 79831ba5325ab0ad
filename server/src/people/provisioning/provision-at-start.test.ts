import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ApplyProvisioning,
  type AuditEntry,
  type Fleet,
  type FleetVersion,
  formatProjectToken,
  type Project,
  type Token,
} from '@muster/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../../foundation/settings/config.ts';
import { changeRows } from '../../testing/rows/change-rows.ts';
import { newArrival, someRunID } from '../../testing/stages/move-targets.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { dropTestDatabase, testEngine } from '../../testing/test-database.ts';
import type { ReadProvisionFile } from './provision-file.ts';

const projectID = '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d';
const tokenID = '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2e';
const [value, next] = [1, 2].map((byte) =>
  formatProjectToken({ projectID, tokenID }, new Uint8Array(32).fill(byte)),
) as [string, string]; // of two
const project = { name: 'edge', tokens: [{ name: 'agents', value }] };

let dataDirectory: string;
const clock = createTestClock();
let open: TestApp[] = [];

beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-provisioned-'));
});

afterEach(async () => {
  for (const app of open) await app.close();
  open = [];
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

function fileOf(projects: ApplyProvisioning['projects']): ReadProvisionFile {
  return {
    request: { projects },
    explain: (faults) => faults.map(({ path, message }) => `at ${path}: ${message}`),
  };
}

async function start(provisionFile?: ReadProvisionFile): Promise<TestApp> {
  const app = await startTestApp({ dataDirectory, clock, ...(provisionFile && { provisionFile }) });
  open.push(app);
  return app;
}

async function restart(provisionFile?: ReadProvisionFile): Promise<TestApp> {
  for (const app of open) await app.close();
  open = [];
  return start(provisionFile);
}

async function list<Item>(app: TestApp, url: string): Promise<Item[]> {
  return (await app.request<Item[]>('GET', url, { as: { access: app.admin } })).body;
}

describe('MUSTER_PROVISION_FILE', () => {
  it('makes at the first start its projects, and no project of the service', async () => {
    const app = await start(fileOf([project]));
    expect(app.app.firstStart).toEqual({ adminTokenFile: undefined, project: undefined });
    expect(await list<Project>(app, '/v1/projects')).toMatchObject([{ id: projectID, name: 'edge' }]);
    expect(await list<Token>(app, `/v1/projects/${projectID}/tokens`)).toMatchObject([
      { id: tokenID, name: 'agents', createdBy: { kind: 'system', id: null, name: 'MUSTER_PROVISION_FILE' } },
    ]);
    expect((await app.request('GET', '/v1/me', { as: { project: value } })).body).toMatchObject({
      projectID,
      name: 'agents',
    });
    expect(app.logs.filter((line) => line.includes('MUSTER_PROVISION_FILE'))).toHaveLength(2);
    expect(app.logs.join()).not.toContain(value.slice(137));
  });

  it('starts again when another project has got the name of one that it has made', async () => {
    const app = await start(fileOf([{ name: 'edge' }]));
    await app.createProject('edge');
    const before = await list(app, '/v1/projects');
    expect(before).toHaveLength(2);
    expect(await list(await restart(fileOf([{ name: 'edge' }])), '/v1/projects')).toEqual(before);
  });

  it('follows a project of which it has remembered the name and the id apart', async () => {
    await start(fileOf([{ name: 'edge' }]));
    await changeRows(dataDirectory, "delete from provisioned where key like '% name edge'");
    const app = await restart(fileOf([{ name: 'edge' }]));
    expect(app.logs.filter((line) => line.includes('an entry was left as it is'))).toEqual([]);
  });

  it('changes nothing at the next start, and tells of nothing', async () => {
    const before = await list(await start(fileOf([project])), `/v1/projects/${projectID}/tokens`);
    const app = await restart(fileOf([project]));
    expect(await list(app, `/v1/projects/${projectID}/tokens`)).toEqual(before);
    expect(app.logs.filter((line) => line.includes('MUSTER_PROVISION_FILE'))).toEqual([]);
  });

  it('rotates at the next start, and an older file does not rotate back', async () => {
    await start(fileOf([project]));
    const changed = fileOf([{ ...project, tokens: [{ name: 'agents', value: next }] }]);
    const statuses = async (app: TestApp) => [
      (await app.request('GET', '/v1/me', { as: { project: value } })).status,
      (await app.request('GET', '/v1/me', { as: { project: next } })).status,
    ];
    expect(await statuses(await restart(changed))).toEqual([200, 200]);
    const older = await restart(fileOf([project]));
    expect(await statuses(older)).toEqual([200, 200]);
    clock.advance(86_400_000);
    expect(await statuses(older)).toEqual([401, 200]);
    const warnings = older.logs.filter((line) => line.includes('an entry was left as it is'));
    expect(warnings.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: 40,
        action: 'skip',
        resource: 'token',
        id: tokenID,
        reason: expect.stringContaining('rotation'),
      },
    ]);
  });

  describe('with a fleet', () => {
    const configOf = (tag: string) =>
      `[INPUT]\n    Name dummy\n    Tag  ${tag}\n\n[OUTPUT]\n    Name  stdout\n    Match *\n`;
    const withFleet = (tag: string, more: object = {}) => {
      // A version that is made later has a later id.
      clock.advance(1_000);
      return fileOf([{ ...project, fleets: [{ name: 'fleet-1', rawConfig: configOf(tag), ...more }] }]);
    };

    async function look(app: TestApp) {
      const [fleet] = await list<Fleet>(app, `/v1/projects/${projectID}/fleets`);
      const versions = await list<FleetVersion>(app, `/v1/fleets/${fleet?.id}/versions`);
      return {
        id: fleet?.id,
        reporting: fleet?.reporting,
        served: fleet?.currentVersion?.number,
        numbers: versions.map(({ number }) => number),
        author: versions[0]?.createdBy,
      };
    }

    it('creates it once, and makes a version of another configuration that nobody gets', async () => {
      const first = await look(await start(withFleet('one', { reporting: 'off' })));
      const author = { kind: 'system', id: null, name: 'MUSTER_PROVISION_FILE' };
      expect(first).toEqual({ id: first.id, reporting: 'off', served: 1, numbers: [1], author });
      expect(await look(await restart(withFleet('one')))).toEqual(first);
      const changed = await restart(withFleet('two'));
      const afterChange = { ...first, numbers: [2, 1] };
      expect(await look(changed)).toEqual(afterChange);
      const lines = changed.logs.filter((line) =>
        line.includes('MUSTER_PROVISION_FILE: an entry was applied'),
      );
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        {
          resource: 'fleet',
          reason: `version 2 was made, and no agent gets it yet; run: muster rollout start ${first.id} 2 --reason TEXT`,
        },
      ]);
      const again = await restart(withFleet('two'));
      expect(await look(again)).toEqual(afterChange);
      expect(again.logs.filter((line) => line.includes('MUSTER_PROVISION_FILE'))).toEqual([]);
      const entries = await list<AuditEntry>(again, `/v1/projects/${projectID}/audit_log`);
      expect(entries.map(({ action, actor }) => [action, actor.name])).toEqual(
        ['fleet.version_created', 'fleet.created', 'token.created', 'project.created'].map((action) => [
          action,
          'MUSTER_PROVISION_FILE',
        ]),
      );
    });

    it('gives agents another configuration, or another reporting, only if the file says so', async () => {
      const first = await look(await start(withFleet('one')));
      const unsaid = await restart(withFleet('one', { reporting: 'off' }));
      expect(await look(unsaid)).toEqual(first);
      expect(unsaid.logs.join()).toContain('an entry was left as it is');
      const said = await restart(withFleet('two', { reporting: 'off', allAtOnce: true }));
      expect(await look(said)).toMatchObject({ reporting: 'off', served: 2, numbers: [2, 1] });
    });

    it('brings back none that a person has deleted', async () => {
      const app = await start(withFleet('one'));
      const { id } = await look(app);
      await app.request('DELETE', `/v1/fleets/${id}`, { as: { access: app.admin } });
      const next = await restart(withFleet('one'));
      expect(await list(next, `/v1/projects/${projectID}/fleets`)).toEqual([]);
      expect(next.logs.join()).toContain('renamed or deleted since');
    });

    it('ends the start if its configuration is refused, and names the field', async () => {
      await start(fileOf([project]));
      await expect(restart(withFleet('{{vars.region}}'))).rejects.toThrow(
        'at /projects/0/fleets/0/rawConfig: line 3: Nothing is known by the name {{vars.region}}.',
      );
      expect(await list(await start(), `/v1/projects/${projectID}/fleets`)).toEqual([]);
    });
  });

  it('leaves a project alone that is on its way here, is deleted or has moved, and applies the rest', async () => {
    const files = [0, 1, 2].map((count) => fileOf([project, { name: `other ${count}` }]));
    const reasons: unknown[] = [];
    const look = async (file: ReadProvisionFile | undefined): Promise<TestApp> => {
      const app = await restart(file);
      const warning = app.logs.find((line) => line.includes('an entry was left as it is'));
      reasons.push(JSON.parse(warning ?? '{}').reason);
      return app;
    };
    const of = `/v1/projects/${projectID}`;
    const first = await start();
    const as = { access: first.admin };
    await first.request('POST', '/v1/project_arrivals', { as, body: newArrival(projectID) });
    const arriving = await look(files[0]);
    expect((await arriving.request('DELETE', of, { as: { access: arriving.admin } })).status).toBe(204);
    const deleted = await look(files[1]);
    const finish = { as: { access: deleted.admin }, body: { runID: someRunID } };
    await deleted.request('POST', '/v1/project_arrivals', { ...finish, body: newArrival(projectID) });
    expect((await deleted.request('POST', `/v1/project_arrivals/${projectID}/finish`, finish)).status).toBe(
      200,
    );
    for (const step of ['freeze', 'leave']) {
      const body = { step, runID: someRunID, targetURL: 'https://c.example.com' };
      const taken = await deleted.request('POST', `${of}/departure`, { ...finish, body });
      expect([step, taken.status]).toEqual([step, 200]);
    }
    const last = await look(files[2]);
    expect(reasons).toEqual([
      'it is on its way here from https://a.example.com; apply the file again when it is here',
      'it has been deleted',
      'it moves to https://c.example.com; apply the file there',
    ]);
    const names = (await list<Project>(last, '/v1/projects')).map(({ name }) => name);
    expect(names.toSorted()).toEqual(['default', 'other 0', 'other 1', 'other 2']);
  });

  it('ends the start if it cannot be applied, and changes nothing', async () => {
    await start();
    const broken = fileOf([project, { name: 'other', members: [{ subject: 'ada', role: 'viewer' }] }]);
    const failed = restart(broken);
    await expect(failed).rejects.toThrow(ConfigError);
    await expect(failed).rejects.toThrow(
      'at /projects/1/members/0/subject: needs an identity provider, but MUSTER_OIDC_ISSUER is not set. Without one, give the userID',
    );
    expect(await list<Project>(await start(), '/v1/projects')).toMatchObject([{ name: 'default' }]);
  });

  if (testEngine !== 'postgres') {
    process.stderr.write('Skipped on SQLite: one process at a time has the database.\n');
  }
  it.runIf(testEngine === 'postgres')('is applied once by replicas that start at once', async () => {
    await start();
    const file = fileOf([{ name: 'by name' }, project]);
    const apps = await Promise.all([start(file), start(file), start(file)]);
    // Each start brings an administrator's token of its own, and the last one is valid.
    const projects = await list<Project>(await start(), '/v1/projects');
    expect(projects.map(({ name }) => name).toSorted()).toEqual(['by name', 'default', 'edge']);
    const lines = apps.flatMap(({ logs }) => logs.filter((line) => line.includes('an entry was applied')));
    expect(lines).toHaveLength(3);
  });
});
