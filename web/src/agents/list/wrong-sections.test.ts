import type { AgentErrorGroup, ProjectSummary } from '@muster/client';
import { describe, expect, it } from 'vitest';
import { rowsOf, type Section, sectionsOf, type WrongAgent } from './wrong-sections.ts';

const cause = (id: string, agentsCount: number) =>
  ({ id, agentsCount, pattern: `${id} <address>`, explanation: null }) as AgentErrorGroup; // no other field is read

const summaryOf = (counts: Partial<ProjectSummary['agentsByStatus']>) => {
  const agentsByStatus = { healthy: 0, unhealthy: 0, offline: 0, stopped: 0, unknown: 0, ...counts };
  const agentsCount = Object.values(agentsByStatus).reduce((sum, one) => sum + one, 0);
  return { agentsByStatus, agentsCount } as ProjectSummary; // no other field is read
};

const agent = (id: string) => ({ id, name: id }) as WrongAgent; // no other field is read

const incident = {
  summary: summaryOf({ healthy: 10, unhealthy: 7, offline: 2, unknown: 1, stopped: 3 }),
  causes: [cause('a', 4), cause('b', 2), cause('c', 1)],
  failedCount: undefined,
  status: undefined,
};
const untouched: ReadonlyMap<string, boolean> = new Map();
const stateOf = (sections: readonly Section[]) =>
  sections.map(({ id, count, isOpen }) => [id, count, isOpen]);

describe('the sections of agents', () => {
  it('are causes first, then what is not heard, with what needs nobody closed', () => {
    expect(stateOf(sectionsOf(incident, untouched))).toEqual([
      ['a', 4, true],
      ['b', 2, true],
      ['c', 1, false],
      ['failed', undefined, true],
      ['unknown', 1, true],
      ['offline', 2, true],
      ['stopped', 3, false],
      ['healthy', 10, false],
    ]);
  });

  it('stay as somebody has opened or closed them', () => {
    const sections = sectionsOf(
      incident,
      new Map([
        ['a', false],
        ['healthy', true],
      ]),
    );
    expect(sections.filter(({ isOpen }) => isOpen).map(({ id }) => id)).toEqual([
      'b',
      'failed',
      'unknown',
      'offline',
      'healthy',
    ]);
  });

  it('are those of one status if somebody asked for it', () => {
    expect(stateOf(sectionsOf({ ...incident, status: 'stopped' }, untouched))).toEqual([
      ['stopped', 3, true],
    ]);
    expect(sectionsOf({ ...incident, status: 'unhealthy' }, untouched).map(({ id }) => id)).toEqual([
      'a',
      'b',
      'c',
      'failed',
    ]);
  });

  it('count the agents that ended with a failure, and leave them out if there is none', () => {
    const failedOf = (failedCount: number) =>
      stateOf(sectionsOf({ ...incident, failedCount }, untouched)).filter(([id]) => id === 'failed');
    expect(failedOf(2)).toEqual([['failed', 2, true]]);
    expect(failedOf(0)).toEqual([]);
  });

  it('show the healthy agents when nothing is wrong', () => {
    const calm = {
      summary: summaryOf({ healthy: 10 }),
      causes: [],
      failedCount: undefined,
      status: undefined,
    };
    expect(stateOf(sectionsOf(calm, untouched))).toEqual([
      ['failed', undefined, true],
      ['healthy', 10, true],
    ]);
  });
});

describe('the rows of sections', () => {
  const rows = (
    read: Readonly<Record<string, { readonly agents: WrongAgent[]; readonly hasMore: boolean }>>,
  ) =>
    rowsOf(sectionsOf(incident, untouched), ({ id }) => read[id]).map((row) =>
      row.kind === 'agent'
        ? row.agent.id
        : row.kind === 'more'
          ? `${row.section.id} +${row.count}`
          : `[${row.section.id}]`,
    );

  it('are headings with the agents that have been read, and how many more there are', () => {
    expect(
      rows({
        a: { agents: [agent('1'), agent('2'), agent('3')], hasMore: true },
        failed: { agents: [agent('4')], hasMore: true },
        offline: { agents: [agent('5'), agent('6')], hasMore: false },
      }),
    ).toEqual([
      '[a]',
      '1',
      '2',
      '3',
      'a +1',
      '[b]',
      '[c]',
      '[failed]',
      '4',
      'failed +undefined',
      '[unknown]',
      '[offline]',
      '5',
      '6',
      '[stopped]',
      '[healthy]',
    ]);
  });

  it('leave out agents that ended with a failure if there is none', () => {
    expect(rows({ failed: { agents: [], hasMore: false } })).not.toContain('[failed]');
  });
});
