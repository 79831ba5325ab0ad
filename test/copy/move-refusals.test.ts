import { randomUUID } from 'node:crypto';
import {
  beginArrival,
  departProject,
  finishArrival,
  readDepartingRows,
  type WriteArrivingRows,
  writeArrivingRows,
} from '@muster/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../server/src/foundation/secret.ts';
import { changeRows } from '../../server/src/testing/rows/change-rows.ts';
import { createTestClock } from '../../server/src/testing/test-clock.ts';
import { fillEveryTable } from '../backup/fill-every-table.ts';
import { createTarget } from './copy-places.ts';
import { type Installation, move, startInstallation } from './move-places.ts';

interface Created {
  readonly id: string;
  readonly token: string;
}

type Row = (null | number | string | { base64: string })[];

describe.each(['sqlite', 'postgres'] as const)('an installation on %s where a project arrives', (engine) => {
  let source: Installation;
  let target: Installation;
  let project: Created;
  /** A project of the target itself. */
  let other: Created;
  let otherAgent: Created;
  const runID = randomUUID();

  beforeAll(async () => {
    const clock = createTestClock();
    source = await startInstallation('sqlite', { clock, name: 'a' });
    target = await startInstallation(engine, { clock, name: 'b' });
    project = await source.app.createProject('moving');
    const agent = await source.app.registerAgent(project);
    await source.app.request('POST', `/v1/agents/${agent.id}/errors`, {
      as: { agent: agent.token },
      body: { error: 'a fault' },
    });
    clock.advance(1_000);
    other = await target.app.createProject('theirs');
    otherAgent = await target.app.registerAgent(other);
    await begin();
    for (const table of ['projects', 'project_tokens', 'agents']) await write(await pageOf(table));
  });

  afterAll(async () => {
    await source.close();
    await target.close();
  });

  async function begin(changes: object = {}) {
    const { name, version, migrations } = await departProject(source.client, {
      projectID: project.id,
      body: { step: 'begin', runID, targetURL: target.url },
    });
    const body = { projectID: project.id, name, runID, sourceURL: source.url, version, migrations };
    return beginArrival(target.client, { body: { ...body, ...changes } });
  }

  async function pageOf(table: string): Promise<{ table: string; columns: string[]; rows: Row[] }> {
    const { columns, rows } = await readDepartingRows(source.client, {
      projectID: project.id,
      body: { table },
    });
    return { table, columns: [...columns], rows: rows.map((row) => [...row] as Row) }; // as the contract describes them
  }

  function write(page: Pick<WriteArrivingRows, 'table' | 'after' | 'through' | 'columns' | 'rows'>) {
    return writeArrivingRows(target.client, { projectID: project.id, body: { runID, ...page } });
  }

  /** The page with another value in a column of its first row. */
  async function changed(table: string, column: string, value: Row[number]) {
    const page = await pageOf(table);
    const [first] = page.rows;
    if (first === undefined) throw new Error(`${table} is empty`);
    first[page.columns.indexOf(column)] = value;
    return page;
  }

  const refused = { code: 'project_page_refused' };

  it('refuses rows of another project', async () => {
    for (const table of ['project_tokens', 'agents', 'agent_errors', 'agent_configs']) {
      await expect(write(await changed(table, 'project_id', other.id)), table).rejects.toMatchObject(refused);
    }
    await expect(write(await changed('audit_chains', 'chain_id', other.id))).rejects.toMatchObject(refused);
    await expect(write(await changed('projects', 'id', other.id))).rejects.toMatchObject(refused);
  });

  it('refuses rows that belong to a row of another project', async () => {
    await expect(write(await changed('agent_tokens', 'agent_id', otherAgent.id))).rejects.toMatchObject(
      refused,
    );
    await expect(write(await changed('agent_errors', 'agent_id', otherAgent.id))).rejects.toMatchObject(
      refused,
    );
    await expect(write(await changed('agent_configs', 'agent_id', otherAgent.id))).rejects.toMatchObject(
      refused,
    );
  });

  it('refuses an id or a credential that is here already', async () => {
    await expect(write(await changed('agents', 'id', otherAgent.id))).rejects.toMatchObject(refused);
    const digest = await digestOfToken(other.id);
    await expect(write(await changed('project_tokens', 'digest', digest))).rejects.toMatchObject({
      ...refused,
      problem: { detail: expect.stringContaining('another project here has a row with the same digest') },
    });
  });

  async function digestOfToken(projectID: string): Promise<Row[number]> {
    const { columns, rows } = await readDepartingRows(target.client, {
      projectID,
      body: { table: 'project_tokens' },
    });
    return String(rows[0]?.[columns.indexOf('digest')]);
  }

  it('refuses other columns, rows outside of their range, tables that do not move, and a foreign run', async () => {
    const page = await pageOf('agents');
    await expect(write({ ...page, columns: [...page.columns, 'key'] })).rejects.toMatchObject(refused);
    await expect(write({ ...page, rows: page.rows.map((row) => row.slice(1)) })).rejects.toMatchObject(
      refused,
    );
    await expect(write({ ...page, after: ['ffffffff-ffff-7fff-bfff-ffffffffffff'] })).rejects.toMatchObject(
      refused,
    );
    await expect(write({ ...page, after: ['1', '2'] })).rejects.toMatchObject(refused);
    await expect(write({ ...page, rows: [...page.rows, ...page.rows] })).rejects.toMatchObject(refused);
    for (const table of ['users', 'access_tokens', 'sessions', 'project_moves', 'agents; drop table agents'])
      await expect(write({ table, columns: [], rows: [] }), table).rejects.toMatchObject(refused);
    const foreign = writeArrivingRows(target.client, {
      projectID: project.id,
      body: { runID: randomUUID(), ...page },
    });
    await expect(foreign).rejects.toMatchObject({ code: 'project_move_refused' });
    const finished = finishArrival(target.client, { projectID: project.id, body: { runID: randomUUID() } });
    await expect(finished).rejects.toMatchObject({ code: 'project_move_refused' });
  });

  it('has changed nothing of the other project by that', async () => {
    const as = { access: target.app.admin };
    const { body } = await target.app.request('GET', `/v1/projects/${other.id}/agents`, { as });
    expect(body).toMatchObject([{ id: otherAgent.id, openErrorsCount: 0 }]);
  });

  it('refuses ids that no project has, such as that of the log of the installation', async () => {
    for (const projectID of ['00000000-0000-0000-0000-000000000000', randomUUID()]) {
      await expect(begin({ projectID }), projectID).rejects.toMatchObject({ code: 'project_move_refused' });
    }
  });

  it('refuses a project that is here, and another version', async () => {
    await expect(begin({ projectID: other.id })).rejects.toMatchObject({ code: 'project_move_refused' });
    await expect(begin({ version: '9.9.9' })).rejects.toMatchObject({ code: 'project_move_refused' });
    await expect(begin({ migrations: [] })).rejects.toMatchObject({ code: 'project_move_refused' });
  });

  it('shows nothing of it, and accepts no credential of it', async () => {
    const as = { access: target.app.admin };
    const { body: projects } = await target.app.request('GET', '/v1/projects', { as });
    expect(projects).not.toContainEqual(expect.objectContaining({ id: project.id }));
    const own = await target.app.request('GET', '/v1/me', { as: { project: project.token } });
    expect([own.status, own.body, own.headers['retry-after']]).toMatchObject([
      503,
      { code: 'project_moving' },
      '5',
    ]);
    const one = await target.app.request('GET', `/v1/projects/${project.id}`, { as });
    expect([one.status, one.body]).toMatchObject([503, { code: 'project_moving' }]);
  });

  it('is asked by administrators alone, with a credential that is not narrowed: they get every secret of the project', async () => {
    const { token } = await source.app.createToken(project.id, ['*']);
    const urls = [
      ['/v1/project_arrivals', {}],
      [`/v1/project_arrivals/${project.id}/rows`, {}],
      [`/v1/project_arrivals/${project.id}/finish`, {}],
      [`/v1/projects/${project.id}/departure`, {}],
      [`/v1/projects/${project.id}/departure/rows`, {}],
    ] as const;
    const narrowings = [
      { projects: [project.id] },
      { permissions: ['create:project', 'delete:project'] },
      { permissions: ['*:project', 'read:*'] },
    ];
    const narrowed: string[] = [];
    for (const narrowing of narrowings) {
      const { body } = await source.app.request<Created>('POST', '/v1/access_tokens', {
        as: { access: source.app.admin },
        body: { name: 'narrow', ...narrowing, expiresAt: '2030-01-01T00:00:00Z' },
      });
      narrowed.push(body.token);
    }
    for (const [url, body] of urls) {
      const byToken = await source.app.request('POST', url, { as: { project: token }, body });
      expect([byToken.status, byToken.body], url).toMatchObject([
        403,
        { code: 'credential_kind_not_accepted' },
      ]);
      for (const access of narrowed) {
        const byMember = await source.app.request('POST', url, { as: { access }, body });
        expect([byMember.status, byMember.body], url).toMatchObject([
          403,
          { code: 'permission_denied', detail: expect.stringContaining("'*:*' on the installation") },
        ]);
      }
    }
  });

  it('takes nothing more of it after somebody has deleted it there, until it is to arrive again', async () => {
    const url = `/v1/projects/${project.id}`;
    const as = { access: target.app.admin };
    expect((await target.app.request('DELETE', url, { as })).status).toBe(204);
    const deleted = {
      code: 'project_move_refused',
      problem: { detail: expect.stringContaining('was deleted here') },
    };
    const page = await pageOf('agents');
    await expect(write(page)).rejects.toMatchObject(deleted);
    await expect(write({ table: 'agents' })).rejects.toMatchObject(deleted);
    const finish = () => finishArrival(target.client, { projectID: project.id, body: { runID } });
    await expect(finish()).rejects.toMatchObject(deleted);
    expect((await target.app.request('GET', url, { as })).status).toBe(404);
    await begin();
    await write(page);
    expect(await finish()).toMatchObject({ state: 'arrived' });
  });
});

