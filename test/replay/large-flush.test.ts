import { bodyLimitBytes } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wordOf } from '../../server/src/testing/word-of.ts';
import { type ListeningApp, startListeningApp } from '../robustness/listening-app.ts';
import { AgentConnection } from '../wire/agent-connection.ts';
import { logNames, readFlushes } from './self-reports.ts';

const maxCharacters = 1024;

let app: ListeningApp;
beforeAll(async () => {
  app = await startListeningApp();
});
afterAll(() => app.test.close());

/** Lines that agents print, each with a cause of its own. */
function differentTexts(count: number): string[] {
  const genuine = logNames.flatMap((name) => readFlushes(name).flat());
  return Array.from({ length: count }, (_, index) => `${wordOf(index)}: ${genuine[index % genuine.length]}`);
}

/** Posts like an agent that has buffered everything while the service was unreachable. */
async function flush(connection: AgentConnection, host: string, texts: readonly string[]) {
  const body = Buffer.from(JSON.stringify(texts.map((error) => ({ error }))));
  expect(body.length).toBeGreaterThan(bodyLimitBytes);
  return connection.request({
    method: 'POST',
    path: `/v1/machines/${host}/errors?truncate=true`,
    contentType: 'application/json',
    headers: {
      'User-Agent': 'Fluent-Bit',
      'X-Project-Token': app.project.token,
      Prefer: 'return=minimal',
      Connection: 'keep-alive',
    },
    body,
  });
}

/** All stored errors of a host, the oldest first. */
async function storedOf(host: string): Promise<[string, number][]> {
  const as = { access: app.test.admin };
  const { body: agents } = await app.test.request<{ id: string; machineID: string }[]>(
    'GET',
    `/v1/projects/${app.project.id}/agents`,
    { as },
  );
  const agent = agents.find(({ machineID }) => machineID === host);
  const { body: errors } = await app.test.request<{ error: string; occurrences: number }[]>(
    'GET',
    `/v1/agents/${agent?.id}/errors?last=1000`,
    { as },
  );
  return errors.map(({ error, occurrences }): [string, number] => [error, occurrences]).reverse();
}

describe('a flush of 1000 lines, far above 64 KiB', () => {
  it('arrives completely, gets an answer of at most 4096 bytes, and is ignored when it is sent again', async () => {
    const texts = differentTexts(1_000);
    expect(new Set(texts).size).toBe(1_000);
    const connection = await AgentConnection.open(app.port);
    for (const [outcome, occurrences] of [
      ['created', 1],
      ['ignored', 2],
    ] as const) {
      const reply = await flush(connection, 'after-a-pause', texts);
      expect([reply.status, reply.body]).toEqual([201, '']);
      expect(reply.bytes.length).toBeLessThan(4096);
      const headers = reply.headerLines.map((line) => line.toLowerCase());
      expect(headers).toContain(`muster-agent-error: ${outcome}`);
      expect(await storedOf('after-a-pause')).toEqual(texts.map((text) => [text, occurrences]));
    }
    expect(connection.isOpen).toBe(true);
    connection.close();
  });

  it('has its long lines cut, and lines that are then equal are counted', async () => {
    const long = 'x'.repeat(3_000);
    const texts = differentTexts(1_000).map((text, index) => (index % 3 === 0 ? `${text} ${long}` : text));
    const connection = await AgentConnection.open(app.port);
    const reply = await flush(connection, 'long-lines', [...texts.slice(0, 998), long, `${long}!`]);
    expect([reply.status, reply.body]).toEqual([201, '']);
    const cut = (text: string) =>
      text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - 1)}…`;
    expect(await storedOf('long-lines')).toEqual([
      ...texts.slice(0, 998).map((text) => [cut(text), 1]),
      [cut(long), 2],
    ]);
    connection.close();
  });
});
