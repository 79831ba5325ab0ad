import { expect, it } from 'vitest';
import { agentLines } from './agent-lines.ts';

it('the lines for an agent name the service and the fleet, and no secret', () => {
  expect(agentLines(new URL('https://muster.example.com/'), 'edge')).toBe(`[CUSTOM]
    name             calyptia
    api_key          \${PROJECT_TOKEN}
    calyptia_host    muster.example.com
    calyptia_port    443
    calyptia_tls     on
    machine_id       \${HOSTNAME}
    fleet_name       edge
    fleet.config_dir /var/lib/fluent-bit`);
});

it('they follow the port and the scheme of the service', () => {
  const lines = agentLines(new URL('http://[::1]:7400/'), 'edge').split('\n');
  expect(lines.slice(3, 6)).toEqual([
    '    calyptia_host    ::1',
    '    calyptia_port    7400',
    '    calyptia_tls     off',
  ]);
});
