import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { StateError } from './state-error.ts';

export interface FolderLock {
  release(): Promise<void>;
}

const held = 'held';

/**
 * Makes this process the only one that uses a folder. Each process that wants it listens on a socket of its own in it, and then asks the others whether
 * they hold the folder. So the folder is free as soon as its holder has ended, in whatever way, also for containers that share it, which know nothing
 * of one another's processes.
 *
 * Of those that ask at the same time, the first by name gets it: a process gives up when it finds one before it, and waits for the decision of those
 * behind it, which may not have seen it.
 *
 * @throws StateError if another process has it
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const handle = await open(folder, 'r');
  const own = `lock-${randomBytes(8).toString('hex')}`;
  let decide: (isHolder: boolean) => void = () => undefined;
  const decided = new Promise<boolean>((resolve) => {
    decide = resolve;
  });
  const release = async (server: Server | undefined): Promise<void> => {
    decide(false);
    await rm(join(folder, own), { force: true });
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
    await handle.close();
  };
  let server: Server | undefined;
  try {
    server = await listen(pathOf(handle, folder, own), decided);
    for (const other of (await readdir(folder)).filter((name) => name.startsWith('lock-') && name !== own)) {
      const answer = ask(pathOf(handle, folder, other));
      const isThere = await answer.connected;
      if (!isThere) await rm(join(folder, other), { force: true });
      const isInUse = isThere && (other < own || (await answer.said) === held);
      answer.end();
      if (isInUse) {
        throw new StateError(
          `Another core instance uses the state folder ${folder}. Stop it, or choose another folder with --state-directory.`,
        );
      }
    }
  } catch (error) {
    await release(server);
    throw error;
  }
  decide(true);
  return { release: () => release(server) };
}

/** A path to a socket has at most 107 bytes, and that of the folder may be longer. */
function pathOf({ fd }: FileHandle, folder: string, name: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${fd}/${name}` : join(folder, name);
}

function listen(path: string, decided: Promise<boolean>): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    void decided.then((isHolder) => (isHolder ? socket.end(held) : socket.destroy()));
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.unref();
      resolve(server);
    });
  });
}

/** `said` resolves with an empty text if the other process gives up or ends. */
function ask(path: string) {
  const socket = connect(path);
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString();
  });
  const connected = new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('close', () => resolve(false));
  });
  const said = new Promise<string>((resolve) => {
    socket.once('close', () => resolve(text));
  });
  socket.on('error', () => socket.destroy());
  return { connected, said, end: () => socket.destroy() };
}
