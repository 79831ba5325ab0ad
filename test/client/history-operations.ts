import { type Client, getProjectHistory, getReportedFleets, listAgentConfigChanges } from '@muster/client';
import { expect } from 'vitest';
import { all } from './outcomes.ts';

/** Calls the operations that tell what happened to the agents of a project. @param agentID of an agent with one configuration, and without errors of it */
export async function readHistory(admin: Client, projectID: string, agentID: string): Promise<void> {
  const nothing = { errorsCount: 0, causesCount: 0, came: [], cameCount: 0, went: [], wentCount: 0 };
  expect(await all(listAgentConfigChanges(admin, { agentID }))).toEqual([
    { configID: expect.any(String), createdAt: expect.any(String), current: true, ...nothing },
  ]);
  expect(await getReportedFleets(admin, { projectID })).toEqual({ fleets: [] });
  const history = await getProjectHistory(admin, { projectID, bucket: 'day' });
  expect(history.buckets).toHaveLength(31);
  expect(history.configurations).toMatchObject([{ agentID, agentsCount: 1 }]);
}
