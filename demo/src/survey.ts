import type { Access } from './access.ts';
import { type Client, nextPage, textField } from './client.ts';
import { DemoError } from './demo-error.ts';

/** The fleet's state as the server shows it, or the reason why it could not be read. */
export type Survey =
  | {
      readonly isRead: true;
      readonly openErrors: number;
      readonly unhealthyAgents: number;
      /** One example of each. */
      readonly openErrorID: string | undefined;
      readonly agentID: string | undefined;
    }
  | { readonly isRead: false; readonly reason: string };

/** Counts the open errors and unhealthy agents with these ids in the project's lists. */
export async function surveyFleet(
  client: Client,
  access: Access,
  agentIDs: ReadonlySet<string>,
): Promise<Survey> {
  const project = `/v1/projects/${access.projectID}`;
  const count = (path: string, idName: string) => countListed({ client, access, agentIDs }, path, idName);
  try {
    const errors = await count(`${project}/agent_errors?dismissed=false&last=1000`, 'agentID');
    const agents = await count(`${project}/agents?status=unhealthy&last=1000`, 'id');
    return {
      isRead: true,
      openErrors: errors.count,
      unhealthyAgents: agents.count,
      openErrorID: textField(errors.first, 'id'),
      agentID: textField(agents.first, 'id'),
    };
  } catch (error) {
    if (!(error instanceof DemoError)) throw error;
    return { isRead: false, reason: error.message };
  }
}

interface CountOptions {
  readonly client: Client;
  readonly access: Access;
  readonly agentIDs: ReadonlySet<string>;
}

async function countListed(
  { client, access, agentIDs }: CountOptions,
  path: string,
  idName: string,
): Promise<{ readonly count: number; readonly first: unknown }> {
  let count = 0;
  let first: unknown;
  for (let next: string | undefined = path; next !== undefined; ) {
    const { reply, body } = await client.require({ method: 'GET', path: next, headers: access.headers });
    const items: unknown[] = Array.isArray(body) ? body : [];
    const own = items.filter((item) => agentIDs.has(textField(item, idName) ?? ''));
    count += own.length;
    first ??= own[0];
    next = nextPage(reply);
  }
  return { count, first };
}
