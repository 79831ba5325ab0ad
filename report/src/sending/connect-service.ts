import {
  createAgentError,
  createClient,
  MusterAnswerError,
  MusterConnectionError,
  MusterError,
  MusterTimeoutError,
  registerAgent,
  sendAgentHeartbeat,
  updateAgent,
} from '@muster/client';
import { type ReportService, ServiceFailure } from './report-service.ts';

export interface ServiceAddress {
  readonly url: string;
  /** Called for each registration, since a token file may have been replaced. @throws Error that says what is missing */
  readonly readToken: () => Promise<string>;
  readonly userAgent: string;
}

/** Calls the service through the SDK. The caller waits and retries. */
export function connectService({ url, readToken, userAgent }: ServiceAddress): ReportService {
  const options = { url, userAgent, retry: { attempts: 1 }, timeoutMilliseconds: 30_000 };
  return {
    async register(body, signal, ownToken) {
      return explainFailures(async () => {
        const projectToken = await readToken();
        const credential = ownToken === undefined ? { projectToken } : { projectToken, agentToken: ownToken };
        const client = createClient({ ...options, credential });
        const { id, token } = await registerAgent(client, { body }, { signal });
        return { agentID: id, agentToken: token };
      });
    },
    async update({ agentID, agentToken }, { machineID: _, ...body }, signal) {
      await explainFailures(async () => {
        const client = createClient({ ...options, credential: { agentToken } });
        await updateAgent(client, { agentID, body }, { signal });
      });
    },
    async heartbeat({ agentID, agentToken }, body, signal) {
      await explainFailures(async () => {
        const client = createClient({ ...options, credential: { agentToken } });
        await sendAgentHeartbeat(client, { agentID, body }, { signal });
      });
    },
    async report({ agentID, agentToken }, texts, signal) {
      await explainFailures(async () => {
        const client = createClient({ ...options, credential: { agentToken } });
        await createAgentError(client, { agentID, body: texts.map((error) => ({ error })) }, { signal });
      });
    },
  };
}

async function explainFailures<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw toFailure(error);
  }
}

function toFailure(error: unknown): ServiceFailure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof MusterError) {
    const { status, retryAfterSeconds, problem } = error;
    const kind = status === 429 || status === 408 || status >= 500 ? 'busy' : 'refused';
    return new ServiceFailure(kind, problem.detail, { status, retryAfterSeconds, cause: error });
  }
  if (error instanceof MusterAnswerError) {
    const { status, retryAfterSeconds } = error;
    const what = `something other than Muster answers, with status ${status}`;
    return new ServiceFailure('unreachable', what, { status, retryAfterSeconds, cause: error });
  }
  if (error instanceof MusterTimeoutError || isAbort(error)) {
    return new ServiceFailure('unreachable', 'there was no answer in time', { cause: error });
  }
  if (error instanceof MusterConnectionError) {
    return new ServiceFailure('unreachable', error.reason ?? message, { cause: error });
  }
  // The address or the token is not valid.
  return new ServiceFailure('refused', message, { cause: error });
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
}
