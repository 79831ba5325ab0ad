import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fileName = 'server-url';

/**
 * Writes the server's address into its data directory, so that `muster login` in the same folder finds it on any port. Returns a function that
 * removes the file.
 *
 * @param address as the server reports it: `http://0.0.0.0:7400` for all interfaces
 */
export function writeServerUrlFile(dataDirectory: string, address: string): () => void {
  const file = join(dataDirectory, fileName);
  writeFileSync(file, `${toLocalUrl(address)}\n`, { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** Replaces the address of all interfaces by the loopback address. */
function toLocalUrl(address: string): string {
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
