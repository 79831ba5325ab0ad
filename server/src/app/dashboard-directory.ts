import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the built dashboard. The bundler puts this file into another folder, from which the workspace is seen in another way. */
export function dashboardDirectory(): string | undefined {
  const besidePackedCommand = './dashboard';
  const fromBuiltCommand = '../../web/dist';
  const fromSource = '../../../web/dist';
  return [besidePackedCommand, fromBuiltCommand, fromSource]
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((directory) => existsSync(directory));
}
