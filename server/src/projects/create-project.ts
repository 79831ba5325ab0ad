import { presets } from '@muster/contract';
import type { Kysely } from 'kysely';
import type { Principal } from '../credentials/principal.ts';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import type { TokenService } from '../tokens/token-service.ts';
import type { ProjectService } from './project-service.ts';

/** What it takes to make a whole project. */
export interface ProjectParts {
  readonly database: Database;
  readonly projects: ProjectService;
  readonly tokens: TokenService;
}

const firstTokenName = 'default';

/** Makes a project and its first token, inside a transaction of the caller: one is never without the other. */
export async function insertProjectWithToken(
  trx: Kysely<Tables>,
  { projects, tokens }: Pick<ProjectParts, 'projects' | 'tokens'>,
  name: string,
  creator: Principal | undefined,
) {
  const project = await projects.insert(trx, name);
  const { secret } = await tokens.insert(trx, {
    projectID: project.id,
    name: firstTokenName,
    grants: presets.agent,
    expiresAt: null,
    creator,
  });
  return { project, secret };
}
