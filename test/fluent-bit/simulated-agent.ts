import { createFilter, type Filter, type LogRecord } from './filters.ts';
import { type Section, textOf, textsOf, withEnvironment } from './read-configuration.ts';
import { splitOnce } from './split-values.ts';

export interface SentRequest {
  readonly host: string;
  readonly port: string;
  readonly isEncrypted: boolean;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns the status of the answer to a request, and the body that the agent would log. Returns undefined without a connection. */
export type Network = (
  request: SentRequest,
) => Promise<{ readonly status: number; readonly body: string } | undefined>;

interface Task {
  readonly chunk: string;
  readonly body: string;
  readonly attempts: number;
  readonly dueSecond: number;
}

/** Recorded waits are 6 to 13 seconds. */
const secondsToRetry = 10;

const knownProperties = new Set([
  ...['name', 'alias', 'match', 'host', 'port', 'tls', 'uri', 'header'],
  ...['format', 'json_date_key', 'log_response_payload', 'retry_limit'],
]);

/**
 * An agent that runs a configuration with one `fluentbit_logs` input and one `http` output, second by second.
 *
 * Covered, after the sources and recorded runs of Fluent Bit 5.1.1: the records of the input (`level`, `message`), the
 * filters of `createFilter`, one chunk for each second in which something passes, its request, which answers are tried
 * again and how often, and the lines that the output, the engine and the connection print about it, which come back
 * through the input.
 *
 * Not covered: other inputs and outputs, limits of memory and of chunks, the random part of the wait before a retry,
 * storage on disk, threads. Where releases differ in what they print, it prints all of it.
 */
export class SimulatedAgent {
  /** Everything that it has tried to send, retries included. */
  readonly requests: SentRequest[] = [];
  readonly #filters: readonly Filter[];
  readonly #output: Section;
  readonly #network: Network;
  readonly #records: { readonly record: LogRecord; readonly time: number }[] = [];
  #tasks: Task[] = [];
  #second = 0;

  private constructor(filters: readonly Filter[], output: Section, network: Network) {
    this.#filters = filters;
    this.#output = output;
    this.#network = network;
  }

  static async start(
    configuration: readonly Section[],
    environment: Readonly<Record<string, string>>,
    network: Network,
  ): Promise<SimulatedAgent> {
    const sections = withEnvironment(configuration, environment);
    const [input, output] = [onlyOne(sections, 'input'), onlyOne(sections, 'output')];
    const tag = textOf(input, 'tag');
    const filters = sections.filter(({ kind }) => kind === 'filter');
    for (const section of [...filters, output])
      if (textOf(section, 'match') !== tag) throw new Error(`a ${section.kind} does not match '${tag}'`);
    const unknown = output.properties.find(([key]) => !knownProperties.has(key))?.[0];
    if (unknown !== undefined) throw new Error(`the model has no property '${unknown}' of the output`);
    if (textOf(input, 'name') !== 'fluentbit_logs' || textOf(output, 'name') !== 'http')
      throw new Error('the model has the input fluentbit_logs and the output http alone');
    if (textOf(output, 'format') !== 'json' || textOf(output, 'json_date_key') !== 'false')
      throw new Error('the model has the format json without a date alone');
    return new SimulatedAgent(await Promise.all(filters.map(createFilter)), output, network);
  }

  /** The agent prints a line. Without a time in seconds, it comes a millisecond after the line before. */
  print(level: string, message: string, time = this.#second + this.#records.length / 1_000): void {
    const record = new Map([
      ['level', level],
      ['message', message],
    ]);
    this.#records.push({ record, time });
  }

  /** Flushes what was printed, and tries again what is due. */
  async nextSecond(): Promise<void> {
    this.#second += 1;
    const passed = this.#records.splice(0).flatMap(({ record, time }) => this.#filter(record, time) ?? []);
    const body = JSON.stringify(passed.map((record) => Object.fromEntries(record)));
    const chunk = `1-${1_795_220_000 + this.#second}.322832545.flb`;
    if (passed.length > 0) this.#tasks.push({ chunk, body, attempts: 0, dueSecond: this.#second });
    const due = this.#tasks.filter(({ dueSecond }) => dueSecond <= this.#second);
    this.#tasks = this.#tasks.filter((task) => !due.includes(task));
    for (const task of due) await this.#deliver({ ...task, attempts: task.attempts + 1 });
  }

  async runSeconds(count: number): Promise<void> {
    for (let second = 0; second < count; second += 1) await this.nextSecond();
  }

