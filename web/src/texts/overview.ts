import type { ProjectSummary } from '@muster/client';
import { formatNumber } from '../parts/amount.ts';

const counted = (count: number, one: string, many: string) =>
  count === 1 ? `1 ${one}` : `${formatNumber(count)} ${many}`;

type Statuses = ProjectSummary['agentsByStatus'];

interface Changes {
  readonly errors: number;
  readonly causes: number;
  readonly configChanges: number;
}

export const overviewTexts = {
  title: 'Overview',
  status: {
    healthy: 'healthy',
    unhealthy: 'unhealthy',
    offline: 'offline',
    stopped: 'stopped',
    unknown: 'unknown',
  },
  newErrors: 'New errors',
  errors: 'errors',
  range: 'Time of the chart',
  ranges: { hour: 'Hour', day: 'Day', month: '30 days' },
  configuration: (agents: number, agent: string) =>
    `New configuration on ${counted(agents, 'agent', 'agents')}, first on ${agent}`,
  allCauses: 'All causes',
  agents: (count: number) => counted(count, 'agent', 'agents'),
  attention: 'Needs attention',
  nothing: ({ unhealthy, unknown }: Statuses) =>
    unhealthy + unknown === 0
      ? 'Nothing. All agents and sites report, no token is about to expire, and all alert channels work.'
      : `${[
          unhealthy > 0 && `${counted(unhealthy, 'agent is', 'agents are')} unhealthy`,
          unknown > 0 && `${counted(unknown, 'agent is', 'agents are')} unknown`,
        ]
          .filter(Boolean)
          .join(' and ')}, and nothing else.`,
  nothingElse: 'Nothing else.',
  goingOn: 'What is going on',
  seeWhy: 'See why',
  firstError: 'The first error',
  moreCauses: (count: number, agents: number | undefined) =>
    `${counted(count, 'more open cause', 'more open causes')}${agents === undefined ? '' : ` on up to ${counted(agents, 'agent', 'agents')}`}`,
  restText: 'They stand in the list of causes.',
  whatHappened: 'What happened',
  nothingHappened: 'Nothing began and nothing changed in the last 24 hours.',
  auditLog: 'Audit log',
  began: 'began',
  cameBack: 'came back',
  rollout: (number: number) => `Rollout of version ${number}`,
  rolloutEnds: {
    running: undefined,
    waiting: undefined,
    paused: undefined,
    stopped: 'was stopped',
    reverting: 'was stopped and goes back',
    reverted: 'was stopped and reverted',
    completed: 'was completed',
    superseded: undefined,
  },
  configurationOn: 'Configuration',
  ownConfigurations: (count: number) =>
    `${counted(count, 'configuration', 'configurations')}, each on one agent`,
  firstAt: 'the first at',
  on: 'on',
  firstOn: 'first on',
  calm: ({ unhealthy, unknown, offline, stopped }: Statuses, all: number) => {
    if (unhealthy > 0)
      return `${formatNumber(unhealthy)} of ${counted(all, 'agent', 'agents')} ${unhealthy === 1 ? 'is' : 'are'} unhealthy`;
    if (unknown > 0)
      return `${formatNumber(unknown)} of ${counted(all, 'agent', 'agents')} ${unknown === 1 ? 'is' : 'are'} unknown`;
    if (offline > 0)
      return `${formatNumber(offline)} of ${counted(all, 'agent', 'agents')} ${offline === 1 ? 'is' : 'are'} offline`;
    return all === stopped
      ? 'No agent runs'
      : all - stopped === 1
        ? 'The one running agent works'
        : `All ${formatNumber(all - stopped)} running agents work`;
  },
  noTrouble: 'No agent is in trouble',
  nothingNew: 'Nothing new is widespread',
  calmRest: (causes: number, stopped: number) =>
    [
      causes === 0 ? 'No cause is open.' : `${counted(causes, 'cause is', 'causes are')} open.`,
      stopped > 0 && `${counted(stopped, 'agent is', 'agents are')} stopped.`,
    ]
      .filter(Boolean)
      .join(' '),
  site: 'Site',
  isUnreachable: 'is unreachable',
  moreSites: (count: number) => `${counted(count, 'more site is', 'more sites are')} unreachable`,
  unknownAgents: (count: number) =>
    count === 0
      ? 'No agent has reported through it.'
      : `${counted(count, 'agent behind it is', 'agents behind it are')} unknown, not offline.`,
  lastHeard: 'Last heard',
  failed: (count: number, isMore: boolean) =>
    `${isMore ? 'More than ' : ''}${counted(count, 'agent', 'agents')} ended with a failure`,
  failedText: 'No open cause explains it.',
  offline: (count: number) => `${counted(count, 'agent is', 'agents are')} offline`,
  offlineText: 'They have sent nothing for longer than their heartbeat interval allows.',
  failingChannel: (name: string) => `Alert channel ${name} fails`,
  theLongest: 'The longest:',
  token: 'Token',
  expires: 'expires',
  neverUsed: 'Nobody has used it.',
  lastUsed: 'Last used',
  rotate: 'Rotate…',
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
