import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type MusterProcess,
  type ProcessEnd,
  serveMuster,
} from '../../../server/src/testing/muster-process.ts';
import { serveApp } from '../../readme/serve-app.ts';
import { checkIntegrity } from '../check-integrity.ts';
import { faultSettings } from '../fault-settings.ts';
import { findBroken, type Prepared, prepare, type RequestFigures, runRequests } from './fault-requests.ts';

/** The behaviour of a service on a failing disk, and its data afterwards. */
export interface FaultRound {
  /** Undefined: it ended before it was ready. */
  readonly requests: RequestFigures | undefined;
  /** Promised data that is missing after a restart without faults. */
  readonly broken: readonly string[];
  /** The result of SQLite's integrity check after the restart. */
  readonly integrity: string;
  readonly end: ProcessEnd;
  readonly stopMilliseconds: number;
  /** Everything that it had printed and logged when it ended. */
  readonly output: string;
}

/** An installation that is created once; each round gets a copy. */
export class FaultBench {
  readonly folder = mkdtempSync(join(tmpdir(), 'muster-disk-'));
  readonly #template = join(this.folder, 'template');
  readonly #adminToken = randomBytes(32).toString('hex');
  #prepared: Prepared | undefined;

  async prepare(): Promise<void> {
    const { url, close } = await this.#serve(this.#template);
    this.#prepared = await prepare(url, this.#adminToken);
    await close();
  }

  /** The directory of the next round's copy. */
  get dataDirectory(): string {
    return join(this.folder, 'data');
  }

  /** A service with a copy of the installation. */
  startCopy(wrapper: readonly string[] = []): MusterProcess {
    rmSync(this.dataDirectory, { recursive: true, force: true });
    cpSync(this.#template, this.dataDirectory, { recursive: true });
    return this.#start(this.dataDirectory, wrapper);
  }

  /** The same requests to a copy of the installation, on a disk that fails as the wrapper defines. */
  async run(wrapper: readonly string[]): Promise<FaultRound> {
    const service = this.startCopy(wrapper);
    const url = await service.untilReady();
    const requests = url === undefined ? undefined : await runRequests(url, this.prepared);
    const begin = performance.now();
    const end = await service.end('SIGTERM');
    const stopMilliseconds = Math.round(performance.now() - begin);
    const after = await this.inspect(requests);
    return { requests, ...after, end, stopMilliseconds, output: service.output };
  }

  /** A first start on a failing disk; then one without faults, which must create the installation. */
  async runFirstStart(wrapper: readonly string[]): Promise<FaultRound> {
    rmSync(this.dataDirectory, { recursive: true, force: true });
    const service = this.#start(this.dataDirectory, wrapper);
    await service.untilReady();
    const begin = performance.now();
    const end = await service.end('SIGTERM');
    const stopMilliseconds = Math.round(performance.now() - begin);
    const again = await this.#serve(this.dataDirectory);
    const prepared = await prepare(again.url, this.#adminToken);
    await again.close();
    const broken = prepared.agentID === undefined ? ['lost: the installation'] : [];
    return {
      requests: undefined,
      broken,
      integrity: this.#integrity(),
      end,
      stopMilliseconds,
      output: service.output,
    };
  }

  /** The state after a restart without faults. */
  async inspect(requests: RequestFigures | undefined): Promise<Pick<FaultRound, 'broken' | 'integrity'>> {
    const { url, close } = await this.#serve(this.dataDirectory);
    const broken = await findBroken(url, this.prepared, requests?.promised ?? []);
    await close();
    return { broken, integrity: this.#integrity() };
  }

  get prepared(): Prepared {
    if (this.#prepared === undefined) throw new Error('prepare() comes first');
    return this.#prepared;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #integrity(): string {
    return checkIntegrity(join(this.dataDirectory, 'muster.db'));
  }

  /** In this process, because no fault is injected into it. */
  #serve(dataDirectory: string) {
    return serveApp(dataDirectory, '', { ...faultSettings, MUSTER_ADMIN_TOKEN: this.#adminToken });
  }

  #start(dataDirectory: string, wrapper: readonly string[] = []): MusterProcess {
    const env = { ...faultSettings, MUSTER_DATA_DIR: dataDirectory, MUSTER_ADMIN_TOKEN: this.#adminToken };
    return serveMuster({ env, wrapper });
  }
}
