import type { Kysely } from 'kysely';
import type { AgentService } from '../../fleet/agents/agent-service.ts';
import type { Principal } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { Lists } from '../../foundation/database/lists.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { type Page, type PageOf, toPage } from '../../foundation/list-page.ts';
import type { ErrorGroupCounter } from '../groups/counting/error-group-counter.ts';
import { type CauseRow, type ConfigRow, listCauses, listConfigs } from './config-changes-store.ts';

interface ConfigChangesOptions {
  readonly database: Database;
  readonly lists: Lists;
  readonly agents: Pick<AgentService, 'requireAgent'>;
  readonly counter: Pick<ErrorGroupCounter, 'catchUp' | 'countedIn'>;
}

/** A configuration of an agent, and what came and went with it. */
export interface ConfigChange {
  readonly id: string;
  readonly createdAt: number;
  readonly isCurrent: boolean;
  readonly causes: readonly CauseRow[];
  readonly came: readonly CauseRow[];
  readonly went: readonly CauseRow[];
}

/** Compares the causes of errors that an agent had with one configuration with those of the configuration before it. */
export class ConfigChangesService {
  readonly #options: ConfigChangesOptions;

  constructor(options: ConfigChangesOptions) {
    this.#options = options;
  }

  /** @throws Refusal not_found, agent_deleted */
  async list(principal: Principal, agentID: string, page: Page): Promise<PageOf<ConfigChange>> {
    const { agents, counter, lists } = this.#options;
    const { project_id: projectID } = await agents.requireAgent(principal, agentID);
    await counter.catchUp(projectID);
    return lists.read(principal, async (source) => {
      await counter.countedIn(source, projectID);
      return this.#compare(source.db, agentID, page);
    });
  }

  async #compare(db: Kysely<Tables>, agentID: string, page: Page): Promise<PageOf<ConfigChange>> {
    const configs = await listConfigs(db, agentID, page);
    const { rows, hasNext } = toPage(configs, page);
    const [newest, oldest] = [configs[0], configs.at(-1)];
    if (newest === undefined || oldest === undefined) return { rows: [], hasNext };
    const epochs = { first: oldest.epoch, last: newest.epoch };
    const causes = await listCauses(db, this.#options.database.engine, agentID, epochs);
    const changes = rows.map((config, index) => {
      const change = compare(config, configs[index + 1], causes);
      return { ...change, isCurrent: page.before === undefined && index === 0 };
    });
    return { rows: changes, hasNext };
  }
}

function compare(config: ConfigRow, earlier: ConfigRow | undefined, causes: readonly CauseRow[]) {
  const now = causes.filter(({ epoch }) => epoch === config.epoch);
  const before = causes.filter(({ epoch }) => epoch === earlier?.epoch);
  return {
    id: config.id,
    createdAt: config.created_at,
    causes: now,
    came: without(now, before),
    went: without(before, now),
  };
}

function without(causes: readonly CauseRow[], others: readonly CauseRow[]): CauseRow[] {
  const known = new Set(others.map(({ groupID }) => groupID));
  return causes.filter(({ groupID }) => !known.has(groupID));
}
