import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { defaultHttpLimits, type HttpLimits } from '@muster/http/connections/http-limits';
import { pino } from 'pino';
import { type App, buildApp } from '../app/build-app.ts';
import type { AlertOptions } from '../app/composition/create-alerts.ts';
import { migrate } from '../foundation/database/migrate.ts';
import { openDatabase } from '../foundation/database/open-database.ts';
import type { KeyPairFiles } from '../foundation/http/tls/key-pair-files.ts';
import { type RandomBytes, Secret, systemRandomBytes } from '../foundation/secret.ts';
import { type Config, readConfig } from '../foundation/settings/config.ts';
import type { LogLevel } from '../foundation/settings/setting-types.ts';
import type { ReadProvisionFile } from '../people/provisioning/provision-file.ts';
import type { RunBackup } from '../upkeep/backups/backup-service.ts';
import { AnswerChecker } from './calls/check-answer.ts';
import { schemaCompilers } from './calls/schema-compilers.ts';
import { createTestClock, type TestClock } from './test-clock.ts';
import { dropTestDatabase, prepareMigratedDatabase } from './test-database.ts';

/** The credential of a test's request. */
export interface Credentials {
  readonly access?: string;
  readonly project?: string;
  readonly agent?: string;
  readonly core_instance?: string;
}

export interface RequestOptions {
  readonly as?: Credentials;
  /** Sent as JSON; a string or bytes are sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** Parsed if it is JSON. The test chooses its type. */
  readonly body: Body;
}

export interface TestProject {
  readonly id: string;
  /** Its first token, with the agent preset. */
  readonly token: string;
}

export interface TestApp {
  readonly app: App;
  readonly clock: TestClock;
  /** The administrator's access token. */
  readonly admin: string;
  readonly dataDirectory: string;
  /** Every log line so far, at the most verbose level. */
  readonly logs: readonly string[];
  /** Sends a request through the whole HTTP stack, and checks the answer against the OpenAPI document. */
  request<Body = unknown>(method: string, url: string, options?: RequestOptions): Promise<Answer<Body>>;
  createProject(name?: string): Promise<TestProject>;
  /** Creates a token with these permissions; returns its value and id. */
  createToken(projectID: string, permissions: readonly string[]): Promise<{ id: string; token: string }>;
  registerAgent(
    project: TestProject,
    machineID?: string,
    rawConfig?: string,
  ): Promise<{ id: string; token: string }>;
  /** Creates a core instance; returns its token and id. */
  createCoreInstance(project: TestProject, body?: object): Promise<{ id: string; token: string }>;
  close(): Promise<void>;
}

export interface TestAppOptions {
  /** Absent: the real clock. */
  readonly randomBytes?: RandomBytes;
  readonly config?: Partial<Config>;
  readonly clock?: TestClock;
  /** An existing directory, for data that must survive a restart. Not removed at the end. */
  readonly dataDirectory?: string;
  /** Absent: the most verbose level, at which every answer is logged and no report takes the shortcut. */
  readonly logLevel?: LogLevel;
  /** Absent: plain HTTP. */
  readonly tls?: KeyPairFiles;
  /** Shorter limits, for waits that are too long for a test. */
  readonly httpLimits?: Partial<HttpLimits>;
  /** Absent: `runsInBackground` is false, and groups are counted only when a test reads counts. */
  readonly groupIntervalMilliseconds?: number;
  /** Absent: as usual. */
  readonly eventPollMilliseconds?: number;
  /** Absent: the app makes no backups. */
  readonly runBackup?: RunBackup;
  /** Absent: alerts are sent only in `app.runAlerts()`. */
  readonly alerts?: AlertOptions;
  /** Absent: none. */
  readonly provisionFile?: ReadProvisionFile;
  /** Absent: the app has no dashboard. */
  readonly dashboardDirectory?: string;
}

const checker = new AnswerChecker();

