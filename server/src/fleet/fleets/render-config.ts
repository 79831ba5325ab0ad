import {
  type FleetConfigFormat,
  fluentBitPipeline,
  type PipelineTarget,
  type SiteConfigPart,
} from '@muster/contract';
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
  const whole = withReporting(text, format, {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isEncrypted ? '443' : '80') : port,
    isEncrypted,
  });
  const place = whole.indexOf(agentMark);
  return place < 0
    ? { head: whole, tail: undefined }
    : { head: whole.slice(0, place), tail: whole.slice(place + agentMark.length) };
}

interface SiteForm {
  readonly format: AgentFormat;
  readonly hasReporting: boolean;
  /** True if agents reach the site with TLS. */
  readonly isEncrypted: boolean;
}

/**
 * A configuration as the agents of a site get it, in parts: the site knows by which name and port they reach it, and with which id each of them asks.
 *
 * @throws Refusal invalid_query_parameter
 */
export function renderForSites(
  config: StoredConfig,
  { format, hasReporting, isEncrypted }: SiteForm,
): SiteConfigPart[] {
  const text = convert(config, format);
  if (!hasReporting) return [text];
  const whole = withReporting(text, format, { host: hostMark, port: portMark, isEncrypted });
  const parts: SiteConfigPart[] = [];
  let from = 0;
  for (const found of whole.matchAll(marks)) {
    const [mark, backslashes] = found;
    parts.push(whole.slice(from, found.index));
    if (mark === agentMark) parts.push({ of: 'handle' });
    else parts.push(backslashes === undefined ? { of: 'port' } : { of: 'host', escape: backslashes });
    from = found.index + mark.length;
  }
  return [...parts, whole.slice(from)].filter((part) => part !== '');
}

type AgentFormat = Exclude<FleetConfigFormat, 'json'>;

function withReporting(
  text: string,
  format: AgentFormat,
  address: Pick<PipelineTarget, 'host' | 'port' | 'isEncrypted'>,
): string {
  const block = fluentBitPipeline({
    ...address,
    uri: `/v1/machines/${agentMark}/errors?truncate=true&partial=true`,
    tokenHeader: `X-Project-Token ${token}`,
  });
  return appendReporting(text, format, block);
}

/** Only within this file. */
const agentMark = 'ffffffff-ffff-4fff-bfff-ffffffffffff';
/** With a dot, to see how a pattern and the format escape those of a real name. */
const hostMark = 'muster-site-ffffffffffff.invalid';
const portMark = '90071992547409910000';
const marks = new RegExp(`${agentMark}|${portMark}|${hostMark.replace('.', String.raw`(\\*)\.`)}`, 'g');

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
