import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takesAllRounds } from '../../../../../test/rounds.ts';
import { type Row, send, type Target, takesKind, titled } from '../../../testing/calls/credential-table.ts';
import { everyGrant, isCovered } from '../../../testing/calls/every-grant.ts';
import { problemBody } from '../../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp, type TestProject } from '../../../testing/start-test-app.ts';

let app: TestApp;
let project: TestProject;
/** One project token per grant. */
const tokens = new Map<string, string>();

beforeAll(async () => {
  app = await startTestApp();
  project = await app.createProject();
  for (const grant of everyGrant) tokens.set(grant, (await app.createToken(project.id, [grant])).token);
});

afterAll(() => app.close());

function missing({ needs }: Row, grants: readonly string[]): string | undefined {
  return needs.find((permission) => !grants.some((grant) => isCovered(permission, grant)));
}

/** The complete refusal for a project token with these grants. It names everything that the route needs. */
function denied({ needs }: Row, grants: readonly string[]) {
  const named =
    grants.length > 5 ? `${grants.length} others` : grants.map((grant) => `'${grant}'`).join(', ');
  const own = grants.length === 0 ? 'no permission at all' : `only ${named}`;
  return problemBody(
    'permission_denied',
    needs.length === 1
      ? `This needs the permission '${needs[0]}', and this credential has ${own}. Use a token that has it, or add it to this one.`
      : `This needs the permissions ${needs.map((one) => `'${one}'`).join(' and ')}, and this credential has ${own}. Use a token that has them, or add them to this one.`,
  );
}

const rows = takesKind('project');
/** Of the grants that do not cover what a row needs, each row tries one in eight by itself, the next row others. All of them are refused together too. */
const grantsInTurn = 8;

function grantsToTry(row: Row): readonly string[] {
  const turn = rows.indexOf(row);
  return everyGrant.filter(
    (grant, index) =>
      takesAllRounds || missing(row, [grant]) === undefined || (index + turn) % grantsInTurn === 0,
  );
}

describe.each(titled(rows))('%s, by permission', (_, row) => {
  let shared: Target;

  beforeAll(async () => {
    shared = await row.target(app, project);
  });

  it('accepts exactly the single permissions and wildcards that cover it', async () => {
    for (const grant of grantsToTry(row)) {
      const as = { project: tokens.get(grant) ?? '' };
      const lacks = missing(row, [grant]);
      const target = lacks === undefined ? await row.target(app, project) : shared;
      const answer = await send(app, row, target, { as });
      expect([grant, answer.status]).toEqual([grant, lacks === undefined ? row.success : 403]);
      if (lacks !== undefined) expect(answer.body).toEqual(denied(row, [grant]));
    }
    // None of the refused requests had an effect. A token of its own, because the one above may have rotated itself.
    const { token } = await app.createToken(project.id, ['*']);
    expect((await send(app, row, shared, { as: { project: token } })).status).toBe(row.success);
  });

  it('accepts the exact permissions together, and refuses all others together', async () => {
    const exact = await app.createToken(project.id, row.needs);
    const target = await row.target(app, project);
    expect((await send(app, row, target, { as: { project: exact.token } })).status).toBe(row.success);
    if (row.needs.length === 0) return;
    const others = everyGrant.filter(
      (grant) => !row.needs.some((permission) => isCovered(permission, grant)),
    );
    const rest = await app.createToken(project.id, others);
    const answer = await send(app, row, shared, { as: { project: rest.token } });
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual(denied(row, others));
  });

  it('refuses a token without any permission', async () => {
    const { token } = await app.createToken(project.id, []);
    const answer = await send(app, row, shared, { as: { project: token } });
    const needsNone = row.needs.length === 0;
    expect(answer.status).toBe(needsNone ? row.success : 403);
    if (!needsNone) expect(answer.body).toEqual(denied(row, []));
  });
});

describe.each(titled(takesKind('core_instance')))('%s, as a core instance', (_, row) => {
  it('accepts the core instance itself', async () => {
    const target = await row.target(app, project);
    const own = target.coreInstanceToken ?? (await app.createCoreInstance(project)).token;
    expect((await send(app, row, target, { as: { core_instance: own } })).status).toBe(row.success);
  });
});

describe.each(titled(takesKind('agent')))('%s, as an agent', (_, row) => {
  it('accepts the agent itself', async () => {
    const target = await row.target(app, project);
    const agent = target.agentToken ?? (await app.registerAgent(project)).token;
    expect((await send(app, row, target, { as: { agent } })).status).toBe(row.success);
  });
});
