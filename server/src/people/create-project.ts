import { presets } from '@muster/contract';
import type { Kysely } from 'kysely';
import type { NewProject } from '../fleet/projects/project-routes.ts';
import { createdProject, type ProjectService } from '../fleet/projects/project-service.ts';
import type { Principal } from '../foundation/credentials/principal.ts';
import type { Database } from '../foundation/database/database.ts';
import type { Tables } from '../foundation/database/tables.ts';
import type { AuditService } from '../record/audit/audit-service.ts';
import { createdToken } from './tokens/audited-token.ts';
import type { TokenService } from './tokens/token-service.ts';

/** What it takes to make a whole project: stands above both features, so that neither needs the other one for it. */
interface ProjectParts {
  readonly projects: ProjectService;
  readonly tokens: TokenService;
  readonly audit: Pick<AuditService, 'record'>;
}

const firstTokenName = 'default';

/** Makes a project and its first token in a transaction of its own. */
export function createProject(
  { database, ...parts }: ProjectParts & { readonly database: Database },
  name: string,
  creator: Principal,
): Promise<NewProject> {
  return database.write.transaction().execute((trx) => insertProject(trx, parts, name, creator));
}

/**
 * Makes a project and its first token inside a transaction of the caller: one is never without the other.
 *
 * @param creator undefined: the service itself.
 */
export async function insertProject(
  trx: Kysely<Tables>,
  { projects, tokens, audit }: ProjectParts,
  name: string,
  creator: Principal | undefined,
): Promise<NewProject> {
  const project = await projects.insert(trx, name);
  const { row: token, secret } = await tokens.insert(trx, {
    projectID: project.id,
    name: firstTokenName,
    grants: presets.agent,
    expiresAt: null,
    creator,
  });
  await audit.record(
    trx,
    creator ?? { kind: 'system', name: null },
    createdProject(project),
    createdToken(token),
  );
  return { id: project.id, createdAt: project.created_at, token: secret };
}
