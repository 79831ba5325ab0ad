import autocannon from 'autocannon';
import { answerQuestions } from '../processes/worker-process.ts';
import type { Load, LoadFigures } from './load.ts';
import { createNewTextPrefix } from './new-texts.ts';

answerQuestions({ run });

async function run(load: Load): Promise<LoadFigures> {
  const result = await autocannon({
    url: load.url,
    connections: load.connections,
    duration: load.seconds,
    timeout: 30,
    requests: [{ method: 'POST', setupRequest: createNextRequest(load) }],
  });
  return {
    requests: result.requests.total,
    seconds: result.duration,
    refused: result.non2xx,
    broken: result.errors + result.timeouts,
    medianMilliseconds: result.latency.p50,
    p99Milliseconds: result.latency.p99,
  };
}

/** The same order of agents and texts as report.lua has. */
function createNextRequest(load: Load) {
  const { fleet, repeatedTexts, newEvery, reportsPerRequest = 1, alreadySent } = load;
  const prefix = createNewTextPrefix();
  let sent = alreadySent;
  return (request: autocannon.Request): autocannon.Request => {
    const agent = fleet.agents[sent % fleet.agents.length];
    const round = Math.floor(sent / fleet.agents.length);
    sent += 1;
    const isNew = newEvery > 0 && (sent + round) % newEvery === 0;
    const one = { error: isNew ? `${prefix}${sent}` : repeatedTexts[round % repeatedTexts.length] };
    const many = Array.from({ length: reportsPerRequest }, (_, index) => ({
      error: `${prefix}${sent}.${index + 1}`,
    }));
    const { name, value } =
      agent?.token === undefined ? fleet.credential : { name: 'X-Agent-Token', value: agent.token };
    return {
      ...request,
      path: `/v1/agents/${agent?.id}/errors`,
      headers: { 'Content-Type': 'application/json', [name]: value },
      body: JSON.stringify(reportsPerRequest > 1 ? many : one),
    };
  };
}
