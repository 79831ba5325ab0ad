import type { Agent, AgentErrorGroup } from '@muster/client';
import { predicateOf, realValuesOf } from '@muster/contract';
import { agentsTexts } from '../../texts/agents.ts';

type Wrong = Pick<Agent, 'status' | 'openError'>;

/** What is to be said of an agent after its name, such as "cannot reach 10.21.160.1:9": with the address or the file of its error, if that is known. */
export function sentenceOf(
  { status, openError }: Wrong,
  cause: Pick<AgentErrorGroup, 'explanation'> | undefined,
): string {
  if (status !== 'unhealthy') return agentsTexts.sentences[status];
  if (openError === null) return agentsTexts.hasFailed;
  if (cause === undefined) return agentsTexts.hasError;
  const { host, port, path } = realValuesOf(openError.error);
  const said = predicateOf(cause, 1);
  if (host !== undefined && port !== undefined && /\bits destination$/.test(said))
    return said.replace(/its destination$/, `${host}:${port}`);
  return path === undefined ? said : said.replace(/\ba file$/, path);
}
