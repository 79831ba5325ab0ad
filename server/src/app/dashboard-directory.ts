import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the built dashboard: beside the packed command, otherwise in the workspace, where `npm run build` puts it. */
export function dashboardDirectory(): string {
  const beside = fileURLToPath(new URL('./dashboard', import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL('../../../web/dist', import.meta.url));
}
