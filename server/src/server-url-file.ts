import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fileName = 'server-url';

/**
 * Writes where this server listens into its data directory, so that `muster login` in the same folder finds it whatever
 * its port. Answers what removes the file again.
 *
 * @param address as the server says it: `http://0.0.0.0:7400` for all interfaces
 */
export function writeServerUrlFile(dataDirectory: string, address: string): () => void {
  const file = join(dataDirectory, fileName);
  writeFileSync(file, `${toLocalUrl(address)}\n`, { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** An address of all interfaces is reached on this machine by its loopback address. */
function toLocalUrl(address: string): string {
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
