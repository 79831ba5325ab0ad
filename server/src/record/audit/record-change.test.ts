import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditText, type JsonValue } from '@muster/contract';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNewID } from '../../foundation/clock.ts';
import type { ProjectTokenPrincipal, UserPrincipal } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import { migrate } from '../../foundation/database/migrate.ts';
import { openDatabase } from '../../foundation/database/open-database.ts';
import { systemRandomBytes } from '../../foundation/secret.ts';
import { createTestClock, testStart } from '../../testing/test-clock.ts';
import { dropTestDatabase, prepareMigratedDatabase, testEngine } from '../../testing/test-database.ts';
import { type AuditChange, AuditService } from './audit-service.ts';

const projectID = '0192f0a0-0000-7000-8000-000000000001';
const otherProjectID = '0192f0a0-0000-7000-8000-000000000002';
const tokenID = '0192f0a0-0000-7000-8000-000000000003';
const userID = '0192f0a0-0000-7000-8000-000000000004';
const accessTokenID = '0192f0a0-0000-7000-8000-000000000005';
const installation = '00000000-0000-0000-0000-000000000000';
const zeros = '0'.repeat(64);

const user: UserPrincipal = {
  kind: 'access',
  userID,
  name: 'ada',
  accessTokenID,
  isProvided: false,
  access: { installation: [], everyProject: [], projects: new Map() },
  isNarrowed: false,
  needs: [],
  expiresAt: null,
  origin: { address: '203.0.113.9', requestID: 'request.1' },
};

const created: AuditChange = {
  projectID,
  action: 'token.created',
  target: { kind: 'token', id: tokenID, name: 'ci' },
  after: { permissions: ['read:agent'], name: 'ci', expiresAt: null, left: undefined },
};

let dataDirectory: string;
let databaseUrl: string | undefined;
const opened: Database[] = [];
const clock = createTestClock();

beforeEach(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  databaseUrl = await prepareMigratedDatabase(dataDirectory);
});

afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

async function startReplica(): Promise<{ database: Database; audit: AuditService }> {
  const database = await openDatabase({ dataDirectory, databaseUrl, onConnectionError: () => undefined });
  opened.push(database);
  await migrate(database);
  const newID = createNewID(clock.now, systemRandomBytes);
  return { database, audit: new AuditService({ database, clock: clock.now, newID }) };
}

function readEntries({ read }: Database, chainID: string) {
  return read
    .selectFrom('audit_entries')
    .selectAll()
    .where('chain_id', '=', chainID)
    .orderBy('sequence')
    .execute();
}

/** The digest that an entry must have, from its columns alone. */
function digestOf(row: Awaited<ReturnType<typeof readEntries>>[number]): string {
  const text = auditText({
    id: row.id,
    sequence: row.sequence,
    projectID: row.chain_id === installation ? null : row.chain_id,
    createdAt: new Date(row.created_at).toISOString(),
    action: row.action,
    actor: {
      kind: row.actor_kind,
      id: row.actor_id,
      name: row.actor_name,
      credentialID: row.credential_id,
    },
    address: row.address,
    requestID: row.request_id,
    target: { kind: row.target_kind, id: row.target_id, name: row.target_name },
    before: JSON.parse(row.before_json) as JsonValue,
    after: JSON.parse(row.after_json) as JsonValue,
    previousDigest: row.previous_digest,
  });
  return hash('sha256', text);
}

async function expectWholeChain(database: Database, chainID: string, length: number): Promise<void> {
  const entries = await readEntries(database, chainID);
  expect(entries.map(({ sequence }) => sequence)).toEqual(Array.from({ length }, (_, index) => index + 1));
  expect(entries.map(({ previous_digest: previous }) => previous)).toEqual([
    zeros,
    ...entries.slice(0, -1).map(({ digest }) => digest),
  ]);
  expect(entries.map(({ digest }) => digest)).toEqual(entries.map(digestOf));
  const ends = await database.read
    .selectFrom('audit_chains')
    .selectAll()
    .where('chain_id', '=', chainID)
    .execute();
  expect(ends).toEqual([
    {
      chain_id: chainID,
      last_sequence: length,
      previous_digest: entries.at(-1)?.previous_digest,
      last_digest: entries.at(-1)?.digest,
      removed_sequence: 0,
      removed_digest: zeros,
      removed_at: null,
    },
  ]);
}

