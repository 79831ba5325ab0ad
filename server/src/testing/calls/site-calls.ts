import { hash, randomBytes } from 'node:crypto';
import { type CoreInstanceReport, formatToken } from '@muster/contract';
import { v7 } from 'uuid';

/** What a core instance says of itself. */
export function siteStatus(now: number, changes: Partial<CoreInstanceReport> = {}): CoreInstanceReport {
  return {
    version: '0.1.0',
    startedAt: Math.max(0, now - 60_000),
    agentsCount: 1,
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
