import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type MusterProcess, startMuster } from '../../server/src/testing/muster-process.ts';
import { type PostgresPair, startPostgresPair } from '../../server/src/testing/postgres/postgres-pair.ts';
import { send } from '../replicas/send.ts';
import { startReportLoad } from './report-load.ts';

export const postgresFaults = ['crash', 'terminate', 'freeze', 'promote'] as const;
type PostgresFault = (typeof postgresFaults)[number];

export interface PostgresFaultOptions {
  readonly fault: PostgresFault;
  readonly connections: number;
  /** How long the load runs before the fault, and again after the database is back. */
  readonly steadyMilliseconds: number;
  /** How long the database is away; for a promotion, how long the crash goes unnoticed. */
  readonly awayMilliseconds: number;
}

/** The results of a run. */
export interface PostgresFaultFigures {
  readonly fault: PostgresFault;
  readonly acknowledged: number;
  /** Acknowledged, but not stored under the returned id. */
  readonly lost: number;
  /** Texts that are stored more than once. */
  readonly doubled: number;
  /** Causes whose counts, after the last change was counted, differ from what is stored. */
  readonly miscounted: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly slowestMilliseconds: number;
  /** From the return of the database to the first acknowledged report; undefined: never. */
  readonly usableAgainMilliseconds: number | undefined;
  /** Replicas that ended by themselves. */
  readonly exited: number;
  /** Log lines about an unhandled fault. */
  readonly unhandled: number;
}

/** Then the service is not usable again at all, on any machine. */
const maxUnusableMilliseconds = 60_000;

/** A real primary with a synchronous standby, and replicas of the service on it. */
export class PostgresFaults {
  readonly #pair: PostgresPair;
  readonly #replicas: readonly MusterProcess[];
  readonly #reporter: Reporter;

  private constructor(pair: PostgresPair, replicas: readonly MusterProcess[], reporter: Reporter) {
    this.#pair = pair;
    this.#replicas = replicas;
    this.#reporter = reporter;
  }

  static async start(replicaCount: number): Promise<PostgresFaults> {
    const pair = await startPostgresPair();
    const replicas: MusterProcess[] = [];
    try {
      await onServer(pair.primary.url(), (client) => client.query('create database muster'));
      const adminToken = randomBytes(32).toString('hex');
      const env = {
        DATABASE_URL: pair.url('muster'),
        MUSTER_ADMIN_TOKEN: adminToken,
        MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE: '0',
        MUSTER_MAX_OPEN_ERRORS_PER_AGENT: '0',
      };
      const start = async () => replicas.push(await startMuster({ env }));
      await Promise.all(Array.from({ length: replicaCount }, start));
      return new PostgresFaults(pair, replicas, await prepare(replicas[0]?.url ?? '', adminToken));
    } catch (error) {
      await end(pair, replicas);
      throw error;
    }
  }

  /** Makes the primary fail under load, and counts the effect on the reports. After a promotion there is no primary that could fail. */
  async run(options: PostgresFaultOptions): Promise<PostgresFaultFigures> {
    const pair = this.#pair;
    const replicas = this.#replicas;
    const load = startReportLoad({
      ...this.#reporter,
      urls: replicas.map(({ url }) => url),
      connections: options.connections,
      name: options.fault,
    });
    await load.nextAcknowledged();
    await pause(options.steadyMilliseconds);
    await inject[options.fault](pair, options.awayMilliseconds);
    const backAt = performance.now();
    const usableAgainMilliseconds = await Promise.race([
      load.nextAcknowledged().then(() => Math.round(performance.now() - backAt)),
      pause(maxUnusableMilliseconds, undefined, { ref: false }),
    ]);
    await pause(options.steadyMilliseconds);
    await load.stop();

    const database = options.fault === 'promote' ? pair.standby : pair.primary;
    const stored = await readStored(database.url('muster'));
    const miscounted = await countMiscounted(database.url('muster'));
    const acknowledged = load.acknowledged();
    return {
      fault: options.fault,
      acknowledged: acknowledged.size,
      lost: [...acknowledged].filter(([error, id]) => !stored.get(error)?.includes(id)).length,
      doubled: [...stored.values()].filter((ids) => ids.length > 1).length,
      miscounted,
      statuses: load.statuses(),
      slowestMilliseconds: Math.round(load.slowest()),
      usableAgainMilliseconds,
      exited: replicas.filter(({ hasEnded }) => hasEnded).length,
      unhandled: replicas.filter((replica) => /unhandled|uncaught|"level":60/i.test(replica.stderr.text))
        .length,
    };
  }

  end(): Promise<void> {
    return end(this.#pair, this.#replicas);
  }
}

/** The agent that reports, and the token that it reports with. */
interface Reporter {
  readonly agentID: string;
  readonly token: string;
}

async function end(pair: PostgresPair, replicas: readonly MusterProcess[]): Promise<void> {
  try {
    await Promise.all(replicas.map((replica) => replica.end('SIGKILL')));
  } finally {
    await pair.remove();
  }
}

/** Each resolves when the database can be reached again. */
const inject: Readonly<Record<PostgresFault, (pair: PostgresPair, away: number) => Promise<void>>> = {
  async crash({ primary }, away) {
    await primary.kill();
    await pause(away);
    await primary.start();
  },
  async terminate({ primary }) {
    await onServer(primary.url(), (client) =>
      client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'muster'",
      ),
    );
  },
  async freeze({ primary }, away) {
    primary.freeze();
    await pause(away);
    primary.thaw();
  },
  async promote(pair, away) {
    await pair.primary.kill();
    await pause(away);
    await pair.promote();
  },
};

async function prepare(url: string, adminToken: string): Promise<Reporter> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const project = await send<{ token: string }>(`${url}/v1/projects`, { headers, body: { name: 'faults' } });
  const { token } = project.body;
  const agent = await send<{ id: string }>(`${url}/v1/agents`, {
    headers: { 'x-project-token': token },
    body: { name: 'web-01', machineID: 'web-01', rawConfig: '[INPUT]' },
  });
  return { token, agentID: agent.body.id };
}

/** Ids by text. */
async function readStored(url: string): Promise<Map<string, string[]>> {
  const stored = new Map<string, string[]>();
  await onServer(url, async (client) => {
    const { rows } = await client.query<{ id: string; error: string }>('select id, error from agent_errors');
    for (const { id, error } of rows) stored.set(error, [...(stored.get(error) ?? []), id]);
  });
  return stored;
}

/** Replicas count what waits, also what was waiting when the database failed. */
async function countMiscounted(url: string): Promise<number> {
  let miscounted = 0;
  await onServer(url, async (client) => {
    const deadline = performance.now() + maxUnusableMilliseconds;
    const hasChanges = async () =>
      (await client.query('select from agent_error_changes limit 1')).rows.length > 0;
    while (performance.now() < deadline && (await hasChanges())) await pause(100);
    const { rows } = await client.query<{ miscounted: number }>(`
      select count(*)::int as miscounted
      from (select group_id as id, count(*) as errors from agent_errors group by group_id) as stored
      full join (select id, current_errors as errors from agent_error_groups) as counted using (id)
      where stored.errors is distinct from counted.errors`);
    miscounted = rows[0]?.miscounted ?? Number.NaN;
  });
  return miscounted;
}

async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
