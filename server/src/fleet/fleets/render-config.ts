import { type FleetConfigFormat, fluentBitPipeline } from '@muster/contract';
import { appendReporting, convertConfig } from '@muster/fleet-config';
import { Refusal } from '../../foundation/refusal.ts';
import type { FleetVersionRow } from './fleet-version-store.ts';

/** The form in which a configuration is wanted. */
export interface WantedForm {
  readonly format: FleetConfigFormat;
  /** Where agents report their errors. Undefined: they are not told to. */
  readonly origin: string | undefined;
}

type StoredConfig = Pick<FleetVersionRow, 'raw_config' | 'config_format'>;

/** A configuration as agents get it, with the place where each has an id of its own. */
export interface RenderedConfig {
  readonly head: string;
  /** What follows the id of the agent. Undefined: the configuration does not name the agent. */
  readonly tail: string | undefined;
}

/** What stands for the name of the host: agents replace it themselves. */
export const hostName = '$' + '{HOSTNAME}';

const token = '$' + '{PROJECT_TOKEN}';

/** @throws Refusal invalid_query_parameter */
export function renderConfig(config: StoredConfig, { format, origin }: WantedForm): RenderedConfig {
  const text = convert(config, format);
  if (origin === undefined || format === 'json') return { head: text, tail: undefined };
  const { hostname, port, protocol } = new URL(origin);
  const isEncrypted = protocol === 'https:';
  const block = fluentBitPipeline({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isEncrypted ? '443' : '80') : port,
    isEncrypted,
    uri: `/v1/machines/${agentMark}/errors?truncate=true&partial=true`,
    tokenHeader: `X-Project-Token ${token}`,
  });
  const whole = appendReporting(text, format, block);
  const place = whole.indexOf(agentMark);
  return place < 0
    ? { head: whole, tail: undefined }
    : { head: whole.slice(0, place), tail: whole.slice(place + agentMark.length) };
}

/** Only within this file. */
const agentMark = 'ffffffff-ffff-4fff-bfff-ffffffffffff';

/** A stored configuration in another format, as people see it. @throws Refusal invalid_query_parameter */
export function convert(config: StoredConfig, format: FleetConfigFormat): string {
  const stored = config.config_format as FleetConfigFormat; // written by the service alone
  const converted = convertConfig(config.raw_config, stored, format);
  if ('text' in converted) return converted.text;
  const reasons = converted.findings.map(({ message, line }) =>
    line === undefined ? message : `Line ${line}: ${message}`,
  );
  throw new Refusal('invalid_query_parameter', {
    detail: `The configuration is stored as ${stored} and cannot be converted to ${format}. ${reasons.join(' ')}`,
    fields: [{ path: 'config_format', message: `cannot be ${format}: ask for ${stored}` }],
  });
}
