import { placeOfID } from '../../../server/src/foundation/database/id-place.ts';
import { send } from '../../replicas/send.ts';
import type { Creation } from './check-answers.ts';

interface CreateOptions {
  readonly reports: number;
  readonly connections: number;
}

/**
 * Creates a project, a token, an agent and a machine's first error; then, on many connections at once, an agent for each
 * and the remaining reports. All must get 201.
 */
export async function createThings(
  url: string,
  adminToken: string,
  { reports, connections }: CreateOptions,
): Promise<Creation[]> {
  const creations: Creation[] = [];
  const asAdmin = { authorization: `Bearer ${adminToken}` };
  const create = async (path: string, headers: Record<string, string>, body: object, part: string) => {
    const answer = await send<{ id: string; token: string }>(`${url}${path}`, { headers, body });
    if (answer.status !== 201) throw new Error(`${path} answers ${answer.status}`);
    const { id } = answer.body;
    creations.push({ id, parts: [path.endsWith('/errors') ? storedRest(id) : id, part] });
    return answer.body;
  };
  const project = await create('/v1/projects', asAdmin, { name: 'traced project' }, 'traced project');
  const tokens = `/v1/projects/${project.id}/tokens`;
  const { token } = await create(tokens, asAdmin, { name: 'traced token' }, 'traced token');
  const asProject = { 'x-project-token': token };
  const agent = { name: 'traced agent', machineID: 'traced machine' };
  const { id } = await create('/v1/agents', asProject, agent, agent.name);
  const first = 'first of its machine';
  await create('/v1/machines/unseen/errors', asProject, { error: first }, first);
  await Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      const another = { name: `traced agent ${connection}`, machineID: `traced machine ${connection}` };
      await create('/v1/agents', asProject, another, another.machineID);
      for (let number = connection; number < reports - 1; number += connections) {
        const error = `traced error ${number} from connection ${connection}`;
        await create(`/v1/agents/${id}/errors`, asProject, { error }, error);
      }
    }),
  );
  return creations;
}

/** The other part of an error's id in its row: an integer in SQLite's variable-length format. */
function storedRest(id: string): string {
  const rest = placeOfID(id)?.rest;
  if (rest === undefined) throw new TypeError(`${id} has no place`);
  const bytes = [1, 2, 3, 4, 6].find((size) => rest < 2n ** BigInt(8 * size - 1)) ?? 8;
  return Buffer.from(rest.toString(16).padStart(2 * bytes, '0'), 'hex').toString('latin1');
}
