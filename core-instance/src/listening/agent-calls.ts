import type { IncomingHttpHeaders } from 'node:http';
import {
  maxErrorsPerRequest,
  ndjsonMediaType,
  plainTextMediaType,
  type RegisterAgent,
  type Route,
  routes,
  type UpdateAgent,
} from '@muster/contract';
import { toProblem } from '@muster/http/answers/to-problem';
import { wantedFormat } from '@muster/http/fleets/config-format';
import { mediaTypeOf as mediaTypeOfConfig } from '@muster/http/fleets/config-media-type';
import { Refusal } from '@muster/http/refusal';
import { countMetricSamples } from '@muster/http/reports/decode-metrics';
import { takeHeartbeat } from '@muster/http/reports/heartbeat-body';
import { type Reports, readReports } from '@muster/http/reports/read-reports';
import {
  noResultsHeader,
  outcomeOf,
  textsOf,
  wantsNoResults,
  writeResults,
} from '@muster/http/reports/report-body';
import { mediaTypeOf } from '@muster/http/requests/media-type-of';
import { parseJson } from '@muster/http/requests/parse-json';
import { parseLines } from '@muster/http/requests/parse-lines';
import { parseText } from '@muster/http/requests/parse-text';
import { unsupportedMediaType } from '@muster/http/requests/unsupported-media-type';
import { BodyValidators } from '@muster/http/requests/validate-body';
import { writeTimestamp } from '@muster/http/write-timestamp';
import type { FleetAnswers } from '../fleets/fleet-answers.ts';
import type { ReportTarget } from '../spool/spooled-item.ts';
import type { Sender } from '../verdicts/verdicts.ts';
import type { Answer } from './answers.ts';
import { type Intake, sentBy } from './intake.ts';
import type { SiteOperation } from './site-route.ts';

interface AgentCall {
  readonly requestID: string;
  readonly headers: IncomingHttpHeaders;
  readonly sender: Sender;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | number | boolean>>;
  readonly body: Buffer;
}

interface Listeners {
  readonly intake: Intake;
  readonly fleets: FleetAnswers;
  /** True if agents reach this core instance with TLS. */
  readonly isEncrypted: boolean;
}

type Handle = (call: AgentCall, listeners: Listeners) => Promise<Answer>;

/** What each route of agents does, with the answers of the centre. */
export function createAgentCalls(): Readonly<Record<SiteOperation, Handle>> {
  const validators = new BodyValidators();
  const validateReports = validators.compile(routes.createAgentError.body?.schema ?? {});
  const validateRegistration = validators.compile(routes.registerAgent.body?.schema ?? {});
  const validateUpdate = validators.compile(routes.updateAgent.body?.schema ?? {});
  const validateHeartbeat = validators.compile(routes.sendAgentHeartbeat.body?.schema ?? {});

  const report: Handle = async (call, { intake }) => {
    const reports = readBody(call, validateReports);
    const [first] = reports.refused;
    const texts = textsOf(reports.body);
    if (first !== undefined && texts.length === 0) throw first.refusal;
    const accepted = await intake.report(call.sender, targetOf(call), texts);
    return answerReports(call, reports, accepted);
  };

  const beat: Handle = async (call, { intake }) => {
    const heartbeat = takeHeartbeat(call.body);
    validateHeartbeat(heartbeat);
    await intake.beat(call.sender, targetOf(call), heartbeat as Record<string, unknown>); // as just validated
    return { status: 204 };
  };

  return {
    createAgentError: report,
    createMachineError: report,
    sendAgentHeartbeat: beat,
    sendMachineHeartbeat: beat,
    async registerAgent(call, { intake }) {
      const agent = readJson(call, routes.registerAgent) as RegisterAgent; // validated next
      validateRegistration(agent);
      if (call.sender.kind !== 'project') throw new Error('only a project token registers agents');
      const { createdAt, ...registered } = await intake.register(
        call.sender.tokenID,
        knownFields(agent, routes.registerAgent),
        call.headers['x-agent-token']?.toString(),
      );
      return {
        status: 201,
        json: JSON.stringify({ ...registered, createdAt: writeTimestamp(createdAt) }),
      };
    },
    async updateAgent(call, { intake }) {
      const agent = readJson(call, routes.updateAgent) as UpdateAgent; // validated next
      validateUpdate(agent);
      await intake.update(call.sender, call.params.agentID ?? '', knownFields(agent, routes.updateAgent));
      return { status: 204 };
    },
    async addAgentMetrics(call, { intake }) {
      const totalInserted = countMetricSamples(call.body);
      // Nobody stores metrics: that they came is all that is passed on.
      await intake.beat(call.sender, targetOf(call), {});
      return { status: 200, json: JSON.stringify({ totalInserted }) };
    },
    async search({ query, headers }, { fleets }) {
      const found = await fleets.search(query, saidBy(headers) !== undefined);
      return { status: 200, json: JSON.stringify(found) };
    },
    async getFleetConfig(call, { fleets, isEncrypted }) {
      const format = wantedFormat(call.query);
      const address = addressOf(call.headers, isEncrypted);
      const { bytes, lastModified } = await fleets.config(askingOf(call), { format, ...address });
      return {
        status: 200,
        bytes,
        type: mediaTypeOfConfig(format),
        headers: ['Last-Modified', lastModified],
      };
    },
    async listFleetFiles(call, { fleets }) {
      return { status: 200, json: await fleets.files(askingOf(call)) };
    },
  };
}

