import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CoreInstanceBatch,
  type CoreInstanceBatchResult,
  type Problem,
  type ProblemCode,
  problems,
} from '@muster/contract';
import { toProblem } from '@muster/http/answers/to-problem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Polls } from '../fleets/polls.ts';
import { RegistrationProofs } from '../listening/registration-proofs.ts';
import { SignsOfLife } from '../listening/signs-of-life.ts';
import type { Spool } from '../spool/spool.ts';
import { ProgressFile } from '../state/progress-file.ts';
import { SiteAgents } from '../state/site-agents.ts';
import { MemoryFiles } from '../testing/memory-files.ts';
import { errorOf, openTestSpool, registrationOf, startedAt } from '../testing/test-spool.ts';
import { EndedAgents } from '../verdicts/ended-agents.ts';
import { CentreFailure } from './centre-failure.ts';
import { Forwarder } from './forwarder.ts';

const flushMilliseconds = 1_000;

let folder: string;
let spool: Spool;
let signs: SignsOfLife;
let polls: Polls;
let agents: SiteAgents;
let ended: EndedAgents;
let progress: ProgressFile;
let forwarder: Forwarder;
let sent: CoreInstanceBatch[];
let logs: string[];
let answer: (batch: CoreInstanceBatch) => Partial<CoreInstanceBatchResult>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-lanes-'));
  ({ spool } = await openTestSpool(new MemoryFiles()));
  signs = new SignsOfLife();
  polls = new Polls();
  agents = await SiteAgents.open(folder);
  ended = new EndedAgents({
    isDeleted: () => false,
    canonicalID: (agentID) => agents.canonicalID(agentID),
    monotonic: () => 0,
  });
  progress = await ProgressFile.open(folder, () => undefined);
  sent = [];
  logs = [];
  answer = () => ({});
  const log = (message: string): void => {
    logs.push(message);
  };
  forwarder = new Forwarder({
    send: async (batch) => {
      sent.push(batch);
      const { sequence, id = null } = batch;
      const told = { nextPing: '30s', pendingID: null, credentialsCursor: '', rotateBefore: null };
      return { sequence, batchID: id, ...told, refused: [], aliases: [], ...answer(batch) };
    },
    spool,
    progress,
    signs,
    polls,
    proofs: new RegistrationProofs(),
    agents,
    ended,
    log: { info: log, warn: log, error: log },
    clock: () => startedAt,
    monotonic: () => 0,
    random: () => 0,
    newID: () => '0192f0a0-0000-7000-8000-0000000000bb',
    limits: {
      flushMilliseconds,
      itemsPerSecond: 100,
      itemsPerBatch: 10,
      bytesPerBatch: 1_000_000,
      deletedPauseMilliseconds: 1,
    },
    describe: () => ({ version: '1', startedAt }),
    onCursor: () => undefined,
    onFleetGeneration: () => undefined,
    credential: {
      confirm: () => Promise.resolve(),
      rotate: () => Promise.resolve(),
      renew: () => Promise.resolve(),
    },
  });
});
afterEach(async () => {
  await spool.close();
  rmSync(folder, { recursive: true });
});

const by = { tokenID: 'token-1' };

function beat(count: number): void {
  for (let index = 0; index < count; index += 1)
    signs.note({ at: startedAt, by, target: { machineID: `m-${index}` }, heartbeat: {} });
}

function poll(count: number): void {
  const offered = { fleetID: 'fleet', versionID: 'version', seconds: 1, content: 'content' };
  for (let index = 0; index < count; index += 1)
    polls.note(`handle-${index}`, { at: startedAt, by, shift: 0, offered, downloaded: 1, hasAny: true });
}

function refusal(code: ProblemCode, fields?: Problem['fields']): Problem {
  return toProblem(code, 'request-1', problems[code].help, fields);
}

const kinds = () => sent.at(-1)?.items.map(({ kind }) => kind);
const repeat = (kind: string, count: number): string[] => Array.from({ length: count }, () => kind);

