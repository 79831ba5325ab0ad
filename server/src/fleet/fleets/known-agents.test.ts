import { describe, expect, it } from 'vitest';
import { type KnownAgent, KnownAgents } from './known-agents.ts';

function knownAs(agentID: string | undefined): KnownAgent {
  return {
    projectID: 'project',
    agentID,
    fleetID: 'fleet',
    shift: 0,
    offered: undefined,
    offeredAt: undefined,
    downloaded: undefined,
    valuesDigest: undefined,
    hasRun: false,
    open: undefined,
    written: undefined,
  };
}

describe('the agents that are known by their ids', () => {
  it('stay known whoever asks with ids that nobody has registered', () => {
    const agents = new KnownAgents();
    agents.set('agent', knownAs('agent-1'));
    for (let count = 0; count < 250_000; count += 1) agents.set(`id-${count}`, knownAs(undefined));
    expect(agents.get('agent')?.agentID).toBe('agent-1');
    expect(agents.get('id-249999')).toBeDefined();
    expect(agents.get('id-1')).toBeUndefined();
  });

  it('are one each, whether they have registered or not', () => {
    const agents = new KnownAgents();
    agents.set('id', knownAs(undefined));
    agents.set('id', knownAs('agent-1'));
    expect(agents.get('id')?.agentID).toBe('agent-1');
    agents.set('id', knownAs(undefined));
    expect(agents.get('id')?.agentID).toBeUndefined();
    agents.delete('id');
    expect(agents.get('id')).toBeUndefined();
  });
});
