import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageConfigurationNames, pageConfigurations } from './page.ts';
import { type Section, textsOf } from './read-configuration.ts';
import { ReportingProject } from './reporting-project.ts';
import type { Network, SimulatedAgent } from './simulated-agent.ts';

const fault = '[input:tail:tail.0] read error, check permissions: /var/log/app/*.log';
const secondsWatched = 150;

let project: ReportingProject;
beforeAll(async () => {
  project = await ReportingProject.open();
});
afterAll(() => project.close());

/** The agent prints one fault, and is then left alone. */
async function countRequests(agent: SimulatedAgent): Promise<number> {
  agent.print('error', fault);
  await agent.runSeconds(secondsWatched);
  return agent.requests.length;
}

const isAway: Network = async () => undefined;

describe.each(pageConfigurationNames)('an agent with the configuration "%s", after one fault', (name) => {
  const configuration = pageConfigurations[name];
  const hostName = `loop-${name.replaceAll(' ', '-')}`;

  it('sends one request when its token was revoked (401)', async () => {
    const { app } = project;
    const { id, token } = await app.test.createToken(app.project.id, ['create:agent', 'create:agent_error']);
    const revoked = await app.test.request('DELETE', `/v1/project_tokens/${id}`, {
      as: { access: app.test.admin },
    });
    expect(revoked.status).toBe(204);
    expect(await countRequests(await project.startAgent(configuration, hostName, { token }))).toBe(1);
    expect(await project.rowsOf(hostName)).toEqual([]);
  });

  it('sends one request when its token may not report (403)', async () => {
    const { app } = project;
    const { token } = await app.test.createToken(app.project.id, ['read:agent']);
    expect(await countRequests(await project.startAgent(configuration, hostName, { token }))).toBe(1);
    expect(await project.rowsOf(hostName)).toEqual([]);
  });

  it.each([408, 429, 500, 503])(
    'sends one request and five retries when the answer is %i',
    async (status) => {
      const answers: Network = async () => ({ status, body: '{"title":"Busy","requestID":"01K"}' });
      expect(
        await countRequests(await project.startAgent(configuration, hostName, { network: answers })),
      ).toBe(1 + 5);
    },
  );

  it('sends one request and five retries when nothing listens', async () => {
    expect(await countRequests(await project.startAgent(configuration, hostName, { network: isAway }))).toBe(
      1 + 5,
    );
  });

  it('reports the fault, and nothing about the pause, when Muster is back', async () => {
    const host = `${hostName}-back`;
    let isBack = false;
    const network: Network = async (request) => (isBack ? project.post(request) : undefined);
    const agent = await project.startAgent(configuration, host, { network });
    agent.print('error', fault);
    await agent.runSeconds(20);
    isBack = true;
    await agent.runSeconds(secondsWatched);
    expect(await project.rowsOf(host)).toEqual([[fault, 1]]);
  });
});

describe('the same configuration without what stops the loop', () => {
  it.each([401, 503])('reports each failed report when the answer is %i', async (status) => {
    const network: Network = async () => ({ status, body: '' });
    const agent = await project.startAgent(withoutExcludes(pageConfigurations.classic), 'control', {
      network,
    });
    expect(await countRequests(agent)).toBeGreaterThanOrEqual(secondsWatched - 1);
  });

  it('reports each failed report when nothing listens', async () => {
    const agent = await project.startAgent(withoutExcludes(pageConfigurations.classic), 'control', {
      network: isAway,
    });
    expect(await countRequests(agent)).toBeGreaterThanOrEqual(secondsWatched - 1);
  });

  it('reports each failed report also when one rule is missing', async () => {
    // The Lua function drops some of these lines too, so that two parts stop them.
    const whole = pageConfigurations['classic without Lua'];
    const rules = whole.flatMap((section) => textsOf(section, 'exclude'));
    expect(rules).toHaveLength(6);
    // Lines of the output itself name the host too, so that two rules stop them. The last rule is about no report.
    for (const rule of rules.slice(1, -1)) {
      const configuration = replaceExclude(whole, rule, undefined);
      const agent = await project.startAgent(configuration, 'control', { network: isAway });
      const isLoop = (await countRequests(agent)) > 1 + 5;
      expect([rule, isLoop]).toEqual([rule, true]);
    }
  });

  it.each(pageConfigurationNames)(
    'reports each failed report if lines of [http_client] get through (%s)',
    async (name) => {
      const rule = 'message ^\\[(tls|upstream|http_client)\\]';
      const configuration = replaceExclude(pageConfigurations[name], rule, 'message ^\\[(tls|upstream)\\]');
      const agent = await project.startAgent(configuration, 'control', { network: isAway });
      expect(await countRequests(agent)).toBeGreaterThan(1 + 5);
    },
  );
});

/** The configuration with another rule, or none, in the place of one. */
function replaceExclude(whole: readonly Section[], rule: string, other: string | undefined): Section[] {
  return whole.map(({ kind, properties }) => ({
    kind,
    properties: properties.flatMap(([key, value]) => {
      if (key !== 'exclude' || value !== rule) return [[key, value] as const];
      return other === undefined ? [] : [[key, other] as const];
    }),
  }));
}

function withoutExcludes(configuration: readonly Section[]): Section[] {
  return configuration.filter((section) => textsOf(section, 'exclude').length === 0);
}
