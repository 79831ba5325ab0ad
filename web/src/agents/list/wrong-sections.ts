import type { Agent, AgentErrorGroup, OpenAgentError, ProjectSummary } from '@muster/client';
import { titleOfCause } from '@muster/contract';
import { agentStatusesTexts } from '../../texts/agent-statuses.ts';
import { agentsTexts } from '../../texts/agents.ts';

type Status = keyof ProjectSummary['agentsByStatus'];

/** Where the agents of a section come from. */
export type SectionSource =
  | { readonly kind: 'cause'; readonly causeID: string }
  /** Unhealthy without an open error: they ended with a failure, or do so again and again. */
  | { readonly kind: 'failed' }
  | { readonly kind: 'status'; readonly status: Exclude<Status, 'unhealthy'> };

/** Agents with which the same is wrong. */
export interface Section {
  readonly id: string;
  readonly source: SectionSource;
  readonly status: Status;
  /** Undefined: the cause is not known by a name, and its pattern stands instead. */
  readonly title: string | undefined;
  readonly pattern: string | undefined;
  /** Undefined: it is not counted. */
  readonly count: number | undefined;
  readonly isOpen: boolean;
}

/** What a row says of an agent. */
export interface WrongAgent {
  readonly id: string;
  readonly name: string;
  readonly fleet: Agent['fleet'];
  readonly configID: string | null;
  readonly fleetID: string | null;
  readonly openError: OpenAgentError | null;
  readonly statusReason: string | null;
  /** Null: its open error says it. */
  readonly since: string | null;
  readonly lastSeenAt: string;
}

export type WrongRow =
  | { readonly kind: 'section'; readonly section: Section }
  | { readonly kind: 'agent'; readonly section: Section; readonly agent: WrongAgent }
  /** `count`: undefined if nobody has counted. */
  | { readonly kind: 'more'; readonly section: Section; readonly count: number | undefined };

/** Causes whose agents are read at first. */
const causesOpen = 2;

interface Fleet {
  readonly summary: ProjectSummary;
  readonly causes: readonly AgentErrorGroup[];
  /** Agents that ended with a failure. Undefined: nobody has counted them. */
  readonly failedCount: number | undefined;
  /** Undefined: those of every status. */
  readonly status: Status | undefined;
}

/**
 * What is wrong with the agents of a project: causes, the one on the most agents first, then agents of which nothing is heard, then the rest.
 *
 * @param toggled sections that somebody has opened or closed
 */
export function sectionsOf(
  { summary, causes, failedCount, status }: Fleet,
  toggled: ReadonlyMap<string, boolean>,
): readonly Section[] {
  const { agentsByStatus } = summary;
  const isAllWell = agentsByStatus.healthy === summary.agentsCount;
  const ofStatus = (one: Exclude<Status, 'unhealthy'>, isOpen: boolean): Section => ({
    id: one,
    source: { kind: 'status', status: one },
    status: one,
    title: agentStatusesTexts[one],
    pattern: undefined,
    count: agentsByStatus[one],
    isOpen: isOpen || one === status,
  });
  const sections: readonly Section[] = [
    ...causes.map(
      (cause, place): Section => ({
        id: cause.id,
        source: { kind: 'cause', causeID: cause.id },
        status: 'unhealthy',
        title: titleOfCause(cause),
        pattern: cause.pattern,
        count: cause.agentsCount,
        isOpen: place < causesOpen,
      }),
    ),
    {
      id: 'failed',
      source: { kind: 'failed' },
      status: 'unhealthy',
      title: agentsTexts.failed,
      pattern: undefined,
      count: failedCount,
      isOpen: true,
    },
    ofStatus('unknown', true),
    ofStatus('offline', true),
    ofStatus('stopped', false),
    ofStatus('healthy', isAllWell),
  ];
  return sections
    .filter((section) => section.count !== 0 && (status === undefined || section.status === status))
    .map((section) => ({ ...section, isOpen: toggled.get(section.id) ?? section.isOpen }));
}

/** The agents of a section that have been read. */
export interface SectionAgents {
  readonly agents: readonly WrongAgent[];
  readonly hasMore: boolean;
}

/** Sections with their agents below. A section of agents that nobody has counted is there only if it has some. */
export function rowsOf(
  sections: readonly Section[],
  agentsOf: (section: Section) => SectionAgents | undefined,
): readonly WrongRow[] {
  return sections.flatMap((section): readonly WrongRow[] => {
    const read = agentsOf(section);
    if (section.count === undefined && (read === undefined || read.agents.length === 0)) return [];
    const heading: WrongRow = { kind: 'section', section };
    if (!section.isOpen || read === undefined) return [heading];
    const { agents, hasMore } = read;
    const rest = section.count === undefined ? undefined : Math.max(1, section.count - agents.length);
    return [
      heading,
      ...agents.map((agent): WrongRow => ({ kind: 'agent', section, agent })),
      ...(hasMore ? [{ kind: 'more', section, count: rest } as const] : []),
    ];
  });
}
