import { hash } from 'node:crypto';
import {
  agentIDOf,
  agentTokenOf,
  type DataSetShape,
  errorCountOf,
  projectID,
  storedErrorOf,
} from './data-set.ts';

type Value = string | number | null | Buffer;

/** The rows of a table, in the order of its primary key. */
export interface TableRows {
  readonly table: string;
  /** Names of the columns, with their types in PostgreSQL. */
  readonly columns: readonly (readonly [name: string, type: string])[];
  readonly count: number;
  rows(): Iterable<readonly Value[]>;
}

const rawConfig = `[SERVICE]
    flush 1
[INPUT]
    name tail
    path /var/log/containers/*.log
[OUTPUT]
    name es
    host search.internal
    port 9200
`;

/** The rows of a data set, table by table. */
export function tablesOf(shape: DataSetShape): TableRows[] {
  return [projects(), agents(shape), agentTokens(shape), agentConfigs(shape), agentErrors(shape)];
}

function projects(): TableRows {
  return {
    table: 'projects',
    columns: [
      ['id', 'uuid'],
      ['name', 'text'],
      ['created_at', 'bigint'],
      ['updated_at', 'bigint'],
    ],
    count: 1,
    rows: () => [[projectID, 'bench', timeOf(projectID), timeOf(projectID)]],
  };
}

function agents({ agents: count }: DataSetShape): TableRows {
  return {
    table: 'agents',
    columns: [
      ['id', 'uuid'],
      ['project_id', 'uuid'],
      ['machine_id', 'text'],
      ['name', 'text'],
      ['type', 'text'],
      ['version', 'text'],
      ['os', 'text'],
      ['arch', 'text'],
      ['flags', 'text'],
      ['metadata', 'text'],
      ['tags', 'text'],
      ['epoch', 'bigint'],
      ['config_id', 'uuid'],
      ['created_at', 'bigint'],
      ['updated_at', 'bigint'],
      ['last_seen_at', 'bigint'],
    ],
    count,
    *rows() {
      for (let agent = 0; agent < count; agent += 1) {
        const id = agentIDOf(agent);
        const name = `web-${agent}.example.internal`;
        const at = timeOf(id);
        const description = ['fluentbit', '4.0.0', 'linux', 'x86_64', '[]', '{}', '["production"]'];
        yield [id, projectID, hash('md5', name), name, ...description, 1, id, at, at, at];
      }
    },
  };
}

function agentTokens({ agents: count }: DataSetShape): TableRows {
  return {
    table: 'agent_tokens',
    columns: [
      ['agent_id', 'uuid'],
      ['digest', 'text'],
      ['sequence', 'uuid'],
      ['created_at', 'bigint'],
      ['created_with', 'uuid'],
    ],
    count,
    *rows() {
      for (let agent = 0; agent < count; agent += 1) {
        const id = agentIDOf(agent);
        // Nothing asks whether that token exists.
        yield [id, hash('sha256', agentTokenOf(agent)), id, timeOf(id), projectID];
      }
    },
  };
}

function agentConfigs({ agents: count }: DataSetShape): TableRows {
  return {
    table: 'agent_configs',
    columns: [
      ['agent_id', 'uuid'],
      ['id', 'uuid'],
      ['project_id', 'uuid'],
      ['epoch', 'bigint'],
      ['raw_config', 'text'],
      ['text_digest', 'text'],
      ['created_at', 'bigint'],
    ],
    count,
    *rows() {
      for (let agent = 0; agent < count; agent += 1) {
        const id = agentIDOf(agent);
        yield [id, id, projectID, 1, rawConfig, hash('sha256', rawConfig).slice(0, 32), timeOf(id)];
      }
    },
  };
}

function agentErrors(shape: DataSetShape): TableRows {
  return {
    table: 'agent_errors',
    columns: [
      ['agent_id', 'uuid'],
      ['id', 'uuid'],
      ['project_id', 'uuid'],
      ['error', 'text'],
      ['error_digest', 'bytea'],
      ['epoch', 'bigint'],
      ['config_id', 'uuid'],
      ['created_at', 'bigint'],
      ['occurrences', 'bigint'],
      ['last_seen_at', 'bigint'],
      ['dismissed_at', 'bigint'],
      ['dismiss_reason', 'text'],
      ['dismissed_by_kind', 'text'],
    ],
    count: shape.errors,
    rows: () => rowsOfErrors(shape),
  };
}

function* rowsOfErrors(shape: DataSetShape): Iterable<readonly Value[]> {
  let number = 0;
  for (let agent = 0; agent < shape.agents; agent += 1) {
    const agentID = agentIDOf(agent);
    const count = errorCountOf(shape, agent);
    for (let index = 0; index < count; index += 1) {
      const { id, error, createdAt, lastSeenAt, occurrences, dismissedAt } = storedErrorOf(
        index,
        count,
        number,
      );
      const digest = hash('sha256', error, 'buffer');
      const dismissal = dismissedAt === null ? [null, null, null] : [dismissedAt, 'fixed', 'system'];
      number += 1;
      yield [
        agentID,
        id,
        projectID,
        error,
        digest,
        1,
        agentID,
        createdAt,
        occurrences,
        lastSeenAt,
        ...dismissal,
      ];
    }
  }
}

/** The ids of an agent and of its configuration contain the time of its registration. */
function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
