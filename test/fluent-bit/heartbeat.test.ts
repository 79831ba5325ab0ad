import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callHeartbeats } from '../../server/src/testing/calls/heartbeat-calls.ts';
import { heartbeatConfigurations, pageConfigurationNames, pageConfigurations } from './page.ts';
import { type Section, textOf, withEnvironment } from './read-configuration.ts';
import { ReportingProject } from './reporting-project.ts';

let project: ReportingProject;
beforeAll(async () => {
  project = await ReportingProject.open();
});
afterAll(() => project.close());

describe.each(['classic', 'yaml'] as const)('the heartbeat of the page (%s)', (name) => {
  it('is sent by an agent until it is gone', async () => {
    const { test, project: sentTo } = project.app;
    const hostName = `heartbeat-${name}`;
    const environment = { HOSTNAME: hostName, PROJECT_TOKEN: sentTo.token };
    const [input, output, ...others] = withEnvironment(heartbeatConfigurations[name], environment);
    if (input === undefined || output === undefined) throw new Error('the page has no heartbeat');
    expect(others).toEqual([]);
    expect([propertyOf(input, 'name'), propertyOf(output, 'name')]).toEqual(['dummy', 'http']);
    // With `storage.path`, `flush_on_startup` crashes Fluent Bit 5.1.1 a second after each start.
    expect(input.properties.map(([key]) => key)).toEqual(['name', 'tag', 'dummy', 'interval_sec']);
    expect(propertyOf(output, 'match')).toBe(propertyOf(input, 'tag'));
    expect([propertyOf(output, 'format'), propertyOf(output, 'json_date_key')]).toEqual(['json', 'false']);
    const [headerName = '', headerValue = ''] = propertyOf(output, 'header').split(' ');
    const request = {
      host: propertyOf(output, 'host'),
      port: propertyOf(output, 'port'),
      isEncrypted: true,
      path: propertyOf(output, 'uri'),
      headers: { [headerName]: headerValue },
      body: JSON.stringify([JSON.parse(propertyOf(input, 'dummy'))]),
    };
    const found = (status: string) => callHeartbeats(test).namesOf(sentTo.id, status);
    for (let beat = 0; beat < 3; beat += 1) {
      expect((await project.post(request)).status).toBe(204);
      expect(await found('healthy')).toContain(hostName);
      test.clock.advance(Number(propertyOf(input, 'interval_sec')) * 1_000);
    }
    test.clock.advance(59_999);
    expect(await found('offline')).not.toContain(hostName);
    test.clock.advance(1);
    expect(await found('offline')).toContain(hostName);
    expect((await project.post(request)).status).toBe(204);
    expect(await found('offline')).not.toContain(hostName);
  });
});

describe.each(pageConfigurationNames)('an agent with the configuration "%s"', (name) => {
  it('reports nothing about heartbeats that fail', async () => {
    const agent = await project.startAgent(pageConfigurations[name], 'silent');
    for (const line of [
      '[output:http:muster_heartbeat] muster.example.com:443, HTTP status=503',
      '[output:http:muster_heartbeat] no upstream connections available to muster.example.com:443',
      "[engine] chunk '1-1795220947.322832545.flb' cannot be retried: task_id=0, input=dummy.1 > output=muster_heartbeat (out_id=2)",
      "[engine] chunk '1-1795220947.322832545.flb' cannot be retried: task_id=0, input=dummy.1 > output=muster_heartbeat",
    ]) {
      agent.print('error', line);
    }
    await agent.runSeconds(3);
    expect(agent.requests).toEqual([]);
  });
});

function propertyOf(section: Section, key: string): string {
  return textOf(section, key) ?? '';
}
