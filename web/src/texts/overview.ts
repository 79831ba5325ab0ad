import { formatNumber } from '../parts/amount.ts';

const counted = (count: number, one: string, many: string) =>
  count === 1 ? `1 ${one}` : `${formatNumber(count)} ${many}`;

interface Changes {
  readonly errors: number;
  readonly causes: number;
  readonly configChanges: number;
}

export const overviewTexts = {
  title: 'Overview',
  status: {
    healthy: 'Healthy',
    unhealthy: 'Unhealthy',
    offline: 'Offline',
    stopped: 'Stopped',
    unknown: 'Unknown',
  },
  noAgents: 'No agent is registered yet',
  noAgentsText:
    'An agent appears here when it registers or first reports. To see a simulated fleet, run `muster demo` in the folder of the service. Let Muster start your agent, and it reports for it:',
  noAgentsCommand: 'muster report -- fluent-bit -c fluent-bit.conf',
  newErrors: 'New errors',
  errors: 'errors',
  range: 'Time of the chart',
  ranges: { hour: 'Hour', day: 'Day', month: '30 days' },
  configuration: (agents: number, agent: string) =>
    `New configuration on ${counted(agents, 'agent', 'agents')}, first on ${agent}`,
  loudest: 'Most widespread causes',
  allCauses: 'All causes',
  noCauses: 'No agent has an open error.',
  agents: (count: number) => counted(count, 'agent', 'agents'),
  attention: 'Needs attention',
  nothing: 'Nothing. All agents and sites report, no token is about to expire, and all alert channels work.',
  site: 'Site',
  isUnreachable: 'is unreachable',
  moreSites: (count: number) => `${counted(count, 'more site is', 'more sites are')} unreachable`,
  unknownAgents: (count: number) =>
    count === 0
      ? 'No agent has reported through it.'
      : `${counted(count, 'agent behind it is', 'agents behind it are')} unknown, not offline.`,
  lastHeard: 'Last heard',
  offline: (count: number) => `${counted(count, 'agent is', 'agents are')} offline`,
  offlineText: 'They have sent nothing for longer than their heartbeat interval allows.',
  failingChannel: (name: string) => `Alert channel ${name} fails`,
  expiringToken: (name: string) => `Token ${name} is about to expire`,
  expires: 'Expires',
  earlierValue: 'A value from before its rotation ends soon.',
  firstVisit: 'On your next visit, this line says what has changed since.',
  sinceLastVisit: 'Since your last visit',
  changes: ({ errors, causes, configChanges }: Changes) =>
    errors + causes + configChanges === 0
      ? 'nothing new.'
      : `${[
          errors > 0 && counted(errors, 'new error', 'new errors'),
          causes > 0 && counted(causes, 'new cause', 'new causes'),
          configChanges > 0 && counted(configChanges, 'configuration change', 'configuration changes'),
        ]
          .filter(Boolean)
          .join(', ')}.`,
};
