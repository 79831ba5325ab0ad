import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../server/src/testing/calls/agent-error-calls.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { type ListeningApp, startListeningApp } from '../robustness/listening-app.ts';
import { Line } from './line.ts';
import { startSiteBeside } from './site-beside.ts';

let centre: ListeningApp;
const opened: (() => Promise<void>)[] = [];

beforeEach(async () => {
  centre = await startListeningApp({
    httpLimits: { slowClientMilliseconds: 500, checkMilliseconds: 50 },
  });
});
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
  await centre.test.close();
});

describe('a line on which a whole batch takes longer than Muster waits', () => {
  it('brings everything, each report once', async () => {
    const line = await Line.to(centre.port);
    opened.push(async () => line.close());
    const site = await startSiteBeside(centre, {
      url: new URL(line.url),
      clock: () => centre.test.clock.now(),
      random: () => 0,
      forwarding: { flushMilliseconds: 5 },
    });
    opened.push(() => site.stop());
    line.mode = 'cut';
    const texts = Array.from({ length: 40 }, (_, index) => `${index} ${randomBytes(400).toString('base64')}`);
    const headers = { 'Content-Type': 'application/json', 'X-Project-Token': centre.project.token };
    const answers = await Promise.all(
      texts.map((error, index) =>
        fetch(`http://127.0.0.1:${site.port}/v1/machines/m-${index % 10}/errors`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ error }),
        }),
      ),
    );
    for (const { status } of answers) expect(status).toBe(201);
    line.mode = 'pass';
    line.mode = 'slow';
    const { walk } = callAgentErrors(centre.test);
    await eventually(async () => {
      const errors = (await walk(`/v1/projects/${centre.project.id}/agent_errors`)).flat();
      expect(errors.map(({ occurrences }) => occurrences)).toEqual(texts.map(() => 1));
    });
  });
});
