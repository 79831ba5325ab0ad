import type { FleetConfigFormat } from '@muster/contract';

/** Without a charset, because clients compare the whole header. */
const mediaTypes = {
  classic: 'text/plain',
  yaml: 'application/yaml',
  json: 'application/json',
} as const satisfies Readonly<Record<FleetConfigFormat, string>>;

export function mediaTypeOf(format: FleetConfigFormat): string {
  return mediaTypes[format];
}