describe('secrets of a project that moves', () => {
  it('are refused before the project is frozen where they cannot be stored, and go there once it has a key', async () => {
    const clock = createTestClock();
    const place = await createTarget();
    const startTarget = (secretKey: Secret | undefined) =>
      startInstallation('sqlite', { clock, name: 'b', config: { databaseUrl: place.url, secretKey } });
    const source = await startInstallation('sqlite', { clock, name: 'a' });
    const filled = await fillEveryTable(source.app, source.app.admin);
    const steps: string[] = [];
    source.hooks.before = async (step) => void steps.push(step);
    for (const [run, key] of [undefined, 'a first key', 'a second key'].entries()) {
      const target = await startTarget(key === undefined ? undefined : new Secret(key));
      if (run === 1)
        target.hooks.before = async (step) => {
          if (step.endsWith('write')) throw new Error('killed by the test');
        };
      const moved = move(source, target, filled.projectID);
      if (run === 0)
        await expect(moved).rejects.toMatchObject({
          code: 'project_move_refused',
          problem: { detail: expect.stringContaining('MUSTER_SECRET_KEY') },
        });
      else if (run === 1) await expect(moved).rejects.toThrow('killed by the test');
      else await expect(moved).resolves.toMatchObject({ isMoved: true });
      expect(steps.includes('departure freeze'), String(key)).toBe(run === 2);
      if (run === 2) expect(await filled.readFleetSecret(target.app)).toBe(true);
      await target.close();
    }
    await source.close();
    await place.drop();
  });

  it('stay behind if they have ended and cannot be read, and hold the project back if they are in use', async () => {
    const clock = createTestClock();
    const source = await startInstallation('sqlite', { clock, name: 'a' });
    const target = await startInstallation('sqlite', { clock, name: 'b' });
    const project = await source.app.createProject('moving');
    const ask = async (method: string, path: string, body?: object) => {
      const as = { access: source.app.admin };
      const answer = await source.app.request<Created>(method, `/v1/${path}`, { as, ...(body && { body }) });
      expect(answer.status, answer.text).toBeLessThan(300);
      return answer.body;
    };
    const used = await ask('POST', `projects/${project.id}/fleets`, { name: 'used' });
    const deleted = await ask('POST', `projects/${project.id}/fleets`, { name: 'deleted' });
    const set = ({ id }: Created, value: string) =>
      ask('PATCH', `fleets/${id}/secrets`, { set: [{ name: 'password', value }] });
    for (const fleet of [used, deleted]) await set(fleet, 'of the lost key');
    await changeRows(source.app.dataDirectory, "update fleet_secrets set key_id = 'lost'");
    await expect(move(source, target, project.id)).rejects.toThrow('cannot be read here');
    await set(used, 'set again');
    await expect(move(source, target, project.id)).rejects.toThrow('cannot be read here');
    await ask('DELETE', `fleets/${deleted.id}`);
    await expect(move(source, target, project.id)).resolves.toMatchObject({
      isMoved: true,
      tables: expect.arrayContaining([{ table: 'fleet_secrets', rows: 1 }]),
    });
    await source.close();
    await target.close();
  });

  it('are in no request, no answer and no log as they are, and cannot be opened without the key of the arrival', async () => {
    const clock = createTestClock();
    const source = await startInstallation('sqlite', { clock, name: 'a' });
    const target = await startInstallation('sqlite', { clock, name: 'b' });
    const filled = await fillEveryTable(source.app, source.app.admin);
    const seen: string[] = [];
    for (const { hooks } of [source, target]) hooks.seen = (text) => seen.push(text);
    await move(source, target, filled.projectID);
    expect(await filled.readFleetSecret(target.app)).toBe(true);
    const all = [...seen, ...source.app.logs, ...target.app.logs].join('\n');
    expect(all).toContain(filled.channelID);
    for (const secret of filled.secrets) expect(all).not.toContain(secret);
    await source.close();
    await target.close();
  });
});
