import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fileName = 'server-url';

/**
 * Writes the server's address into its data directory, so that `muster login` in the same folder finds it on any port. Returns a function that
 * removes the file. Without the file, `muster login` needs the address: that is no reason not to serve. A replica on PostgreSQL may have no directory
 * that it can write to.
 *
 * @param address as the server reports it: `http://0.0.0.0:7400` for all interfaces
 */
export function writeServerUrlFile(dataDirectory: string, address: string): () => void {
  const file = join(dataDirectory, fileName);
  try {
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
    writeFileSync(file, `${toLocalUrl(address)}\n`, { mode: 0o600 });
  } catch {
    return () => undefined;
  }
  return () => rmSync(file, { force: true });
}

/**
 * The address that a service has written into its data directory. Undefined if there is none, if another user may have planted it, or if it
 * leads to another machine.
 */
export function readServerUrlFile(dataDirectory: string): string | undefined {
  const file = join(dataDirectory, fileName);
  const stats = lstatSync(file, { throwIfNoEntry: false });
  const isOwn = process.getuid === undefined || stats?.uid === process.getuid();
  if (stats?.isFile() !== true || !isOwn) return undefined;
  const text = readFileSync(file, 'utf8').trim();
  if (!URL.canParse(text)) return undefined;
  const { origin, hostname, protocol } = new URL(text);
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) && /^https?:$/.test(protocol);
  return isLocal ? origin : undefined;
}

/** Replaces the address of all interfaces by the loopback address. */
function toLocalUrl(address: string): string {
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
