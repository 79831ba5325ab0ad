import { extname } from 'node:path';
import { type FleetConfigFormat, fleetConfigFormatOf } from '@muster/contract';

/** The format of a configuration by the name of its file; classic if that does not say. */
export function formatOfFile(file: string): FleetConfigFormat {
  return fleetConfigFormatOf(extname(file).slice(1)) ?? 'classic';
}
