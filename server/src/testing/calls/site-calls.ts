import { hash, randomBytes } from 'node:crypto';
import {
  type Agent,
  type AgentError,
  type CoreInstanceBatchResult,
  type CoreInstanceReport,
  formatToken,
} from '@muster/contract';
import { v7 } from 'uuid';
import { expect } from 'vitest';
import type { TestApp, TestProject } from '../start-test-app.ts';

/** What a core instance says of itself. */
export function siteStatus(now: number, changes: Partial<CoreInstanceReport> = {}): CoreInstanceReport {
  return {
    version: '0.1.0',
    startedAt: Math.max(0, now - 60_000),
    spooledCount: 0,
    spooledBytes: 0,
    oldestSpooledAt: null,
    lostCount: 0,
    lastLossAt: null,
    sentAt: now,
    ...changes,
  };
}

/** The item of an agent that registered at a site a second ago, and what the site gave it. */
export function siteRegistration(now: number, tokenID: string, machineID: string, changes: object = {}) {
  const token = formatToken('agent', randomBytes(32));
  const agentID = v7({ msecs: now - 1_000 });
  const item = {
    kind: 'registration',
    at: now - 1_000,
    agentID,
    tokenDigest: hash('sha256', token),
    tokenID,
    agent: { name: machineID, machineID, rawConfig: '[INPUT]\n  name cpu\n' },
    ...changes,
  };
  return { item, agentID, token };
}

/** The id of the token with which agents of a project register. */
export async function idOfToken(app: TestApp, { token }: Pick<TestProject, 'token'>): Promise<string> {
  const { body } = await app.request<{ id: string }>('GET', '/v1/project_tokens/self', {
    as: { project: token },
  });
  return body.id;
}

/** The core instance of a test, and the token that its agents have. */
interface SiteOfTest {
  readonly app: TestApp;
  readonly site: { readonly id: string; readonly token: string };
  readonly tokenID: string;
}

/** Batches of a core instance, and what became of them. The first one of each core instance has the number 1. */
export function siteBatchCalls(current: () => SiteOfTest) {
  const sequences = new Map<string, number>();
  const admin = () => ({ access: current().app.admin });
  const now = () => current().app.clock.now();

  function nextSequence(): number {
    const { site } = current();
    const sequence = (sequences.get(site.id) ?? 0) + 1;
    sequences.set(site.id, sequence);
    return sequence;
  }

  function batchOf(
    items: readonly object[],
    changes: { sequence?: number; status?: object; protocol?: number } = {},
  ) {
    return {
      protocol: changes.protocol ?? 1,
      sequence: changes.sequence ?? nextSequence(),
      status: siteStatus(now(), changes.status),
      items,
    };
  }

  function send(batch: object, token = current().site.token) {
    return current().app.request<CoreInstanceBatchResult>('POST', '/v1/core_instances/self/batches', {
      as: { core_instance: token },
      body: batch,
    });
  }

  return {
    admin,
    batchOf,
    send,

    /** Sends items in the next batch, and expects that it is stored. */
    async pass(...items: readonly object[]): Promise<CoreInstanceBatchResult> {
      const { status, body } = await send(batchOf(items));
      expect(status).toBe(200);
      return body;
    },

    async errorsOf(agentID: string): Promise<AgentError[]> {
      const { app } = current();
      return (await app.request<AgentError[]>('GET', `/v1/agents/${agentID}/errors`, { as: admin() })).body;
    },

    async agent(agentID: string): Promise<Agent> {
      return (await current().app.request<Agent>('GET', `/v1/agents/${agentID}`, { as: admin() })).body;
    },

    error(text: string, ago = 0, count = 1, last = ago) {
      return { error: text, firstAt: now() - ago, lastAt: now() - last, count };
    },

    errors(agentID: string, ...list: readonly object[]) {
      return { kind: 'errors', by: { tokenID: current().tokenID }, agentID, errors: list };
    },

    registration(machineID: string, changes: object = {}) {
      return siteRegistration(now(), current().tokenID, machineID, changes);
    },

    iso(ago: number): string {
      return new Date(now() - ago).toISOString();
    },
  };
}
