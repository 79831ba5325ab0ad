import {
  maxErrorsPerRequest,
  ndjsonMediaType,
  plainTextMediaType,
  type QueryOf,
  routes,
} from '@muster/contract';
import { toProblem } from '@muster/http/answers/to-problem';
import { type Reports, readReports } from '@muster/http/reports/read-reports';
import {
  noResultsHeader,
  outcomeOf,
  textsOf,
  wantsNoResults,
  writeResults,
} from '@muster/http/reports/report-body';
import { mediaTypeOf } from '@muster/http/requests/media-type-of';
import { parseLines } from '@muster/http/requests/parse-lines';
import { parseText } from '@muster/http/requests/parse-text';
import type { BodyValidators } from '@muster/http/requests/validate-body';
import { redactKnownSecrets } from '@muster/redaction';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { AgentService } from '../../fleet/agents/agent-service.ts';
import type { RegistrationService } from '../../fleet/agents/registration-service.ts';
import { requireProjectToken } from '../../foundation/credentials/principal.ts';
import { addressOf } from '../../foundation/http/authentication/sender.ts';
import { JsonText, type RouteMounter } from '../../foundation/http/mount-route.ts';
import { BodyRoom } from '../../foundation/http/overload/body-room.ts';
import { SummedRefusals } from '../../foundation/http/summed-refusals.ts';
import type { AcceptedReport } from '../report.ts';
import type { ReportService } from './report-service.ts';

interface ReportRouteParts {
  readonly agents: Pick<AgentService, 'ownID'>;
  readonly reports: ReportService;
  readonly registrations: Pick<RegistrationService, 'findOrRegister'>;
  readonly validators: BodyValidators;
  readonly logger: FastifyBaseLogger;
}

/** The two routes by which agents report, in every form. Reports that are not plain JSON always come here. */
export function mountReportRoutes(
  mounter: RouteMounter,
  { agents, reports, registrations, validators, logger }: ReportRouteParts,
): void {
  const options = {
    bodyRoom: new BodyRoom(),
    otherParsers: {
      // One more than are accepted, so that it is refused for their number.
      [ndjsonMediaType]: (bytes: Buffer) => parseLines(bytes, maxErrorsPerRequest + 1),
      [plainTextMediaType]: parseText,
    },
    readBody: createReadBody(validators, new RefusedReports(logger)),
  };

  mounter.mount(
    routes.createAgentError,
    async ({ principal, admission, params, body, reply }) => {
      const agentID = await agents.ownID(principal, params.agentID);
      return answerReports(reply, body, await reports.report(admission, agentID, textsOf(body.body)));
    },
    { ...options, provisional: true },
  );

  mounter.mount(
    routes.createMachineError,
    async ({ principal, admission, params, query, body, reply }) => {
      const token = requireProjectToken(principal);
      const name = query.name ?? params.machineID;
      const agentID = await registrations.findOrRegister(token, params.machineID, name);
      return answerReports(reply, body, await reports.report(admission, agentID, textsOf(body.body)));
    },
    options,
  );
}

function createReadBody(validators: BodyValidators, refusedReports: RefusedReports) {
  const validate = validators.compile(routes.createAgentError.body?.schema ?? {});
  return (
    body: unknown,
    request: FastifyRequest,
    { truncate, partial, text_field: textField }: QueryOf<typeof routes.createAgentError>,
  ): Reports => {
    const reports = readReports(body, {
      isText: mediaTypeOf(request.headers['content-type']) === plainTextMediaType,
      isCut: truncate === true,
      isPartial: partial === true,
      textField,
      validate,
    });
    const [first] = reports.refused;
    if (first !== undefined) {
      refusedReports.note(request, reports);
      if (textsOf(reports.body).length === 0) throw first.refusal;
    }
    return reports;
  };
}

function answerReports(
  reply: FastifyReply,
  { body, refused }: Reports,
  accepted: readonly AcceptedReport[],
): JsonText {
  reply.header('Muster-Agent-Error', outcomeOf(accepted));
  if (refused.length > 0) reply.header('Muster-Refused', String(refused.length));
  if (wantsNoResults(reply.request.headers)) {
    reply.header(noResultsHeader.name, noResultsHeader.value);
    return new JsonText('');
  }
  const refusals = refused.map(({ index, refusal }) => ({
    index,
    json: JSON.stringify(toProblem(refusal.code, reply.request.id, refusal.detail, refusal.fields?.slice())),
  }));
  return new JsonText(writeResults(body, accepted, refusals));
}

const maxLines = 100;

/** Logs a line for each request of which some reports were refused, because many agents log no answer. It never has a text. */
export class RefusedReports {
  readonly #sums: SummedRefusals;

  constructor(logger: FastifyBaseLogger) {
    this.#sums = new SummedRefusals({
      logger,
      fields: {},
      message: `more than ${maxLines} requests with refused reports came within 10 s: the others are summed up here`,
      maxLines,
    });
  }

  note(request: FastifyRequest, { body, refused }: Reports): void {
    const [first] = refused;
    if (first === undefined || !this.#sums.hasOwnLine(addressOf(request))) return;
    const { machineID, ...agent } = request.params as Readonly<Record<string, string>>; // the router gives texts
    request.log.info(
      {
        ...agent,
        ...(machineID === undefined ? {} : { machineID: redactKnownSecrets(machineID) }),
        code: first.refusal.code,
        index: first.index,
        refused: refused.length,
        accepted: textsOf(body).length,
      },
      'reports were refused',
    );
  }
}
