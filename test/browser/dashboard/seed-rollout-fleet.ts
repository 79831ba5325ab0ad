import {
  createAgentError,
  createClient,
  createToken,
  deleteAgent,
  listAgentErrorGroups,
  listAgents,
  muteAgentErrorGroup,
  registerAgent,
  sendAgentHeartbeat,
  updateAgent,
} from '@muster/client';
import type { Dashboard } from './start-dashboard.ts';

const minute = 60_000;
const hour = 60 * minute;
const dayMinutes = 24 * 60;

interface Site {
  readonly fleetID: string;
  readonly name: (number: string) => string;
  readonly size: number;
  readonly type: string;
  readonly versions: readonly string[];
}

const sites: readonly Site[] = [
  { fleetID: 'edge-fra', name: (number) => `edge-fra1-${number}`, size: 1_280, type: 'fluentbit', versions: ['4.1.1', '4.1.1', '4.0.9'] },
  { fleetID: 'edge-iad', name: (number) => `edge-iad2-${number}`, size: 860, type: 'fluentbit', versions: ['4.1.1', '4.0.9'] },
  { fleetID: 'k8s-prod', name: (number) => `collector-prod-${number}`, size: 540, type: 'otelcol', versions: ['0.140.1'] },
  { fleetID: 'stores', name: (number) => `store-${number}-pos`, size: 320, type: 'vector', versions: ['0.51.0', '0.50.0'] },
]; // biome-ignore format: a row each

/** The share of a fleet that got the new configuration, and the minutes until each of its agents first failed. */
const rollout = { fleetID: 'edge-fra', agents: 412, slowest: 150 };

interface Trouble {
  readonly text: (number: number) => string;
  readonly fleetID: string;
  readonly agents: number;
}

/** Small ones that go on all day, with texts as the agents print them. */
const troubles: readonly Trouble[] = [
  { fleetID: 'edge-iad', agents: 37, text: () => '[error] [input:tail:tail.0] read error, check permissions: /var/log/app/*.log' },
  { fleetID: 'k8s-prod', agents: 21, text: (n) => `error internal/queue_sender.go:57 Exporting failed. Dropping data. {"error": "sending queue is full", "dropped_items": ${n * 8}}` },
  { fleetID: 'stores', agents: 14, text: () => 'ERROR sink{component_id=warehouse component_type=http}: vector::sinks::util::retries: Not retriable; dropping the request. reason="Http status: 413 Payload Too Large"' },
  { fleetID: 'edge-fra', agents: 9, text: () => '[error] [tls] certificate of logs.example.net has expired' },
]; // biome-ignore format: a row each

const config = (host: string, user: string) => `[SERVICE]
    Flush        5
    Log_Level    info

[INPUT]
    Name         tail
    Path         /var/log/app/*.log
    Tag          app.*

[OUTPUT]
    Name         es
    Match        app.*
    Host         ${host}
    Port         9200
    HTTP_User    ${user}
    Suppress_Type_Name On
`;

interface Event {
  readonly at: number;
  readonly run: () => Promise<unknown>;
}

interface FleetAgent {
  readonly agentID: string;
  readonly token: string;
  /** False: it promises signs of life, and sends none. */
  readonly isHeard: boolean;
}

