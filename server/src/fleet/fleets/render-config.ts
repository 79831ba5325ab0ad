import {
  type FleetConfigFormat,
  fluentBitPipeline,
  type PipelineTarget,
  type SiteConfigPart,
} from '@muster/contract';
import {
  appendReporting,
  type ConfigPiece,
  convertConfig,
  encodeValue,
  piecesOf,
  toTemplate,
  type Variable,
} from '@muster/fleet-config';
import { Refusal } from '../../foundation/refusal.ts';
import type { FleetVersionRow } from './fleet-version-store.ts';

/** The form in which a configuration is wanted. */
export interface WantedForm {
  readonly format: FleetConfigFormat;
  /** Where agents report their errors. Undefined: they are not told to. */
  readonly origin: string | undefined;
}

/** A version, or what stands for one. */
export type StoredConfig = Pick<FleetVersionRow, 'raw_config' | 'config_format'>;

/** What stands for the name of the host: agents replace it themselves. */
export const hostName = '$' + '{HOSTNAME}';

const token = '$' + '{PROJECT_TOKEN}';

/** What stands for the id with which the agent asks. */
export const handleVariable = { scope: 'handle', name: '' } as const;

/**
 * A configuration as agents get it, in texts and the variables between them, of which each agent gets its own values.
 *
 * @throws Refusal invalid_query_parameter
 */
export function renderConfig(config: StoredConfig, { format, origin }: WantedForm): readonly ConfigPiece[] {
  const text = convert(config, format);
  if (format === 'json') return [text];
  const template = toTemplate(text, format);
  if (origin === undefined) return piecesOf(template);
  const { hostname, port, protocol } = new URL(origin);
  const isEncrypted = protocol === 'https:';
  const whole = withReporting(template, format, {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isEncrypted ? '443' : '80') : port,
    isEncrypted,
  });
  return piecesOf(whole).flatMap(splitAtHandle);
}

function splitAtHandle(piece: ConfigPiece): readonly ConfigPiece[] {
  if (typeof piece !== 'string') return [piece];
  const place = piece.indexOf(agentMark);
  return place < 0 ? [piece] : [piece.slice(0, place), handleVariable, piece.slice(place + agentMark.length)];
}

export interface SiteForm {
  readonly format: AgentFormat;
  readonly hasReporting: boolean;
  /** True if agents reach the site with TLS. */
  readonly isEncrypted: boolean;
}

/**
 * A configuration as the agents of a site get it, in parts: the site knows by which name and port they reach it, and with which id each of them asks.
 *
 * @throws Refusal invalid_query_parameter, fleet_config_incomplete
 */
export function renderForSites(
  config: StoredConfig,
  { format, hasReporting, isEncrypted }: SiteForm,
): SiteConfigPart[] {
  const template = toTemplate(convert(config, format), format);
  const whole = hasReporting
    ? withReporting(template, format, { host: hostMark, port: portMark, isEncrypted })
    : template;
  const text = piecesOf(whole)
    .map((piece) => (typeof piece === 'string' ? piece : textAtSites(piece, format)))
    .join('');
  return hasReporting ? splitAtMarks(text) : [text];
}

/** What differs between agents, and secrets, never get to a site. */
function textAtSites({ scope, name }: Variable, format: AgentFormat): string {
  if (scope === 'files') return encodeValue(name, format);
  throw new Refusal('fleet_config_incomplete', {
    detail: `The agent goes on with the configuration that it has: core instances do not fill in {{${scope}.${name}}}. Let the agent ask the service itself, or serve a version without it.`,
  });
}

function splitAtMarks(text: string): SiteConfigPart[] {
  const parts: SiteConfigPart[] = [];
  let from = 0;
  for (const found of text.matchAll(marks)) {
    const [mark, backslashes] = found;
    parts.push(text.slice(from, found.index));
    if (mark === agentMark) parts.push({ of: 'handle' });
    else parts.push(backslashes === undefined ? { of: 'port' } : { of: 'host', escape: backslashes });
    from = found.index + mark.length;
  }
  return [...parts, text.slice(from)].filter((part) => part !== '');
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
