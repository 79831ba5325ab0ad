import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFolder } from './folder-lock.ts';
import { IdentityFile } from './identity-file.ts';
import { noProgress, ProgressFile } from './progress-file.ts';
import { SiteAgents } from './site-agents.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-state-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the lock of a state folder', () => {
  it('is held by one process at a time, and is free after it', async () => {
    const lock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(
      `Another core instance uses the state folder ${folder}. Stop it, or`,
    );
    await lock.release();
    const next = await lockFolder(folder);
    await next.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is taken over from a process that was killed', async () => {
    const script = `require('node:net').createServer((socket) => socket.end('held')).listen(${JSON.stringify(join(folder, 'lock-0'))}, () => console.log('held'))`;
    const holder = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(holder.stdout, 'data');
    await expect(lockFolder(folder)).rejects.toThrow('Another core instance');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    expect(readdirSync(folder)).toEqual(['lock-0']);
    const lock = await lockFolder(folder);
    await lock.release();
  });

  it('goes to one of many that find it abandoned', async () => {
    writeFileSync(join(folder, 'lock-0'), '');
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(folder)));
    const held = attempts.filter(({ status }) => status === 'fulfilled');
    expect(held).toHaveLength(1);
    for (const attempt of attempts) if (attempt.status === 'fulfilled') await attempt.value.release();
  });

  it('works in a folder with a long path', async () => {
    const deep = join(folder, 'a'.repeat(100), 'b'.repeat(100));
    mkdirSync(deep, { recursive: true });
    const lock = await lockFolder(deep);
    await expect(lockFolder(deep)).rejects.toThrow('Another core instance');
    await lock.release();
  });
});

