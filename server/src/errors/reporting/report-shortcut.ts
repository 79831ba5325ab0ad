import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyLimitBytes, problems, routes } from '@muster/contract';
import { rawAnswerHeaders } from '@muster/http/answers/answer-headers';
import type { OpenConnections } from '@muster/http/connections/open-connections';
import {
  noResultsHeader,
  outcomeOf,
  type ReportBody,
  takeTexts,
  textsOf,
  wantsNoResults,
  writeResults,
} from '@muster/http/reports/report-body';
import { hasOneHost } from '@muster/http/requests/host-header';
import { parseJson } from '@muster/http/requests/parse-json';
import type { BodyValidators } from '@muster/http/requests/validate-body';
import type { RegistrationService, RememberedMachine } from '../../fleet/agents/registration-service.ts';
import type { Admission } from '../../foundation/credentials/admission.ts';
import { AnswerBatch } from '../../foundation/http/answers/answer-batch.ts';
import { PacedAnswers } from '../../foundation/http/answers/paced-answers.ts';
import type { PrerenderedProblems } from '../../foundation/http/answers/prerendered-problems.ts';
import type { Admitter, Caller } from '../../foundation/http/authentication/admitter.ts';
import type { ReadAddress } from '../../foundation/http/authentication/create-read-address.ts';
import type { RequestShortcut } from '../../foundation/http/connections/read-ahead.ts';
import { routerPath } from '../../foundation/http/mount-route.ts';
import type { OverloadAnswers } from '../../foundation/http/overload/overload-answers.ts';
import { Turns } from '../../foundation/http/overload/turns.ts';
import type { Telemetry } from '../../foundation/http/telemetry/telemetry.ts';
import { Refusal, UntoldRefusal } from '../../foundation/refusal.ts';
import { OverloadRefusals } from '../../foundation/scheduling/overload-refusals.ts';
import type { AcceptedReport } from '../report.ts';
import type { ReportService } from './report-service.ts';

interface ReportShortcutOptions {
  readonly admitter: Admitter;
  readonly reports: ReportService;
  readonly registrations: Pick<RegistrationService, 'recallMachine' | 'noteReporter'>;
  readonly validators: BodyValidators;
  readonly requestIDOf: (headers: IncomingMessage['headers']) => string;
  readonly readAddress: ReadAddress;
  /** While false, every request goes through the framework. */
  readonly isOpen: () => boolean;
  readonly connections: Pick<OpenConnections, 'noteRequest'>;
  /** Returns the function that records the duration of an answer of a route. */
  readonly observerOf: (method: string, path: string, status: number) => (milliseconds: number) => void;
  /** Answers reports for which the intake has no room. */
  readonly overload: OverloadAnswers;
  /** Answers reports that exceed a limit. */
  readonly limited: PrerenderedProblems;
  /** Absent: nothing is traced. */
  readonly telemetry: Telemetry | undefined;
}

interface Target {
  readonly route: typeof routes.createAgentError | typeof routes.createMachineError;
  /** Id of the agent or of its machine. */
  readonly id: string;
  readonly isCut: boolean;
  readonly isPartial: boolean;
}

interface Reporter {
  readonly agentID: string;
  /** Set if the agent is named by its machine. */
  readonly machine?: RememberedMachine;
}

interface Refused {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startedAt: number;
  readonly target: Target;
}

/** The two routes in the spelling that agents use. Every other spelling goes through the framework. */
const agentTarget =
  /^\/v1\/agents\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\/errors(\?truncate=true(&partial=true)?)?$/;
const machineTarget = /^\/v1\/machines\/([\w.~-]{1,256})\/errors(\?truncate=true(&partial=true)?)?$/;

/**
 * Handles reports before the framework, which costs more than the rest of a report. A storm consists of POST requests with a remembered credential
 * and a small JSON body. All other requests are passed on unchanged, and refused ones are passed on for their answer, so that refusals have one
 * origin. The exceptions are refusals of overload and limits, which are answered here because they come in masses. Both paths use the same parser,
 * the contract's validator and the same service.
 */
