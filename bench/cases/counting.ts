import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import {
  countPortionOnPostgres,
  type OnCounted,
} from '../../server/src/errors/groups/counting/count-store-postgres.ts';
import { followAgentsOnPostgres } from '../../server/src/fleet/agents/states/follow-agents-store-postgres.ts';
import { createNewID } from '../../server/src/foundation/clock.ts';
import { countingPartitionOf } from '../../server/src/foundation/database/counting-partition.ts';
import type { PostgresDatabase } from '../../server/src/foundation/database/database.ts';
import { migrate } from '../../server/src/foundation/database/migrate.ts';
import { openDatabase } from '../../server/src/foundation/database/open-database.ts';
import { noteEventsOnPostgres } from '../../server/src/record/events/event-note-store-postgres.ts';
import type { Bench, Case } from '../bench.ts';
import { createErrorRows } from '../data/error-rows.ts';
import { pairwise, ratio, spreadOf } from '../measure/statistics.ts';
import { processorMicroseconds } from '../processes/process-usage.ts';
import { formatNumber, type Row } from '../report/row.ts';

/** Those of a portion. */
const changes = 40_000;
const agents = 1_000;
/** A group and an agent; each is written once for all its changes. */
const pairsOfPortions = [1_000, 10_000];
const minProcessors = 2;

interface Sample {
  readonly perSecond: number;
  /** Processor time of PostgreSQL and of this process for a change. */
  readonly microseconds: { readonly postgres: number; readonly service: number };
}

/** How fast changes are counted on PostgreSQL: those of one project, and those of two in different partitions at the same time. */
export const countingPostgres: Case = {
  name: 'counting-postgres',
  title: 'changes counted of one project, and of two projects at the same time (postgres)',
  async run(bench) {
    const database = await openEmpty(bench);
    const newID = createNewID(Date.now, randomBytes);
    const projects = await Promise.all(
      ['0', '1'].map((digit) => addProject(database, `${newID().slice(0, -1)}${digit}`, newID)),
    );
    const [first] = projects;
    if (first === undefined) throw new Error('there are two projects');
    const rows: Row[] = [];
    for (const pairs of pairsOfPortions) {
      const [ofOne, ofTwo]: [Sample[], Sample[]] = [[], []];
      // The first round makes the groups.
      for (let round = 0; round <= bench.options.rounds; round += 1) {
        bench.say(`${formatNumber(pairs)} pairs, round ${round} of ${bench.options.rounds}`);
        const one = await measure(database, [first], pairs);
        const two = await measure(database, projects, pairs);
        if (round === 0) continue;
        ofOne.push(one);
        ofTwo.push(two);
      }
      rows.push(...toRows(this.name, pairs, ofOne, ofTwo));
    }
    return rows;
  },
};

interface Project {
  readonly id: string;
  readonly agentIDs: readonly string[];
}

async function openEmpty({ closing, postgres }: Bench): Promise<PostgresDatabase> {
  const databaseUrl = await (await postgres()).createScratchDatabase(closing);
  const database = await openDatabase({ dataDirectory: '', databaseUrl, onConnectionError: () => undefined });
  closing.add(() => database.close());
  if (database.engine !== 'postgres') throw new Error('MUSTER_BENCH_DATABASE_URL is not PostgreSQL');
  await migrate(database);
  return database;
}

async function addProject({ postgres }: PostgresDatabase, id: string, newID: () => string): Promise<Project> {
  await postgres.query(`insert into projects (id, name, created_at, updated_at) values ($1, 'bench', 0, 0)`, [
    id,
  ]);
  const agentIDs = Array.from({ length: agents }, newID);
  await postgres.query(
    `insert into agents (id, project_id, machine_id, name, flags, metadata, tags, epoch, created_at, updated_at, last_seen_at)
     select id, $1, id::text, 'agent', '[]', '{}', '[]', 1, 0, 0, 0 from unnest($2::uuid[]) as id`,
    [id, agentIDs],
  );
  return { id, agentIDs };
}

/** Stores errors of each project, and then counts those of all projects at the same time. */
async function measure(
  database: PostgresDatabase,
  projects: readonly Project[],
  pairs: number,
): Promise<Sample> {
  for (const project of projects) await store(database, project, pairs / agents);
  const pids = await backends(database);
  const before = usage(pids);
  const started = performance.now();
  const counted = await Promise.all(projects.map(({ id }) => count(database, id)));
  const seconds = (performance.now() - started) / 1_000;
  const after = usage(await backends(database));
  const all = counted.reduce((sum, one) => sum + one, 0);
  if (all < changes * projects.length) throw new Error(`counted ${all} changes instead of all`);
  return {
    perSecond: all / seconds,
    microseconds: {
      postgres: (after.postgres - before.postgres) / all,
      service: (after.service - before.service) / all,
    },
  };
}