/** A day of 3,000 agents: at two in the afternoon, a part of one fleet gets a configuration with which its output is refused. Always the same. */
export async function seedRolloutFleet(dashboard: Dashboard): Promise<void> {
  const { admin, app } = dashboard;
  const { clock } = app.test;
  const projectID = app.project.id;
  // The one that every test has.
  await deleteAgent(admin, { agentID: app.agent.id });
  // Whole milliseconds, as clocks have them.
  const advanceTo = (time: number) => clock.advance(Math.max(0, Math.round(time) - clock.now()));
  // A day before the afternoon of the failure.
  const day = Date.UTC(2026, 2, 3);
  advanceTo(day + 15.5 * hour);
  const fleets = new Map<string, FleetAgent[]>();
  await registerAll(dashboard, fleets);
  const begin = day + 16 * hour;
  const changed = day + 38 * hour + 2 * minute;
  const now = day + 40 * hour + 41 * minute;

  const report = ({ agentID, token }: FleetAgent, error: string) =>
    createAgentError(createClient({ url: dashboard.address, credential: { agentToken: token } }), {
      agentID,
      body: { error },
    });
  const events: Event[] = [];
  for (const { fleetID, agents, text } of troubles) {
    const fleet = fleets.get(fleetID) ?? [];
    for (let place = 0; place < agents; place += 1) {
      // Anywhere in the fleet, at any time of the day.
      const agent = fleet[fleet.length - 3 - place * Math.floor(fleet.length / (2 * agents))];
      const at = begin + ((place * 619 + agents * 97) % dayMinutes) * minute;
      if (agent !== undefined) events.push({ at, run: () => report(agent, text(place + 1)) });
    }
  }
  (fleets.get(rollout.fleetID) ?? []).slice(-rollout.agents).forEach((agent, place) => {
    const { agentID, token } = agent;
    const client = createClient({ url: dashboard.address, credential: { agentToken: token } });
    events.push({ at: changed + place * 500, run: () => updateAgent(client, { agentID, body: { rawConfig: config('es-eu.example.net', 'ingest-v2') } }) });
    // Many at first, and fewer later.
    const delay = 4 + rollout.slowest * (place / rollout.agents) ** 2.2;
    events.push({
      at: changed + delay * minute,
      run: () => report(agent, `[error] [output:es:es.0] HTTP status=401 URI=/_bulk, response: {"error":{"type":"security_exception","reason":"unable to authenticate user [ingest-v2]"},"status":401}`),
    });
  }); // biome-ignore format: a row each
  for (const { at, run } of events.sort((first, second) => first.at - second.at)) {
    if (at > now) break;
    advanceTo(at);
    await run();
  }
  advanceTo(now - minute);
  const heard = [...fleets.values()].flat().filter(({ isHeard }) => isHeard);
  for (const [place, { agentID, token }] of heard.entries()) {
    const client = createClient({ url: dashboard.address, credential: { agentToken: token } });
    await sendAgentHeartbeat(client, { agentID, body: {} });
    if (place % 100 === 0) clock.advance(1_500);
    // A list writes what was heard; with more than 2,000 signs of life it would not.
    if (place % 1_000 === 999) await listAgents(admin, { projectID, last: 1 }).first();
  }
  advanceTo(now);
  const expiresAt = new Date(now + 72 * hour).toISOString();
  for (const [name, expiry] of [['ci-deploy', expiresAt], ['fluent-bit-edge', null], ['k8s-operator', null]] as const)
    await createToken(admin, { projectID, body: { name, ...(expiry === null ? {} : { expiresAt: expiry }) } }); // biome-ignore format: a row
  const { items } = await listAgentErrorGroups(admin, { projectID }).first();
  const muted = items.find(({ pattern }) => pattern.includes('certificate'));
  if (muted !== undefined)
    await muteAgentErrorGroup(admin, {
      agentErrorGroupID: muted.id,
      body: {
        until: new Date(now + 96 * hour).toISOString(),
        reason: 'New certificates are rolled out on Friday',
      },
    });
}

/** All sites side by side, as fleets grow. */
async function registerAll({ agents, app }: Dashboard, fleets: Map<string, FleetAgent[]>): Promise<void> {
  const largest = Math.max(...sites.map(({ size }) => size));
  for (let number = largest; number > 0; number -= 1) {
    for (const { fleetID, name, size, type, versions } of sites) {
      // So that every site has its first agent last.
      if (number > size) continue;
      const machine = name(String(number).padStart(4, '0'));
      const { id: agentID, token } = await registerAgent(agents, {
        body: {
          name: machine,
          machineID: `${machine}.example.net`,
          type,
          version: versions[number % versions.length] ?? null,
          os: 'linux',
          arch: 'x86_64',
          fleetID,
          rawConfig: config('es.example.net', 'ingest'),
          heartbeatSeconds: 60,
        },
      });
      fleets.set(fleetID, [...(fleets.get(fleetID) ?? []), { agentID, token, isHeard: number % 400 !== 7 }]);
    }
    if (number % 50 === 0) app.test.clock.advance(1_000);
  }
}
