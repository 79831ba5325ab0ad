import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { HeardAgents } from './heard-agents.ts';

const nobody = { count: 0, agentOfMachine: () => undefined, isRegistered: () => false };

it('counts each agent once, registered ones apart, and one that registers now no longer twice', () => {
  const registered = new Set(['agent-1']);
  const heard = new HeardAgents({
    count: registered.size,
    agentOfMachine: (machineID) => (machineID === 'machine-1' ? 'agent-1' : undefined),
    isRegistered: (agentID) => registered.has(agentID),
  });
  for (const target of [
    { agentID: 'agent-1' },
    { machineID: 'machine-1' },
    { agentID: 'agent-2' },
    { agentID: 'agent-2' },
    // An id and a machine may have the same text.
    { machineID: 'agent-2' },
    { machineID: 'machine-2' },
  ])
    heard.note(target);
  expect(heard.count).toBe(1 + 3);
  heard.noteRegistered('machine-2');
  expect(heard.count).toBe(1 + 2);
});

it('takes at most 10 MB for the 100,000 agents that it counts', () => {
  const heard = new HeardAgents(nobody);
  const before = usedBytes();
  for (let number = 0; number <= 100_000; number += 1) {
    // As a machine is named in a path: a part of a longer text.
    const path = `/v1/machines/edge-node-${number}.plant-7.eu-central-1.example.com/errors`;
    heard.note({ machineID: path.slice('/v1/machines/'.length, -'/errors'.length) });
  }
  expect(usedBytes() - before).toBeLessThan(10_000_000);
  expect(heard.count).toBe(100_000);
});

function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // as the flag above makes it
  collect();
  return process.memoryUsage().heapUsed;
}
