import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MusterProcess, startMuster } from '../../server/src/testing/muster-process.ts';
import { dropTestDatabase, prepareMigratedDatabase } from '../../server/src/testing/test-database.ts';
import { send } from './send.ts';

/** Three processes that serve one installation, started at the same time on an empty database. */
export interface ThreeReplicas {
  readonly replicas: readonly [MusterProcess, MusterProcess, MusterProcess];
  readonly databaseUrl: string;
  readonly admin: Readonly<Record<string, string>>;
  createProject(): Promise<{ id: string; token: string }>;
  createToken(
    projectID: string,
    permissions: readonly string[],
  ): Promise<{ id: string; token: string; createdAt: string }>;
  registerAgent(projectToken: string): Promise<{ id: string; token: string }>;
  stop(): Promise<void>;
}

export async function startThreeReplicas(env: Readonly<Record<string, string>> = {}): Promise<ThreeReplicas> {
  const name = mkdtempSync(join(tmpdir(), 'muster-replicas-'));
  const databaseUrl = await prepareMigratedDatabase(name);
  if (databaseUrl === undefined) throw new Error('replicas share a PostgreSQL database');
  const adminToken = randomBytes(32).toString('hex');
  const start = () =>
    startMuster({
      env: {
        DATABASE_URL: databaseUrl,
        MUSTER_ADMIN_TOKEN: adminToken,
        MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE: '0',
        MUSTER_MAX_OPEN_ERRORS_PER_AGENT: '0',
        MUSTER_INVALID_CREDENTIALS_PER_ADDRESS_PER_MINUTE: '0',
        ...env,
      },
    });
  const replicas = await Promise.all([start(), start(), start()] as const);
  const admin = { authorization: `Bearer ${adminToken}` };
  const { url } = replicas[0];
  return {
    replicas,
    databaseUrl,
    admin,
    async createProject() {
      const { body } = await send<{ id: string; token: string }>(`${url}/v1/projects`, {
        headers: admin,
        body: { name: 'test' },
      });
      return body;
    },
    async createToken(projectID, permissions) {
      const { body } = await send<{ id: string; token: string; createdAt: string }>(
        `${url}/v1/projects/${projectID}/tokens`,
        {
          headers: admin,
          body: { name: 'test', permissions },
        },
      );
      return body;
    },
    async registerAgent(projectToken) {
      const { body } = await send<{ id: string; token: string }>(`${url}/v1/agents`, {
        headers: { 'x-project-token': projectToken },
        body: { name: 'web-01', machineID: randomBytes(8).toString('hex'), rawConfig: '[INPUT]' },
      });
      return body;
    },
    async stop() {
      await Promise.all(replicas.map((replica) => replica.end()));
      await dropTestDatabase(name);
      rmSync(name, { recursive: true });
    },
  };
}