export function createReportShortcut(options: ReportShortcutOptions): RequestShortcut {
  const { admitter, reports, connections, requestIDOf, telemetry } = options;
  const validate = options.validators.compile(routes.createAgentError.body?.schema ?? {});

  const observersOf = (status: number): Readonly<Record<string, (milliseconds: number) => void>> =>
    Object.fromEntries(
      [routes.createAgentError, routes.createMachineError].map(({ operationID, path }) => [
        operationID,
        options.observerOf('POST', path, status),
      ]),
    );
  const observers = observersOf(201);
  const refusalObservers = new Map([429, 503].map((status) => [status, observersOf(status)]));

  const answers = new AnswerBatch();
  const limitedAnswers = new PacedAnswers();
  const turns = new Turns();
  const lateRefusals = new OverloadRefusals();

  return (request, response, passOn) => {
    const startedAt = performance.now();
    const target = options.isOpen() && isPlainReport(request) ? readTarget(request.url ?? '') : undefined;
    const caller = target && admitter.recall(target.route.credentials, request.headers);
    if (target === undefined || caller === undefined) {
      passOn();
      return;
    }
    const passOnCaller: typeof passOn = (seen) => {
      // The framework counts it too.
      if (caller.principal.kind === 'project') caller.principal.use?.countOnce();
      passOn(seen);
    };
    const reporter = reporterOf(target, caller);
    const admission = reporter === undefined ? undefined : admit(target, request, caller);
    if (reporter === undefined || admission === undefined) {
      passOnCaller();
      return;
    }
    connections.noteRequest(request, response);
    readBody(request, (bytes) => {
      const succeed = (body: ReportBody, accepted: readonly AcceptedReport[]): void => {
        noteReporter(reporter, caller);
        answers.add(() => {
          answer(response, requestIDOf(request.headers), body, accepted, !wantsNoResults(request.headers));
          observers[target.route.operationID]?.(performance.now() - startedAt);
          noteAnswer(telemetry, { request, target, status: 201, startedAt });
        });
      };
      /** Reports that were taken from the limits of the token. */
      let taken = 0;
      const fail = (failure: unknown): void => {
        if (failure instanceof Refusal && comesInMasses(failure)) {
          refuse(failure, { request, response, startedAt, target });
          return;
        }
        const isLast = isFinal(target, failure);
        if (!isLast) reports.giveBack(admission, taken);
        passOnCaller({ body: bytes, failure: isLast ? failure : undefined });
      };
      const work = (): void => {
        try {
          const body = read(bytes, target.isCut);
          const texts = textsOf(body);
          const accepted = reports.report(admission, reporter.agentID, texts);
          taken = texts.length;
          if (accepted instanceof Promise) accepted.then((stored) => succeed(body, stored), fail);
          else succeed(body, accepted);
        } catch (failure) {
          fail(failure);
        }
      };
      turns.take(work, () => fail(lateRefusals.next()));
    });
  };

  /** A function of its own, so that a delayed answer does not keep the body of its request in memory. */
  function refuse(refusal: Refusal, { request, response, startedAt, target }: Refused): void {
    const isLimited = refusal instanceof UntoldRefusal;
    (isLimited ? limitedAnswers : answers).add(() => {
      (isLimited ? options.limited : options.overload).send(response, requestIDOf(request.headers), refusal);
      const { status } = problems[refusal.code];
      refusalObservers.get(status)?.[target.route.operationID]?.(performance.now() - startedAt);
      noteAnswer(telemetry, { request, target, status, startedAt });
    });
  }

  function reporterOf({ route, id }: Target, { principal }: Caller): Reporter | undefined {
    // A site may have given the agent another id, which the route looks up.
    if (route === routes.createAgentError)
      return principal.kind === 'agent' && principal.agentID !== id ? undefined : { agentID: id };
    // The route accepts no other kind.
    if (principal.kind !== 'project') return undefined;
    const machine = options.registrations.recallMachine(principal.projectID, id);
    return machine && { agentID: machine.agentID, machine };
  }

  function noteReporter({ machine }: Reporter, { principal }: Caller): void {
    if (machine !== undefined && principal.kind === 'project')
      options.registrations.noteReporter(machine, principal.tokenID);
  }

  /** Undefined if a permission is missing; the route then refuses the request. */
  function admit({ route }: Target, request: IncomingMessage, caller: Caller): Admission | undefined {
    try {
      return admitter.admit(route, request.headers, caller, () => options.readAddress(request));
    } catch {
      return undefined;
    }
  }

  function read(bytes: Buffer, isCut: boolean): ReportBody {
    const parsed = takeTexts(parseJson(bytes), isCut);
    validate(parsed);
    return parsed as ReportBody; // as just validated
  }
}