  #filter(record: LogRecord, time: number): LogRecord | undefined {
    return this.#filters.reduce<LogRecord | undefined>(
      (passed, filter) => (passed === undefined ? undefined : filter(passed, time)),
      record,
    );
  }

  async #deliver(task: Task): Promise<void> {
    const request = this.#toRequest(task.body);
    this.requests.push(request);
    const answer = await this.#network(request);
    if (answer === undefined) {
      this.#printLostConnection(request);
      this.#tryAgain(task);
    } else if (answer.status < 200 || answer.status > 205) {
      this.#printStatus(request, answer);
      const isFinal = answer.status >= 400 && answer.status < 500 && ![408, 429].includes(answer.status);
      if (isFinal) this.#printEngine(task, 'error', 'failed to flush chunk', '');
      else this.#tryAgain(task);
    }
  }

  #toRequest(body: string): SentRequest {
    return {
      host: this.#setting('host'),
      port: this.#setting('port'),
      isEncrypted: isOn(this.#setting('tls')),
      path: this.#setting('uri'),
      headers: Object.fromEntries(textsOf(this.#output, 'header').map(splitOnce)),
      body,
    };
  }

  #tryAgain(task: Task): void {
    const limit = Number(textOf(this.#output, 'retry_limit') ?? 1);
    if (!Number.isSafeInteger(limit)) throw new Error('the model has numbers for retry_limit alone');
    if (task.attempts > limit) {
      this.#printEngine(task, 'error', 'chunk', ' cannot be retried');
      return;
    }
    this.#tasks.push({ ...task, dueSecond: this.#second + secondsToRetry });
    this.#printEngine(task, 'warn', 'failed to flush chunk', `, retry in ${secondsToRetry} seconds`);
  }

  #printEngine({ chunk }: Task, level: string, before: string, after: string): void {
    const route = `task_id=7, input=fluentbit_logs.0 > output=${this.#name}`;
    this.print(level, `[engine] ${before} '${chunk}'${after}: ${route}`);
    this.print(level, `[engine] ${before} '${chunk}'${after}: ${route} (out_id=1)`);
  }

  #printStatus({ host, port }: SentRequest, { status, body }: { status: number; body: string }): void {
    const isLogged = isOn(textOf(this.#output, 'log_response_payload') ?? 'on') && body !== '';
    const prefix = `[output:http:${this.#name}]`;
    this.print('error', `${prefix} ${host}:${port}, HTTP status=${status}${isLogged ? `\n${body}` : ''}`);
    this.print(
      'warn',
      `${prefix} could not flush records to ${host}:${port} (http_do=0), chunk will not be retried`,
    );
  }

  /** Everything that one or another way to lose a connection prints. */
  #printLostConnection({ host, port }: SentRequest): void {
    const number = 90 + (this.#second % 7);
    this.print('error', `[output:http:${this.#name}] no upstream connections available to ${host}:${port}`);
    this.print(
      'error',
      `[upstream] connection #${number} to tcp://${host}:${port} timed out after 10 seconds (connection timeout)`,
    );
    this.print(
      'error',
      `[upstream] connection #${number} to tcp://192.0.2.7:${port} timed out after 10 seconds (IO timeout)`,
    );
    this.print('error', `[tls] connection #${number} SSL_connect: error in error`);
    this.print('error', '[tls] error: unexpected EOF');
    this.print(
      'error',
      '[tls] certificate verification failed, reason: certificate has expired (X509 code: 10)',
    );
    this.print('error', '[/src/fluent-bit/src/flb_http_client.c:1199 errno=104] Connection reset by peer');
    this.print('error', '[/src/fluent-bit/src/tls/openssl.c:551 errno=0] Success');
    this.print('error', `[http_client] broken connection to ${host}:${port} ?`);
    this.print(
      'error',
      `[http_client] response timeout reached (elapsed=${60 + (this.#second % 2)}s, limit=60s)`,
    );
    this.print(
      'error',
      `[http_client] read idle timeout reached (idle=${90 + (this.#second % 2)}s, limit=90s)`,
    );
    this.print('warn', `[net] getaddrinfo(host='${host}', err=4): Domain name not found`);
  }

  get #name(): string {
    return textOf(this.#output, 'alias') ?? 'http.0';
  }

  #setting(key: string): string {
    const value = textOf(this.#output, key);
    if (value === undefined) throw new Error(`the output has no '${key}'`);
    return value;
  }
}

function onlyOne(sections: readonly Section[], kind: string): Section {
  const [section, ...more] = sections.filter((one) => one.kind === kind);
  if (section === undefined || more.length > 0) throw new Error(`the model has exactly one ${kind}`);
  return section;
}

function isOn(value: string): boolean {
  return ['on', 'true', 'yes'].includes(value.toLowerCase());
}