describe('the identity of a core instance', () => {
  const membership = { id: 'id-1', projectID: 'project-1', name: 'plant-7', token: 'mst_c_x' };

  it('is made once, and is readable by its owner only', async () => {
    const first = await IdentityFile.open(folder, 'https://muster.example/');
    expect(first.membership).toBeUndefined();
    await first.join(membership);
    const again = await IdentityFile.open(folder, 'https://muster.example/');
    expect(again.instanceKey).toBe(first.instanceKey);
    expect(again.membership).toEqual(membership);
    expect(statSync(join(folder, 'identity.json')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['identity.json']);
  });

  it('is not used for another centre, and is not made anew if it is damaged', async () => {
    const first = await IdentityFile.open(folder, 'https://muster.example/');
    // Nothing has been joined: the address may be corrected.
    await IdentityFile.open(folder, 'https://muster.example:8443/');
    await first.join(membership);
    await expect(IdentityFile.open(folder, 'https://other.example/')).rejects.toThrow(
      `The state folder ${folder} belongs to a core instance of https://muster.example/, not of https://other.example/.`,
    );
    // Until it has followed, it belongs to where it was.
    const moving = await IdentityFile.open(folder, 'https://other.example/', 'https://muster.example/');
    expect(moving.url).toBe('https://muster.example/');
    await moving.join(membership, 'https://other.example/');
    await IdentityFile.open(folder, 'https://other.example/', 'https://muster.example/');
    await expect(IdentityFile.open(folder, 'https://muster.example/')).rejects.toThrow(
      'not of https://muster',
    );
    writeFileSync(join(folder, 'identity.json'), '{"instanceKey"');
    await expect(IdentityFile.open(folder, 'https://other.example/')).rejects.toThrow('is damaged');
  });
});

describe('the progress of a core instance', () => {
  it('is kept, and begins anew with a word if its file is damaged', async () => {
    const damaged: string[] = [];
    const open = () => ProgressFile.open(folder, (path) => damaged.push(path));
    const file = await open();
    expect(file.progress).toEqual(noProgress);
    await file.write({ sequence: 3, acknowledged: { segment: 2, offset: 40 } });
    await file.write({ sequence: 4, sentUpTo: { segment: 2, offset: 90 } });
    const kept = {
      ...noProgress,
      sequence: 4,
      acknowledged: { segment: 2, offset: 40 },
      sentUpTo: { segment: 2, offset: 90 },
    };
    expect((await open()).progress).toEqual(kept);
    expect(damaged).toEqual([]);
    for (const text of ['', '{', 'null', '[]', '{"sequence":"1"}']) {
      writeFileSync(join(folder, 'progress.json'), text);
      expect((await open()).progress).toEqual(noProgress);
    }
    expect(damaged).toHaveLength(5);
  });
});

describe('the agents of a site', () => {
  it('keep their ids, tokens and aliases, whatever a crash has left in the file', async () => {
    const agents = await SiteAgents.open(folder);
    await agents.register('agent-1', 'm-1', 'digest-1');
    await agents.register('agent-1', 'm-1', 'digest-2');
    await agents.register('agent-2', 'm-2', 'digest-3');
    await agents.addAliases([{ agentID: 'agent-2', canonicalID: 'canonical' }]);
    appendFileSync(join(folder, 'agents.log'), '{"kind":"registered","agentID":"agent-3","mach');
    const again = await SiteAgents.open(folder);
    expect(again.count).toBe(2);
    expect(['digest-1', 'digest-2', 'digest-3'].map((digest) => again.agentOfToken(digest))).toEqual([
      'agent-1',
      'agent-1',
      'agent-2',
    ]);
    expect(again.agentOfMachine('m-2')).toBe('agent-2');
    expect(again.canonicalID('agent-2')).toBe('canonical');
    expect(again.canonicalID('agent-1')).toBe('agent-1');
    await again.register('agent-4', 'm-4', 'digest-4');
    expect((await SiteAgents.open(folder)).agentOfMachine('m-4')).toBe('agent-4');
  });

  it('keep their machine when somebody else has named it, whose token is kept too', async () => {
    const agents = await SiteAgents.open(folder);
    await agents.register('agent-1', 'm-1', 'digest-1');
    await agents.register('agent-2', undefined, 'digest-2');
    // Lines that say nothing any more: the file is written anew.
    await agents.endTokens(['digest-1'], true);
    await agents.register('agent-1', 'm-1', 'digest-1');
    for (let time = 0; time < 2; time += 1) {
      const again = await SiteAgents.open(folder);
      expect(again.agentOfMachine('m-1')).toBe('agent-1');
      expect(again.agentOfToken('digest-2')).toBe('agent-2');
    }
  });

  it('accept the ten newest tokens of an agent', async () => {
    const agents = await SiteAgents.open(folder);
    for (let index = 0; index < 12; index += 1) await agents.register('agent-1', 'm-1', `digest-${index}`);
    expect(agents.agentOfToken('digest-1')).toBeUndefined();
    expect(agents.agentOfToken('digest-2')).toBe('agent-1');
    const again = await SiteAgents.open(folder);
    expect(again.agentOfToken('digest-1')).toBeUndefined();
    expect(again.agentOfToken('digest-2')).toBe('agent-1');
    // Written anew without the lines that say nothing any more.
    expect(readFileSync(join(folder, 'agents.log'), 'utf8').trim().split('\n')).toHaveLength(10);
  });

  it('take little room, however often one of them registers', async () => {
    const agents = await SiteAgents.open(folder);
    await agents.register('agent-1', 'm-1', 'digest');
    await agents.register('agent-1', 'm-1', 'revoked');
    await agents.endTokens(['digest', 'revoked'], true);
    await agents.addAliases([{ agentID: 'agent-1', canonicalID: 'canonical' }]);
    for (let round = 0; round < 50; round += 1) {
      const registrations = Array.from({ length: 100 }, (_, index) =>
        agents.register('agent-2', 'm-2', `digest-${round}-${index}`),
      );
      await Promise.all(registrations);
    }
    const path = join(folder, 'agents.log');
    expect(readFileSync(path, 'utf8').split('\n').length).toBeLessThan(1_200);
    const again = await SiteAgents.open(folder);
    for (const one of [agents, again]) {
      expect(one.count).toBe(2);
      expect(one.agentOfMachine('m-1')).toBe('agent-1');
      expect(one.canonicalID('agent-1')).toBe('canonical');
      expect(
        ['digest', 'revoked', 'digest-49-89', 'digest-49-90', 'digest-49-99'].map((digest) =>
          one.agentOfToken(digest),
        ),
      ).toEqual([undefined, undefined, undefined, 'agent-2', 'agent-2']);
    }
    await again.register('agent-1', 'm-1', 'new');
    expect((await SiteAgents.open(folder)).agentOfToken('new')).toBe('agent-1');
    // Ten tokens of one, one of the other, and its alias.
    expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(12);
  });

  it('that register together share a write', async () => {
    const agents = await SiteAgents.open(folder);
    const first = agents.register('agent-0', 'm-0', 'digest-0');
    // Its write begins.
    await Promise.resolve();
    const others = Array.from({ length: 100 }, (_, index) =>
      agents.register(`agent-${index}`, `m-${index}`, `other-${index}`),
    );
    await Promise.all([first, ...others]);
    // A write begins with an empty line.
    expect(readFileSync(join(folder, 'agents.log'), 'utf8').split('\n\n')).toHaveLength(2);
    expect(agents.count).toBe(100);
  });
});