/** In portions, because a statement that takes longer than 8 s is cancelled. */
async function store({ postgres }: PostgresDatabase, project: Project, groups: number): Promise<void> {
  const makeRows = createErrorRows(project.id, project.agentIDs);
  const groupIDs = Array.from({ length: groups }, (_, number) => groupIDOf(project.id, number));
  for (let from = 0; from < changes; from += agents) {
    const rows = makeRows(agents, 1);
    await postgres.query(
      `insert into agent_errors (
         agent_id, id, project_id, error, error_digest, epoch, created_at, occurrences, last_seen_at, group_id
       )
       select agent_id, id, $1, error, decode(digest, 'hex'), 1, 0, 1, 0, $2
       from unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[]) as row (agent_id, id, error, digest)`,
      [
        project.id,
        groupIDs[(from / agents) % groups],
        rows.map(({ agentID }) => agentID),
        rows.map(({ id }) => id),
        rows.map(({ error }) => error),
        rows.map(({ digest }) => digest.toString('hex')),
      ],
    );
  }
}

/** Any id: nothing here looks for the group of a text. */
function groupIDOf(projectID: string, number: number): string {
  return `${number.toString(16).padStart(8, '0')}${projectID.slice(8)}`;
}

async function count(database: PostgresDatabase, projectID: string): Promise<number> {
  const onCounted: OnCounted = async (trx, groups, moment) => {
    const moreAgentsIn = await followAgentsOnPostgres(trx, moment);
    const noted = await noteEventsOnPostgres(trx, groups, moment);
    const moreIn = [...moreAgentsIn, ...(noted.moreIn ?? [])];
    return { ...noted, hasMore: moreIn.length > 0, moreIn };
  };
  let counted = 0;
  for (let isDrained = false; !isDrained; ) {
    const request = {
      now: Date.now(),
      heardSince: 0,
      // One more, so that it is known after a portion that nothing is left.
      maxChanges: changes + 1,
      partitions: [countingPartitionOf(projectID)],
    };
    const portion = await countPortionOnPostgres(database, request, { isRead: false, onCounted });
    if (portion === undefined) throw new Error('nobody else counts here');
    counted += portion.changes;
    ({ isDrained } = portion);
  }
  return counted;
}

async function backends({ postgres }: PostgresDatabase): Promise<readonly number[]> {
  const rows = await postgres.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
    [],
  );
  return rows.map(({ pid }) => pid);
}

/** In microseconds. */
function usage(pids: readonly number[]): Sample['microseconds'] {
  const { user, system } = process.cpuUsage();
  return {
    postgres: pids.reduce((sum, pid) => sum + (processorMicroseconds(pid) ?? 0), 0),
    service: user + system,
  };
}

function toRows(name: string, pairs: number, ofOne: readonly Sample[], ofTwo: readonly Sample[]): Row[] {
  const rates = [ofOne, ofTwo].map((samples) => samples.map(({ perSecond }) => perSecond));
  const [one = [], two = []] = rates;
  const processors = availableParallelism();
  const median = (values: readonly number[]) => formatNumber(spreadOf(values).median);
  const costs = (samples: readonly Sample[]) =>
    `${median(samples.map(({ microseconds }) => microseconds.postgres))} µs of PostgreSQL and ` +
    `${median(samples.map(({ microseconds }) => microseconds.service))} µs of the service for a change`;
  return [
    {
      case: name,
      what: `changes counted of one project, ${formatNumber(pairs)} pairs in a portion of ${formatNumber(changes)}`,
      figure: spreadOf(one),
      unit: '/s',
      measured: costs(ofOne),
    },
    {
      case: name,
      what: 'two projects at the same time, against one',
      figure: spreadOf(pairwise(two, one, ratio)),
      unit: '×',
      measured: `two ${median(two)}/s, one ${median(one)}/s; with two, ${costs(ofTwo)}`,
      bar: { atLeast: 1.5 },
      ...(processors < minProcessors && { notJudged: `${processors} processor` }),
    },
  ];
}
