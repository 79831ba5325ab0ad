import type { Target } from '../stages/people-targets.ts';
import type { TestApp, TestProject } from '../start-test-app.ts';

/**
 * Every route of the service with its credentials and permissions. Copied by hand from the interface and never derived from
 * the routes, so that a mistake in them fails a test.
 */
export interface Row {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Kinds of credential, in the order in which they are used. Empty: public. */
  readonly takes: readonly Kind[];
  /** Permissions that a project token needs; it needs all of them. */
  readonly needs: readonly string[];
  readonly success: 200 | 201 | 204;
  /** Creates the resource that the path names. A route that consumes it gets a new one for each success. */
  readonly target: (app: TestApp, project: TestProject) => Promise<Target>;
  readonly query?: string;
  /** A function: of the parameters of the target. */
  readonly body?: object | ((params: Target['params']) => object);
  /** Where a user needs the permissions, if not in the project of the target. */
  readonly scope?: 'installation' | 'visible';
  readonly mediaType?: string;
  /** True if it also takes a project or agent token as the password of HTTP Basic. */
  readonly takesBasic?: true;
}

export type Kind = 'access' | 'project' | 'agent' | 'core_instance';
