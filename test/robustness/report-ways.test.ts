import { type Agent, type AgentError, buildOpenApiDocument, routes } from '@muster/contract';
import { expect, it } from 'vitest';
import { wordOf } from '../../server/src/testing/word-of.ts';
import { makeFuzzRequest } from './fuzz/fuzz-request.ts';
import { createFuzzTargets } from './fuzz/fuzz-targets.ts';
import { type ListeningApp, startListeningApp } from './listening-app.ts';
import { exchange, type RawAnswer } from './raw-connection.ts';
import { requestText } from './request-text.ts';

const seed = Number(process.env.MUSTER_TEST_SEED);
const reportRoutes = [routes.createAgentError, routes.createMachineError];
const document = buildOpenApiDocument('0.0.0-test');

/** At the most verbose log level every report goes through the framework, at others most take the shortcut before it. */
it(`answers a report the same on the shortcut and the full path (seed ${seed})`, async () => {
  const ways = await Promise.all([wayOf('trace'), wayOf('info')]);
  const statuses = new Set<string>();
  for (let index = 0; index < 1_200; index += 1) {
    const answers = await Promise.all(ways.map((way) => answerTo(way, index)));
    expect(answers[1], `seed ${seed}, request ${index}`).toEqual(answers[0]);
    statuses.add(answers[0]?.split(' ', 1)[0] ?? '');
  }
  expect([...statuses]).toEqual(expect.arrayContaining(['201', '400', '401', '404', '422']));
  const [first, second] = await Promise.all(ways.map(({ app }) => storedBy(app)));
  expect(second).toEqual(first);
  await Promise.all(ways.map(({ app }) => app.test.close()));
});

/** The shortcut leaves bodies above 64 KiB to the framework. */
it('answers large reports the same on the shortcut and the full path', async () => {
  const ways = await Promise.all([wayOf('trace'), wayOf('info')]);
  const texts = Array.from({ length: 300 }, (_, index) => ({ error: `${wordOf(index)} ${'é'.repeat(600)}` }));
  const bodies = [
    texts,
    texts,
    [...texts, { error: '' }],
    texts.map(({ error }) => ({ error: error.repeat(4) })),
    [...texts, ...texts, ...texts, ...texts],
    { error: 'x'.repeat(3_000_000) },
  ].map((body) => JSON.stringify(body));
  const broken = [bodies[0]?.slice(0, -1), `${bodies[0]}]`, '['.repeat(3_000_000), ' '.repeat(4_194_305)];
  const statuses: string[] = [];
  for (const body of [...bodies, ...broken]) {
    for (const query of ['', '?truncate=true']) {
      const answers = await Promise.all(ways.map((way) => largeAnswerTo(way, query, body ?? '')));
      expect(answers[1]).toEqual(answers[0]);
      statuses.push(answers[0]?.split(' ', 1)[0] ?? '');
    }
  }
  expect(statuses.join(' ')).toBe(
    '201 201 201 201 422 422 422 201 422 422 422 201 400 400 400 400 422 422 413 413',
  );
  const [first, second] = await Promise.all(ways.map(({ app }) => storedBy(app)));
  expect(second).toEqual(first);
  await Promise.all(ways.map(({ app }) => app.test.close()));
});

type Way = Awaited<ReturnType<typeof wayOf>>;

async function wayOf(logLevel: 'trace' | 'info') {
  const app = await startListeningApp({ logLevel });
  return { app, targets: await createFuzzTargets(app.test) };
}

async function largeAnswerTo({ app }: Way, query: string, body: string): Promise<string> {
  const headers = [`X-Project-Token: ${app.project.token}`, 'Content-Type: application/json'];
  const target = `/v1/machines/large/errors${query}`;
  const bytes = requestText({ method: 'POST', target, headers, body });
  return describeAnswer(await exchange(app.port, bytes));
}

async function answerTo({ app, targets }: Way, index: number): Promise<string> {
  const { bytes, asked } = makeFuzzRequest(seed, index, document, targets, reportRoutes);
  // The bodies are corrupted where they contain ids, which differ.
  if (asked === undefined) return 'not sent';
  return describeAnswer(await exchange(app.port, bytes, { endsEarly: true }));
}

/** Without the parts that are different each time. */
function describeAnswer(answer: RawAnswer | undefined): string {
  if (answer === undefined) return 'none';
  const { status, headers, text } = answer;
  const names = Object.keys(headers).filter((name) => !['date', 'keep-alive'].includes(name));
  return [
    status,
    ...names.sort(),
    headers['content-type'],
    headers['muster-agent-error'],
    withoutIDs(text),
  ].join(' ');
}

/** The stored result of the reports, by agent; these lists include every repeat so far. */
async function storedBy({ test }: ListeningApp): Promise<unknown> {
  const list = async <Item>(url: string) =>
    (await test.request<Item[]>('GET', `${url}?last=1000`, { as: { access: test.admin } })).body;
  const projects = await list<{ id: string }>('/v1/projects');
  const agents = await Promise.all(projects.map(({ id }) => list<Agent>(`/v1/projects/${id}/agents`)));
  return Promise.all(
    agents.flat().map(async ({ id, name }) => {
      const errors = await list<AgentError>(`/v1/agents/${id}/errors`);
      return {
        name: withoutIDs(name),
        errors: errors.map(({ error, occurrences }) => ({ error: withoutIDs(error), occurrences })),
      };
    }),
  );
}

function withoutIDs(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, 'ID')
    .replaceAll(/"requestID":"[^"]*"/g, 'ID');
}
