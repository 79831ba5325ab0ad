import type { TimedClient } from './timed-client.ts';

/** How long each request of a kind took, in milliseconds. */
export type Times = Map<string, number[]>;

/** The operator's loop: list and dismiss. */
export function createOperatorWork(client: TimedClient, projectID: string, agentID: string) {
  const project = `/v1/projects/${projectID}`;
  const open: string[] = [];
  const inbox = async () => {
    const { milliseconds, body } = await client.send<{ id: string }[]>(
      'GET',
      `${project}/agent_errors?dismissed=false`,
    );
    // The oldest of the page, because in a storm the newest changes each time.
    open.splice(0, open.length, ...body.map(({ id }) => id));
    return milliseconds;
  };
  const get = (path: string) => async () => (await client.send('GET', path)).milliseconds;
  const post = (path: () => string, body: unknown) => async () =>
    (await client.send('POST', path(), { body })).milliseconds;
  const requests = new Map([
    ['list the inbox', inbox],
    ['dismiss an error', post(() => `/v1/agent_errors/${open.pop()}/dismiss`, { reason: 'seen' })],
    ['list agents', get(`${project}/agents`)],
    ['list errors of an agent', get(`/v1/agents/${agentID}/errors`)],
    ['list tokens', get(`${project}/tokens`)],
    ['create a token', post(() => `${project}/tokens`, { name: 'bench' })],
  ]);
  return {
    kinds: [...requests.keys()],
    async untilSettled(storm: Promise<unknown>): Promise<Times> {
      const times: Times = new Map([...requests.keys()].map((kind) => [kind, []]));
      let isBlowing = true;
      const settled = storm.finally(() => {
        isBlowing = false;
      });
      settled.catch(() => undefined);
      do {
        for (const [kind, send] of requests) times.get(kind)?.push(await send());
      } while (isBlowing);
      await settled;
      return times;
    },
  };
}
