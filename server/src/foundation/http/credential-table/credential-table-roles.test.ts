import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Row, send, type Target, takesKind, titled } from '../../../testing/calls/credential-table.ts';
import { addUser } from '../../../testing/stages/people-targets.ts';
import { startTestApp, type TestApp, type TestProject } from '../../../testing/start-test-app.ts';

/** What each column may do in the project of the target, written by hand from the documentation. */
const columns: Readonly<Record<string, Column>> = {
  administrator: { may: () => true, onInstallation: () => true },
  owner: { role: { role: 'owner' }, may: () => true },
  operator: {
    role: { role: 'operator' },
    may: (action, resource) => action === 'read' || !['project', 'member'].includes(resource),
  },
  viewer: { role: { role: 'viewer' }, may: (action) => action === 'read' },
  // Passes what can be decided without the project, so that only the project itself can refuse.
  'a viewer who owns another project': {
    role: { role: 'viewer' },
    ownsAnother: true,
    may: (action) => action === 'read',
  },
  'a member with two permissions': {
    role: { permissions: ['read:agent', 'update:agent_error'] },
    may: (action, resource) => ['read:agent', 'update:agent_error'].includes(`${action}:${resource}`),
  },
  'a member without any permission': { role: { permissions: [] }, may: () => false },
  'an owner with an access token narrowed to reading': {
    role: { role: 'owner' },
    narrowing: () => ({ permissions: ['read:*'] }),
    may: (action) => action === 'read',
  },
  'an owner with an access token narrowed to the project': {
    role: { role: 'owner' },
    narrowing: (projectID) => ({ projects: [projectID] }),
    may: () => true,
  },
  'an administrator with an access token narrowed to reading': {
    narrowing: () => ({ permissions: ['read:*'] }),
    may: (action) => action === 'read',
    onInstallation: (action) => action === 'read',
  },
};

/** Users for whom the project does not exist. */
const strangers = [
  'an owner of another project',
  'an owner with an access token narrowed to another project',
];

interface Column {
  /** Absent: the administrator of the installation. */
  readonly role?: object;
  readonly ownsAnother?: boolean;
  readonly narrowing?: (projectID: string) => object;
  readonly may: (action: string, resource: string) => boolean;
  readonly onInstallation?: (action: string, resource: string) => boolean;
}

let app: TestApp;
let project: TestProject;
const callers = new Map<Column, Promise<string>>();
let other: TestProject;
/** The tokens of `strangers`. */
let strangerTokens: readonly string[];
/** Of a user without any role. */
let withoutRole: string;

beforeAll(async () => {
  app = await startTestApp();
  project = await app.createProject();
  other = await app.createProject('other');
  const [user, both] = [await addUser(app), await addUser(app)];
  await join(other.id, user.userID, { role: 'owner' });
  await join(other.id, both.userID, { role: 'owner' });
  await join(project.id, both.userID, { role: 'owner' });
  strangerTokens = [user.token, await narrow(both.token, { projects: [other.id] })];
  withoutRole = (await addUser(app)).token;
});

afterAll(() => app.close());

async function join(projectID: string, userID: string, role: object): Promise<void> {
  const answer = await app.request('POST', `/v1/projects/${projectID}/members`, {
    as: { access: app.admin },
    body: { userID, ...role },
  });
  expect(answer.status).toBe(201);
}

async function narrow(token: string, narrowing: object): Promise<string> {
  const { status, body } = await app.request<{ token: string }>('POST', '/v1/access_tokens', {
    as: { access: token },
    body: { name: 'narrowed', ...narrowing },
  });
  expect(status).toBe(201);
  return body.token;
}

/** A caller of the column, with its role in the project: for the shared project always the same, because no row changes it. */
async function callerOf(column: Column, projectID = project.id): Promise<string> {
  if (projectID !== project.id) return createCaller(column, projectID);
  const known = callers.get(column) ?? createCaller(column, projectID);
  callers.set(column, known);
  return known;
}

async function createCaller({ role, ownsAnother, narrowing }: Column, projectID: string): Promise<string> {
  let token = app.admin;
  if (role !== undefined) {
    const user = await addUser(app);
    await join(projectID, user.userID, role);
    if (ownsAnother) await join(other.id, user.userID, { role: 'owner' });
    token = user.token;
  }
  return narrowing === undefined ? token : narrow(token, narrowing(projectID));
}

/** Whoever is a member already cannot accept an invitation to the same project. */
async function targetOf(row: Row): Promise<Target> {
  return row.target(app, row.path.endsWith('/accept') ? await app.createProject() : project);
}

function expected(row: Row, { may, onInstallation = () => false, role, narrowing }: Column): number {
  // It was created by the administrator.
  if (row.path.startsWith('/v1/access_tokens/{accessTokenID}')) {
    return role === undefined && narrowing === undefined ? row.success : 404;
  }
  // It is one of the administrator.
  if (row.path === '/v1/sessions/{sessionID}') {
    return role === undefined && onInstallation('delete', 'member') ? row.success : 404;
  }
  // It would give the user a role that the token does not have.
  if (row.path === '/v1/invitations/accept' && narrowing !== undefined) return 403;
  const asked = row.scope === 'installation' ? onInstallation : may;
  if (row.scope === 'visible') return row.success;
  return row.needs.every((need) => asked(...(need.split(':') as [string, string]))) ? row.success : 403; // action:resource
}

// What belongs to which project is decided by statements of each operation, so on every engine. First, because
// the rows that follow are only some on PostgreSQL: a group that one of them mutes stays muted.
describe.each(titled(takesKind('access')))('%s, as a user', (_, row) => {
  it('looks to those who have no part in the project as if it did not exist', async () => {
    if (row.needs.length === 0 || row.scope !== undefined) return;
    const target = await targetOf(row);
    for (const [index, access] of strangerTokens.entries()) {
      const answer = await send(app, row, target, { as: { access } });
      expect([strangers[index], answer.status]).toEqual([strangers[index], 404]);
      expect(answer.body).toMatchObject({ code: 'not_found' });
    }
    // None of them had an effect.
    expect((await send(app, row, target, { as: { access: app.admin } })).status).toBe(row.success);
  });

  it('refuses a user without any role', async () => {
    if (row.needs.length === 0 || row.scope === 'visible') return;
    const target = await targetOf(row);
    const answer = await send(app, row, target, { as: { access: withoutRole } });
    // The permission for events depends on their types, which are read after the project.
    expect(answer.status).toBe(row.path.endsWith('/events') ? 404 : 403);
  });
});

describe.each(titled(takesKind('access')))('%s, as a user', (_, row) => {
  let refused: Target | undefined;

  it.each(Object.entries(columns))('answers %s as the role says', async (_name, column) => {
    const status = expected(row, column);
    if (status !== row.success) refused ??= await targetOf(row);
    const target = status === row.success ? await targetOf(row) : (refused ?? expect.unreachable());
    const access = await callerOf(
      column,
      row.scope === 'installation' ? project.id : target.params.projectID,
    );
    const answer = await send<{ code?: string }>(app, row, target, { as: { access } });
    expect(answer.status, answer.text).toBe(status);
    if (status === 403) expect(answer.body.code).toBe('permission_denied');
  });

  it('has no effect if it is refused', async () => {
    if (refused === undefined) return;
    expect((await send(app, row, refused, { as: { access: app.admin } })).status).toBe(row.success);
  });
});
