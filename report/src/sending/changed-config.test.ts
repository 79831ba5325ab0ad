import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentRecordFile } from '../state/agent-record.ts';
import { Outbox } from './outbox.ts';
import { type AgentDescription, Registrar } from './registrar.ts';
import type { ReportService } from './report-service.ts';
import { Sender } from './sender.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-sender-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function describeAgent(rawConfig: string): AgentDescription {
  const body = { name: 'edge-7', machineID: 'edge-7', type: 'fluentbit', rawConfig };
  return { body, digest: rawConfig, configDigest: rawConfig };
}

describe('Sender', () => {
  it('sends errors under the configuration that they belong to, even if it changes between two batches', async () => {
    const calls: string[] = [];
    const outbox = new Outbox();
    let agent = describeAgent('first');
    const service: ReportService = {
      async register({ rawConfig }) {
        calls.push(`register ${rawConfig}`);
        return { agentID: 'id', agentToken: 'token' };
      },
      async update(_, { rawConfig }) {
        calls.push(`update ${rawConfig}`);
      },
      heartbeat: async () => undefined,
      async report(_, texts) {
        calls.push(`report ${texts.length}, the last one is ${texts.at(-1)}`);
        if (agent.digest === 'second') return;
        agent = describeAgent('second');
        outbox.add({ text: 'of the second', configDigest: agent.configDigest });
      },
    };
    for (let index = 1; index <= 150; index += 1) {
      outbox.add({ text: `of the first: ${index}`, configDigest: 'first' });
    }
    const registrar = new Registrar({
      service,
      agent: () => agent,
      version: () => undefined,
      records: new AgentRecordFile(folder, 'key'),
      onRecordLost: () => undefined,
      onRenamed: () => undefined,
    });
    const sender = new Sender({
      outbox,
      service,
      registrar,
      configDigest: () => agent.configDigest,
      random: () => 0,
      onFailure: ({ message }) => calls.push(message),
      onSent: () => undefined,
    });
    await sender.drain(60_000);
    await registrar.settle();
    expect(calls).toEqual([
      'register first',
      'report 100, the last one is of the first: 100',
      'report 50, the last one is of the first: 150',
      'update second',
      'report 1, the last one is of the second',
    ]);
  });
});
