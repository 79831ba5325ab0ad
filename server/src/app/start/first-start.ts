import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { ProjectService } from '../../fleet/projects/project-service.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { Secret } from '../../foundation/secret.ts';
import { writeSecretFile } from '../../foundation/write-secret-file.ts';
import { insertProject } from '../../people/create-project.ts';
import type { TokenService } from '../../people/tokens/token-service.ts';
import type { NewSignInLink, SignInLinkService } from '../../people/users/sessions/sign-in-link-service.ts';
import type { UserService } from '../../people/users/user-service.ts';
import type { AuditService } from '../../record/audit/audit-service.ts';

interface FirstStartOptions {
  readonly database: Database;
  readonly logger: Pick<FastifyBaseLogger, 'warn'>;
  readonly users: UserService;
  readonly projects: ProjectService;
  readonly tokens: TokenService;
  readonly audit: Pick<AuditService, 'record'>;
  readonly signInLinks: Pick<SignInLinkService, 'insertFirst'>;
  readonly dataDirectory: string;
  /** Set by the operator. No secret is then written or shown. */
  readonly adminToken: Secret | undefined;
  /** A provisioning file says which projects there are. */
  readonly isProvisioned: boolean;
}

/** What the first start of an installation created. */
export interface FirstStart {
  /** Undefined if the operator chose the administrator's token. */
  readonly adminTokenFile: string | undefined;
  /** With which a browser signs in as the administrator, once. Undefined as above. */
  readonly signInLink: NewSignInLink | undefined;
  /** Undefined if a provisioning file says which projects there are. */
  readonly project: { readonly id: string; readonly token: Secret } | undefined;
}

const firstProjectName = 'default';
const adminTokenFileName = 'admin-token';

/**
 * If there are no users yet, creates the administrator, and a first project with its token unless a file names the projects. Returns undefined on
 * later starts, and on all but one of the replicas that start together.
 */
export async function makeFirstStart(options: FirstStartOptions): Promise<FirstStart | undefined> {
  const { database, users, signInLinks, adminToken, dataDirectory } = options;
  const firstStart = await database.write.transaction().execute(async (trx) => {
    await database.takeLock(trx, 'first start');
    if (await users.hasUsers(trx)) {
      if (adminToken !== undefined && !(await users.setAdministratorToken(trx, adminToken))) {
        options.logger.warn(
          'MUSTER_ADMIN_TOKEN stays revoked, because its value was reported as found in public: set another value and start again',
        );
      }
      return undefined;
    }
    const secret = adminToken ?? users.newSecret();
    await users.insertAdministrator(trx, secret);
    const project = options.isProvisioned
      ? undefined
      : await insertProject(trx, options, firstProjectName, undefined);
    // Before the commit: if a token were stored but not in the file, nobody could sign in.
    const adminTokenFile =
      adminToken === undefined ? writeSecretFile(dataDirectory, adminTokenFileName, secret) : undefined;
    const signInLink = adminToken === undefined ? await signInLinks.insertFirst(trx, secret) : undefined;
    return { adminTokenFile, signInLink, project };
  });
  // This has revoked the token that an earlier start wrote there.
  if (adminToken !== undefined) rmSync(join(dataDirectory, adminTokenFileName), { force: true });
  return firstStart;
}
