import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import {
  type CoreInstanceBatch,
  CoreInstanceBatchResult,
  CoreInstanceWithToken,
  type Problem,
  routes,
  SiteCredentials,
  SiteFleetContent,
  SiteFleets,
} from '@muster/contract';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { CentreFailure, kindOfStatus } from './centre-failure.ts';
import { type CentreAddress, exchange } from './exchange.ts';

interface JoinRequest {
  readonly name: string | undefined;
  readonly version: string;
  readonly instanceKey: string;
}

const compress = promisify(gzip);
/** Smaller bodies do not get smaller. */
const compressedFromBytes = 1_024;

/** The centre, as a core instance calls it. All methods reject with a CentreFailure. */
export class CentreClient {
  readonly #address: CentreAddress;
  readonly #faultsOfJoined: FindFaults;
  readonly #faultsOfStored: FindFaults;
  readonly #faultsOfCredentials: FindFaults;
  readonly #faultsOfFleets: FindFaults;
  readonly #faultsOfContent: FindFaults;

  constructor(address: CentreAddress) {
    this.#address = address;
    // Without the bounds on bodies of agents: a list of credentials has many values.
    const ajv = new Ajv2020({
      allowUnionTypes: true,
      formats: { uuid: true, 'date-time': true },
      strict: true,
      // The schemas are our own. To check them, a start would compile that of JSON Schema.
      meta: false,
      validateSchema: false,
    });
    this.#faultsOfJoined = compileLater(ajv, CoreInstanceWithToken);
    this.#faultsOfStored = compileLater(ajv, CoreInstanceBatchResult);
    this.#faultsOfCredentials = compileLater(ajv, SiteCredentials);
    this.#faultsOfFleets = compileLater(ajv, SiteFleets);
    this.#faultsOfContent = compileLater(ajv, SiteFleetContent);
  }

  async join(projectToken: string, { name, ...rest }: JoinRequest, signal?: AbortSignal) {
    const { path } = routes.createCoreInstance;
    const body = { ...(name === undefined ? {} : { name }), ...rest };
    const answer = await this.#post(path, { 'X-Project-Token': projectToken }, body, signal);
    return checked<CoreInstanceWithToken>(this.#faultsOfJoined, answer);
  }

  /** Another token for the core instance of a token. */
  async rotate(token: string, signal?: AbortSignal) {
    const { path } = routes.rotateOwnCoreInstance;
    const answer = await this.#post(path, { 'X-Core-Instance-Token': token }, {}, signal);
    return checked<CoreInstanceWithToken>(this.#faultsOfJoined, answer);
  }

  async send(token: string, batch: CoreInstanceBatch, signal?: AbortSignal) {
    const { path } = routes.sendCoreInstanceBatch;
    const answer = await this.#post(path, { 'X-Core-Instance-Token': token }, batch, signal);
    return checked<CoreInstanceBatchResult>(this.#faultsOfStored, answer);
  }

  async listCredentials(token: string, cursor: string | undefined, signal?: AbortSignal) {
    const answer = await this.#get(token, `${routes.listSiteCredentials.path}${queryOf({ cursor })}`, signal);
    return checked<SiteCredentials>(this.#faultsOfCredentials, answer);
  }

  async listFleets(token: string, cursor: string | undefined, signal?: AbortSignal) {
    const answer = await this.#get(token, `${routes.listSiteFleets.path}${queryOf({ cursor })}`, signal);
    return checked<SiteFleets>(this.#faultsOfFleets, answer);
  }

  /** @param isEncrypted true if agents reach this core instance with TLS */
  async getFleetContent(token: string, key: string, isEncrypted: boolean, signal?: AbortSignal) {
    const path = routes.getSiteFleetContent.path.replace('{content}', encodeURIComponent(key));
    const answer = await this.#get(token, `${path}${queryOf({ tls: String(isEncrypted) })}`, signal);
    return checked<SiteFleetContent>(this.#faultsOfContent, answer);
  }

  async #get(token: string, path: string, signal: AbortSignal | undefined): Promise<unknown> {
    const headers = { 'X-Core-Instance-Token': token };
    return readAnswer(
      await exchange(this.#address, { method: 'GET', path, headers, body: undefined, signal }),
    );
  }

  async #post(
    path: string,
    credential: Readonly<Record<string, string>>,
    body: unknown,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const json = Buffer.from(JSON.stringify(body));
    // The other routes take no gzip, and little.
    const isCompressed = path === routes.sendCoreInstanceBatch.path && json.length >= compressedFromBytes;
    const bytes = isCompressed ? await compress(json) : json;
    const headers = {
      ...credential,
      'Content-Type': 'application/json',
      'Content-Length': String(bytes.length),
      ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
    };
    return readAnswer(await exchange(this.#address, { method: 'POST', path, headers, body: bytes, signal }));
  }
}

function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return given.length === 0 ? '' : `?${given.join('&')}`;
}

type FindFaults = (answer: unknown) => readonly ErrorObject[] | undefined;

/** Compiles a schema for the first answer: agents are served before the centre is asked. */
function compileLater(ajv: Ajv2020, schema: object): FindFaults {
  return (answer) => {
    // Ajv remembers what it compiled.
    const isValid = ajv.compile(schema);
    return isValid(answer) ? undefined : (isValid.errors ?? []);
  };
}

function checked<Answer>(findFaults: FindFaults, answer: unknown): Answer {
  const faults = findFaults(answer);
  if (faults !== undefined) {
    const message = 'something other than Muster answers, or a version of it that is not known here';
    throw new CentreFailure('unreachable', message, { cause: faults });
  }
  return answer as Answer; // as just checked
}

function readAnswer({ status, retryAfter, text }: Awaited<ReturnType<typeof exchange>>): unknown {
  const body = parse(text);
  if (status >= 200 && status < 300 && body !== undefined) return body;
  const { code, detail, fields } = (body ?? {}) as Partial<Problem>; // checked next
  const retryAfterSeconds = /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined;
  if (typeof code === 'string' && typeof detail === 'string') {
    const paths = Array.isArray(fields) ? fields.map(({ path }) => String(path)) : [];
    throw new CentreFailure(kindOfStatus(status, code), detail, { status, code, paths, retryAfterSeconds });
  }
  throw new CentreFailure('unreachable', `something other than Muster answers, with status ${status}`, {
    status,
    retryAfterSeconds,
  });
}

function parse(text: string): object | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}