describe('the record of a change', () => {
  it('says who did what, from where, and what it was before and after', async () => {
    const { database, audit } = await startReplica();
    await database.write.transaction().execute((trx) => audit.record(trx, user, created));
    const entries = await readEntries(database, projectID);
    expect(entries).toEqual([
      {
        chain_id: projectID,
        sequence: 1,
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        created_at: testStart,
        action: 'token.created',
        actor_kind: 'user',
        actor_id: userID,
        actor_name: 'ada',
        credential_id: accessTokenID,
        address: '203.0.113.9',
        request_id: 'request.1',
        target_kind: 'token',
        target_id: tokenID,
        target_name: 'ci',
        before_json: 'null',
        after_json: '{"expiresAt":null,"name":"ci","permissions":["read:agent"]}',
        previous_digest: zeros,
        digest: expect.stringMatching(/^[\da-f]{64}$/),
      },
    ]);
    await expectWholeChain(database, projectID, 1);
  });

  it('has texts in any script, and its digest is over their UTF-8', async () => {
    const { database, audit } = await startReplica();
    const name = 'größe "x"\\ 日本 🦊 \u2028 \u0001';
    const change: AuditChange = {
      ...created,
      target: { kind: 'token', id: tokenID, name },
      before: { '"previousDigest":"': 1.5e-7, sequence: -0, nested: { b: [true, null], a: 1e21 } },
      after: { name },
    };
    for (let count = 0; count < 3; count += 1) {
      await database.write.transaction().execute((trx) => audit.record(trx, user, change));
    }
    await expectWholeChain(database, projectID, 3);
    const [entry] = await readEntries(database, projectID);
    expect(entry?.target_name).toBe(name);
  });

  it('belongs to the chain of its project, or to that of the installation', async () => {
    const { database, audit } = await startReplica();
    const by = { kind: 'system', name: 'MUSTER_PROVISION_FILE' } as const;
    await database.write
      .transaction()
      .execute((trx) =>
        audit.record(
          trx,
          by,
          { ...created, projectID: null, action: 'provisioning.applied' },
          { ...created, projectID: otherProjectID },
          created,
          { ...created, action: 'token.updated' },
        ),
      );
    await expectWholeChain(database, installation, 1);
    await expectWholeChain(database, otherProjectID, 1);
    await expectWholeChain(database, projectID, 2);
    const [entry] = await readEntries(database, installation);
    expect(entry).toMatchObject({
      actor_kind: 'system',
      actor_id: null,
      actor_name: 'MUSTER_PROVISION_FILE',
      address: null,
      request_id: null,
    });
  });

  it('contains no secret of a known form, wherever somebody wrote one', async () => {
    const { database, audit } = await startReplica();
    const secret = `mst_u_${'a'.repeat(43)}0b2aaa`;
    const by: UserPrincipal = {
      ...user,
      name: `ada ${secret}`,
      origin: { address: undefined, requestID: secret },
    };
    const change: AuditChange = {
      ...created,
      target: { kind: 'token', id: tokenID, name: secret },
      before: { reason: `leaked: ${secret}` },
      after: { filter: { q: [secret] } },
    };
    await database.write.transaction().execute((trx) => audit.record(trx, by, change));
    expect(JSON.stringify(await readEntries(database, projectID))).not.toContain('a'.repeat(10));
    await expectWholeChain(database, projectID, 1);
  });

  it('is refused for a remembered principal, which has made no request', async () => {
    const { database, audit } = await startReplica();
    const token: ProjectTokenPrincipal = {
      kind: 'project',
      tokenID,
      name: 'ci',
      projectID,
      grants: [],
      expiresAt: null,
    };
    const recording = database.write.transaction().execute((trx) => audit.record(trx, token, created));
    await expect(recording).rejects.toThrow('comes from the handler of a request');
  });

  it('is gone with the change if the transaction fails, and the chain goes on without a gap', async () => {
    const { database, audit } = await startReplica();
    await database.write.transaction().execute((trx) => audit.record(trx, user, created));
    const failing = database.write.transaction().execute(async (trx) => {
      await audit.record(trx, user, created);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await database.write.transaction().execute((trx) => audit.record(trx, user, created));
    await expectWholeChain(database, projectID, 2);
  });

  it('lets the change fail if it cannot be written', async () => {
    const { database, audit } = await startReplica();
    await sql`drop table audit_entries`.execute(database.write);
    const changing = database.write.transaction().execute(async (trx) => {
      await trx
        .insertInto('projects')
        .values({ id: projectID, name: 'edge', created_at: 0, updated_at: 0, deleted_at: null })
        .execute();
      await audit.record(trx, user, created);
    });
    await expect(changing).rejects.toThrow();
    expect(await database.read.selectFrom('projects').selectAll().execute()).toEqual([]);
  });

  it('is never changed or deleted afterwards', async () => {
    const { database, audit } = await startReplica();
    await database.write.transaction().execute((trx) => audit.record(trx, user, created));
    const changing = database.write
      .updateTable('audit_entries')
      .set({ actor_name: 'somebody else' })
      .execute();
    await expect(changing).rejects.toThrow('never changed');
    await expect(database.write.deleteFrom('audit_entries').execute()).rejects.toThrow('retention');
    await expectWholeChain(database, projectID, 1);
  });
});

describe('records of several replicas', () => {
  it('follow one another in one chain, whoever commits first', async () => {
    // SQLite has one process, so its writers are the transactions of one.
    const replicas = [await startReplica()];
    if (testEngine === 'postgres') replicas.push(await startReplica());
    const writes = replicas.flatMap(({ database, audit }) =>
      Array.from({ length: 40 }, (_, index) =>
        database.write.transaction().execute(async (trx) => {
          const others = index % 3 === 0 ? [{ ...created, projectID: otherProjectID }] : [];
          const ofAll = index % 5 === 0 ? [{ ...created, projectID: null }] : [];
          await audit.record(trx, user, ...ofAll, created, ...others);
        }),
      ),
    );
    await Promise.all(writes);
    const [first] = replicas;
    if (first === undefined) throw new Error('there is a replica');
    await expectWholeChain(first.database, projectID, 40 * replicas.length);
    await expectWholeChain(first.database, otherProjectID, 14 * replicas.length);
    await expectWholeChain(first.database, installation, 8 * replicas.length);
  });
});
