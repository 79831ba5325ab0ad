import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../server/src/testing/eventually.ts';
import { send } from './send.ts';
import { startThreeReplicas, type ThreeReplicas } from './three-replicas.ts';

interface AgentError {
  readonly id: string;
  readonly error: string;
  readonly occurrences: number;
  readonly dismissedAt: string | null;
}

let installation: ThreeReplicas;

beforeAll(async () => {
  installation = await startThreeReplicas();
});

afterAll(() => installation.stop());

const windows = 400;
const reportsPerWindow = 6;

describe('the ignore rule on three replicas', () => {
  it(`keeps one row in each of ${windows} time windows in which all replicas get the same text at once`, async () => {
    const { replicas } = installation;
    const project = await installation.createProject();
    const agent = await installation.registerAgent(project.token);
    const report = async (index: number, error: string) => {
      const replica = replicas[index % replicas.length];
      return send<{ id: string }>(`${replica?.url}/v1/agents/${agent.id}/errors`, {
        headers: { 'x-project-token': project.token },
        body: { error },
      });
    };
    const inWindow = async (number: number) => {
      const answers = await Promise.all(
        Array.from({ length: reportsPerWindow }, (_, index) => report(index, `window ${number}`)),
      );
      return {
        ids: new Set(answers.map(({ body }) => body.id)).size,
        created: answers.filter(({ headers }) => headers.get('muster-agent-error') === 'created').length,
        accepted: answers.filter(({ status }) => status === 201).length,
      };
    };
    const outcomes = [];
    for (let from = 0; from < windows; from += 20) {
      const numbers = Array.from({ length: 20 }, (_, index) => from + index);
      outcomes.push(...(await Promise.all(numbers.map(inWindow))));
    }
    expect(
      outcomes.filter(({ ids, created, accepted }) => ids !== 1 || created !== 1 || accepted !== 6),
    ).toEqual([]);

    const expected = new Map(
      Array.from({ length: windows }, (_, number) => [`window ${number}`, [reportsPerWindow]]),
    );
    await eventually(async () => expect(await openErrors(project.id)).toEqual(expected));
  });

  it('never keeps two open rows, nor loses the first, while dismissals and configurations race', async () => {
    const { replicas, admin } = installation;
    const project = await installation.createProject();
    const agent = await installation.registerAgent(project.token);
    const urls = replicas.map(({ url }) => url);
    let created = 0;
    let accepted = 0;
    const unexpected: number[] = [];
    const reporter = async (url: string | undefined) => {
      for (let count = 0; count < 60; count += 1) {
        const { status, headers } = await send(`${url}/v1/agents/${agent.id}/errors`, {
          headers: { 'x-project-token': project.token },
          body: { error: `text ${count % 3}` },
        });
        if (status !== 201) unexpected.push(status);
        accepted += 1;
        if (headers.get('muster-agent-error') === 'created') created += 1;
      }
    };
    const dismisser = async (url: string | undefined) => {
      for (let count = 0; count < 30; count += 1) {
        const { body } = await send<AgentError[]>(`${url}/v1/agents/${agent.id}/errors?dismissed=false`, {
          headers: admin,
        });
        for (const { id } of body) {
          const { status } = await send(`${url}/v1/agent_errors/${id}/dismiss`, {
            headers: admin,
            body: { reason: 'x' },
          });
          if (![200, 409].includes(status)) unexpected.push(status);
          if (count % 3 === 0) {
            const reopened = await send(`${url}/v1/agent_errors/${id}/reopen`, {
              method: 'POST',
              headers: admin,
            });
            if (![200, 409].includes(reopened.status)) unexpected.push(reopened.status);
          }
        }
      }
    };
    const configurer = async (url: string | undefined) => {
      for (let count = 0; count < 20; count += 1) {
        const { status } = await send(`${url}/v1/agents/${agent.id}`, {
          method: 'PATCH',
          headers: { 'x-agent-token': agent.token },
          body: { rawConfig: `[INPUT]\n  name cpu ${count % 4}` },
        });
        if (status !== 204) unexpected.push(status);
      }
    };
    await Promise.all([
      ...urls.map(reporter),
      ...urls.map(reporter),
      dismisser(urls[0]),
      dismisser(urls[1]),
      configurer(urls[2]),
    ]);
    expect(unexpected).toEqual([]);

    const rows = await allErrors(`/v1/agents/${agent.id}/errors`);
    expect(rows).toHaveLength(created);
    // Another replica may still hold repeats for a moment.
    await eventually(async () =>
      expect(sum(await allErrors(`/v1/agents/${agent.id}/errors`))).toBe(accepted),
    );
  });
});

function sum(rows: readonly AgentError[]): number {
  return rows.reduce((total, { occurrences }) => total + occurrences, 0);
}

/** Occurrences of every open error of a project, by text. */
async function openErrors(projectID: string): Promise<Map<string, number[]>> {
  const byText = new Map<string, number[]>();
  for (const { error, occurrences } of await allErrors(
    `/v1/projects/${projectID}/agent_errors?dismissed=false`,
  )) {
    byText.set(error, [...(byText.get(error) ?? []), occurrences]);
  }
  return new Map([...byText].sort(([one], [other]) => Number(one.slice(7)) - Number(other.slice(7))));
}

async function allErrors(path: string): Promise<AgentError[]> {
  const { replicas, admin } = installation;
  const rows: AgentError[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const { body, headers }: { body: AgentError[]; headers: Headers } = await send(
      `${replicas[0].url}${next}`,
      {
        headers: admin,
      },
    );
    rows.push(...body);
    next = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1];
  }
  return rows;
}