interface Answered {
  readonly request: IncomingMessage;
  readonly target: Target;
  readonly status: number;
  readonly startedAt: number;
}

/** Of a hundred reports, one is usually traced, so that the others must cost nothing. */
function noteAnswer(
  telemetry: Telemetry | undefined,
  { request: { headers }, target: { route }, status, startedAt }: Answered,
): void {
  if (telemetry === undefined || !telemetry.isTraced(headers)) return;
  telemetry.noteAnswer({
    headers,
    method: 'POST',
    route: routerPath(route.path),
    status,
    milliseconds: performance.now() - startedAt,
  });
}

/** True for the refusals that are answered here, because they come in masses. */
function comesInMasses(refusal: Refusal): boolean {
  return refusal instanceof UntoldRefusal || refusal.code === 'overloaded';
}

/** False for a machine whose agent was deleted: the route registers it again. Also for an invalid element: the route may accept the others. */
function isFinal({ route, isPartial }: Target, failure: unknown): boolean {
  if (!(failure instanceof Refusal)) return true;
  const isGone = ['agent_deleted', 'not_found'].includes(failure.code);
  if (isGone && route === routes.createMachineError) return false;
  return !(isPartial && failure.code === 'invalid_body');
}

function isPlainReport({ method, headers, httpVersion, rawHeaders }: IncomingMessage): boolean {
  return (
    method === 'POST' &&
    httpVersion === '1.1' &&
    headers['content-type'] === 'application/json' &&
    headers['content-encoding'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    headers.authorization === undefined &&
    Number(headers['content-length']) <= bodyLimitBytes &&
    hasOneHost(rawHeaders)
  );
}

function readTarget(url: string): Target | undefined {
  const ofAgent = agentTarget.exec(url);
  const found = ofAgent ?? machineTarget.exec(url);
  if (found?.[1] === undefined) return undefined;
  return {
    route: ofAgent === null ? routes.createMachineError : routes.createAgentError,
    id: found[1],
    isCut: found[2] !== undefined,
    isPartial: found[3] !== undefined,
  };
}

/** If the connection breaks before the body is complete, nothing is answered. */
function readBody(request: IncomingMessage, onWhole: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const whole = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
    // Frees the chunks, because this listener stays in memory until the answer is sent.
    chunks.length = 0;
    onWhole(whole);
  });
}

function answer(
  response: ServerResponse,
  requestID: string,
  body: ReportBody,
  accepted: readonly AcceptedReport[],
  hasResults: boolean,
): void {
  const text = hasResults ? writeResults(body, accepted) : '';
  const [name, value] = hasResults
    ? ['Content-Type', 'application/json; charset=utf-8']
    : [noResultsHeader.name, noResultsHeader.value];
  response.writeHead(201, [
    ...rawAnswerHeaders,
    'X-Request-Id',
    requestID,
    'Muster-Agent-Error',
    outcomeOf(accepted),
    name,
    value,
    'Content-Length',
    String(text.length),
  ]);
  response.end(text);
}