/** The real app on a real database in its own directory, without a port. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const dataDirectory = options.dataDirectory ?? mkdtempSync(join(tmpdir(), 'muster-test-'));
  const clock = options.clock ?? createTestClock();
  const randomBytes = options.randomBytes ?? systemRandomBytes;
  const admin = toHex(randomBytes(32));
  const config: Config = {
    ...readConfig({ env: {}, flags: {} }),
    dataDirectory,
    databaseUrl: await prepareMigratedDatabase(dataDirectory),
    adminToken: new Secret(admin),
    secretKey: new Secret('the-secret-key-of-all-apps-of-tests'),
    newErrorsPerAgentPerMinute: 0,
    invalidCredentialsPerAddressPerMinute: 0,
    // No background scans of the database.
    maxStoredBytesPerProject: 0,
    ...options.config,
  };
  const logs: string[] = [];
  const database = await openDatabase({ ...config, onConnectionError: () => undefined });
  await migrate(database);
  const app = await buildApp({
    config,
    database,
    logger: pino({ level: options.logLevel ?? 'trace' }, collect(logs)),
    clock: clock.now,
    monotonic: clock.monotonic,
    randomBytes,
    version: '0.0.0-test',
    schemaCompilers,
    httpLimits: { ...defaultHttpLimits, ...options.httpLimits },
    tls: options.tls,
    runsInBackground: options.groupIntervalMilliseconds !== undefined,
    groupIntervalMilliseconds: options.groupIntervalMilliseconds,
    eventPollMilliseconds: options.eventPollMilliseconds,
    runBackup: options.runBackup,
    alerts: { resolve: resolveNothing, ...options.alerts },
    provisionFile: options.provisionFile,
    dashboardDirectory: options.dashboardDirectory,
  }).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  // What it does in the background would be among the statements that a test counts.
  await app.cleanedUp;

  const request: TestApp['request'] = async <Body>(
    method: string,
    url: string,
    sent: RequestOptions = {},
  ) => {
    const response = await app.http.inject({
      method: method as 'GET', // any method that Node knows
      url,
      headers: { ...credentialHeaders(sent.as), ...bodyHeaders(sent.body), ...sent.headers },
      ...(sent.body === undefined ? {} : { payload: toPayload(sent.body) }),
    });
    const contentType = response.headers['content-type']?.toString();
    const [path = ''] = url.split('?', 1);
    if (method !== 'HEAD')
      checker.check({
        method,
        path,
        status: response.statusCode,
        contentType,
        isMinimal: response.headers['preference-applied'] === 'return=minimal',
        text: response.body,
      });
    return {
      status: response.statusCode,
      headers: response.headers as Record<string, string | undefined>, // no header of ours is sent twice
      text: response.body,
      body: (/[/+]json/.test(contentType ?? '') ? JSON.parse(response.body) : undefined) as Body, // the test says what it expects
    };
  };

  return {
    app,
    clock,
    admin,
    dataDirectory,
    logs,
    request,
    async createProject(name = 'test') {
      const { body } = await request<TestProject>('POST', '/v1/projects', {
        as: { access: admin },
        body: { name },
      });
      return { id: body.id, token: body.token };
    },
    async createToken(projectID, permissions) {
      const { body } = await request<{ id: string; token: string }>(
        'POST',
        `/v1/projects/${projectID}/tokens`,
        {
          as: { access: admin },
          body: { name: 'test', permissions },
        },
      );
      return { id: body.id, token: body.token };
    },
    async registerAgent(project, machineID = toHex(randomBytes(16)), rawConfig = '[INPUT]\n  name cpu\n') {
      const { body } = await request<{ id: string; token: string }>('POST', '/v1/agents', {
        as: { project: project.token },
        body: { name: 'web-01', machineID, rawConfig },
      });
      return { id: body.id, token: body.token };
    },
    async createCoreInstance(project, body = {}) {
      const { body: maker } = await request<{ token: string }>('POST', `/v1/projects/${project.id}/tokens`, {
        as: { access: admin },
        body: { name: 'sites', permissions: ['create:core_instance'] },
      });
      const created = await request<{ id: string; token: string }>('POST', '/v1/core_instances', {
        as: { project: maker.token },
        body,
      });
      return { id: created.body.id, token: created.body.token };
    },
    async close() {
      await app.close();
      if (options.dataDirectory === undefined) {
        rmSync(dataDirectory, { recursive: true });
        await dropTestDatabase(dataDirectory);
      }
    },
  };
}

/** No test asks a name server. */
async function resolveNothing(): Promise<never> {
  throw Object.assign(new Error('no such host'), { code: 'ENOTFOUND' });
}

function credentialHeaders({
  access,
  project,
  agent,
  core_instance,
}: Credentials = {}): Record<string, string> {
  return {
    ...(access === undefined ? {} : { authorization: `Bearer ${access}` }),
    ...(project === undefined ? {} : { 'x-project-token': project }),
    ...(agent === undefined ? {} : { 'x-agent-token': agent }),
    ...(core_instance === undefined ? {} : { 'x-core-instance-token': core_instance }),
  };
}

function bodyHeaders(body: unknown): Record<string, string> {
  return body === undefined ? {} : { 'content-type': 'application/json' };
}

function toPayload(body: unknown): string | Buffer {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return body;
  return JSON.stringify(body);
}

function collect(lines: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