/** Agents say with each request which version they have, and people do not. */
function saidBy(headers: IncomingHttpHeaders): string | undefined {
  return headers['fleet-config-version']?.toString();
}

function askingOf({ params: { fleetID = '' }, headers, sender }: AgentCall) {
  return { id: fleetID.toLowerCase(), said: saidBy(headers), by: sentBy(sender) };
}

/** By which name and port an agent has reached this core instance. @throws Refusal bad_request */
function addressOf({ host = 'localhost' }: IncomingHttpHeaders, isEncrypted: boolean) {
  const url = URL.parse(`http://${host}`);
  if (url === null) throw new Refusal('bad_request', { detail: `The header Host is not valid: '${host}'.` });
  const given = /:(\d+)$/.exec(host)?.[1];
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: given ?? (isEncrypted ? '443' : '80'),
  };
}

function targetOf({ params: { agentID, machineID = '' }, query: { name } }: AgentCall): ReportTarget {
  if (agentID !== undefined) return { agentID };
  return typeof name === 'string' ? { machineID, name } : { machineID };
}

/** Agents send fields of their own, which the centre would ignore. */
function knownFields<Agent extends object>(agent: Agent, { body }: Route): Agent {
  const names = Object.keys((body?.schema as { readonly properties?: object } | undefined)?.properties ?? {}); // an object schema
  return Object.fromEntries(Object.entries(agent).filter(([name]) => names.includes(name))) as Agent; // its own fields
}

function readJson({ headers, body }: AgentCall, route: Route): unknown {
  requireMediaType(headers, body, route, ['application/json']);
  return parseJson(body);
}

function readBody(
  { headers, query: { truncate, partial, text_field: textField }, body }: AgentCall,
  validate: (body: unknown) => void,
): Reports {
  const mediaType = mediaTypeOf(headers['content-type']);
  requireMediaType(headers, body, routes.createAgentError, [
    'application/json',
    ndjsonMediaType,
    plainTextMediaType,
  ]);
  return readReports(parseReports(mediaType, body), {
    isText: mediaType === plainTextMediaType,
    isCut: truncate === true,
    isPartial: partial === true,
    textField: typeof textField === 'string' ? textField : undefined,
    validate,
  });
}

function parseReports(mediaType: string, body: Buffer): unknown {
  if (mediaType === plainTextMediaType) return parseText(body);
  // One more than are accepted, so that it is refused for their number.
  return mediaType === ndjsonMediaType ? parseLines(body, maxErrorsPerRequest + 1) : parseJson(body);
}

function requireMediaType(
  { 'content-type': contentType }: IncomingHttpHeaders,
  body: Buffer,
  { body: form }: Route,
  accepted: readonly string[],
): void {
  if (form === undefined || accepted.includes(mediaTypeOf(contentType))) return;
  // Without a body there is nothing whose type could be wrong.
  if (contentType === undefined && body.length === 0) return;
  throw unsupportedMediaType(form);
}

function answerReports(
  { headers, requestID }: AgentCall,
  { body, refused }: Reports,
  accepted: Parameters<typeof writeResults>[1],
): Answer {
  const outcome = [
    'Muster-Agent-Error',
    outcomeOf(accepted),
    ...(refused.length > 0 ? ['Muster-Refused', String(refused.length)] : []),
  ];
  if (wantsNoResults(headers)) {
    return { status: 201, headers: [...outcome, noResultsHeader.name, noResultsHeader.value] };
  }
  const refusals = refused.map(({ index, refusal }) => ({
    index,
    json: JSON.stringify(toProblem(refusal.code, requestID, refusal.detail, refusal.fields?.slice())),
  }));
  return { status: 201, headers: outcome, json: writeResults(body, accepted, refusals) };
}
