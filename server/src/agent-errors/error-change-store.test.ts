import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Memory } from '../memory.ts';
import { ErrorGroupStage } from '../testing/stages/error-group-stage.ts';
import type { AgentErrorStore } from './agent-error-store.ts';
import { createAgentErrorStore } from './create-agent-error-store.ts';

const by = { kind: 'user', id: '019b76da-a800-7000-8000-000000000001' } as const;
const figures = { size: 0, limit: 0, hits: 0, misses: 0 };

describe('what remembers agents is told', () => {
  let stage: ErrorGroupStage;
  let errors: AgentErrorStore;
  let told: string[];
  let agentID: string;
  let projectID: string;

  beforeEach(async () => {
    stage = await ErrorGroupStage.open();
    told = [];
    const memory = new Memory();
    memory.add('cache', { figures, forget: (id) => told.push(id), forgetAll: () => told.push('all') });
    errors = createAgentErrorStore(stage.first.database, memory);
    projectID = await stage.addProject();
    agentID = await stage.addAgent(projectID);
  });

  afterEach(() => stage.close());

  async function report(text: string): Promise<string> {
    const [outcome] = await stage.report(agentID, projectID, [text]);
    if (outcome?.kind !== 'created') throw new Error('the report is new');
    return outcome.id;
  }

  async function find(id: string) {
    const row = await errors.find(id);
    if (row === undefined) throw new Error('the error exists');
    return row;
  }

  it('when an error is dismissed, also if it was dismissed before', async () => {
    const row = await find(await report('one'));
    expect(await errors.dismiss(row, { at: 1, reason: 'seen', by })).toBe(true);
    expect(told).toEqual([agentID]);
    expect(await errors.dismiss(row, { at: 2, reason: 'seen', by })).toBe(false);
    expect(told).toEqual([agentID, agentID]);
  });

  it('when an error is reopened, also if an equal one is open', async () => {
    const row = await find(await report('one'));
    await errors.dismiss(row, { at: 1, reason: 'seen', by });
    told.length = 0;
    expect(await errors.reopen(row)).toEqual({ kind: 'reopened' });
    expect(told).toEqual([agentID]);
    expect(await errors.reopen(row)).toEqual({ kind: 'not_dismissed' });
    await errors.dismiss(row, { at: 2, reason: 'seen', by });
    const equalID = await report('one');
    told.length = 0;
    expect(await errors.reopen(row)).toEqual({ kind: 'equal_open', id: equalID });
    expect(told).toEqual([agentID]);
  });

  it('once for all errors of an agent that are dismissed because they were superseded', async () => {
    await report('one');
    await report('two');
    await stage.configure(agentID);
    await stage.first.folder.catchUp();
    expect(await errors.dismissSuperseded(Number.MAX_SAFE_INTEGER, 1, 10)).toBe(2);
    expect(told).toEqual([agentID]);
  });

  it('but not when a change is rolled back', async () => {
    const row = await find(await report('one'));
    const undone = errors.dismiss(row, { at: 1, reason: 'seen', by }, async () => {
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(told).toEqual([]);
  });
});