describe('what goes over the line beside the spool', () => {
  it('is signs of life, batch after batch, as fast as items may be sent', async () => {
    beat(25);
    const waits = [await forwarder.step(), await forwarder.step(), await forwarder.step()];
    expect(sent.map(({ items }) => items.length)).toEqual([10, 10, 5]);
    expect(waits).toEqual([100, 100, flushMilliseconds]);
  });

  it('is also polls, however many signs of life there are', async () => {
    beat(100);
    poll(3);
    await forwarder.step();
    expect(kinds()).toEqual([...repeat('heartbeat', 9), 'poll']);
    await forwarder.step();
    await forwarder.step();
    await forwarder.step();
    expect(kinds()).toEqual(repeat('heartbeat', 10));
    expect(sent.flatMap(({ items }) => items).filter(({ kind }) => kind === 'poll')).toHaveLength(3);
  });

  it('is signs of life beside a long spool, behind which polls wait', async () => {
    await forwarder.step();
    await spool.append(
      Array.from({ length: 12 }, (_, index) =>
        errorOf(`text ${index}`, { target: { machineID: `m-${index}` } }),
      ),
    );
    beat(2);
    poll(1);
    await forwarder.step();
    expect(kinds()).toEqual([...repeat('errors', 9), 'heartbeat']);
    await forwarder.step();
    expect(kinds()).toEqual([...repeat('errors', 3), 'heartbeat', 'poll']);
  });

  it('is no refusal if the registration of its agent waits behind it', async () => {
    const { agentID, tokenDigest } = registrationOf('m-1');
    await forwarder.step();
    for (let index = 0; index < 12; index += 1) await spool.append([errorOf(`text ${index}`)]);
    await spool.append([registrationOf('m-1')]);
    await agents.register(agentID, 'm-1', tokenDigest);
    const heartbeat = { at: startedAt, by, target: { agentID }, heartbeat: {} };
    answer = ({ items }) => ({
      refused: items.flatMap((item, index) =>
        item.kind === 'heartbeat' ? [{ index, error: refusal('not_found') }] : [],
      ),
    });
    signs.note(heartbeat);
    await forwarder.step();
    expect(sent.at(-1)?.items.at(-1)).toMatchObject({ kind: 'heartbeat', agentID });
    expect(progress.progress.refusedCount).toBe(0);
    expect(() => ended.requireNotEnded(agentID)).not.toThrow();
    expect(logs).toEqual(['Muster is reached.']);
    // When nothing waits any more, it is one.
    await forwarder.step();
    expect(kinds()).toEqual(['errors', 'registration']);
    signs.note(heartbeat);
    await forwarder.step();
    expect(kinds()).toEqual(['heartbeat']);
    expect(progress.progress.refusedCount).toBe(1);
    expect(() => ended.requireNotEnded(agentID)).toThrow();
  });

  it('is sent later if the number of its batch could not be noted', async () => {
    await forwarder.step();
    const path = join(folder, 'progress.json');
    rmSync(path);
    // A file cannot be put into its place.
    mkdirSync(join(path, 'x'), { recursive: true });
    beat(2);
    poll(1);
    await forwarder.step();
    expect(sent).toHaveLength(1);
    rmSync(path, { recursive: true });
    await forwarder.step();
    expect(kinds()).toEqual(['heartbeat', 'heartbeat', 'poll']);
  });
});

describe('what Muster has refused', () => {
  it.each([
    ['the errors that it names', [{ path: '/errors/1', message: 'is refused: too_many_errors' }], 3],
    ['all of the item, if it names none', undefined, 8],
    ['all of the item, if it is at fault', [{ path: '/errors/1/error', message: 'is too long' }], 8],
  ])('is counted as %s', async (_, fields, count) => {
    await forwarder.step();
    await spool.append([errorOf('one', { count: 5 }), errorOf('two', { count: 3 })]);
    answer = () => ({ refused: [{ index: 0, error: refusal('invalid_body', fields) }] });
    await forwarder.step();
    expect(progress.progress.refusedCount).toBe(count);
  });
});

const other = '0192f0a0-0000-7000-8000-0000000000cc';

describe('a batch that does not get through, whose number turns out to be that of another one', () => {
  it('is sent with all of its items under a new number', async () => {
    await forwarder.step();
    await spool.append([errorOf('one'), errorOf('two')]);
    // As after a restored state folder: the number is of another batch, which the centre has.
    answer = ({ sequence, id, items }) => {
      if (items.length > 0 && sequence <= 2) throw new CentreFailure('unreachable', 'The connection broke.');
      return id === undefined ? { sequence: 2, batchID: other } : {};
    };
    for (let step = 0; step < 6 && spool.figures.reports > 0; step += 1) await forwarder.step();
    expect(sent.map(({ sequence, id, items }) => [sequence, id === undefined, items.length])).toEqual([
      [1, false, 0],
      [2, false, 1],
      [2, false, 1],
      // A question.
      [1, true, 0],
      [3, false, 1],
    ]);
    expect(spool.figures.reports).toBe(0);
  });
});
