import {
  configurationOf,
  gatewayVariable,
  portOf,
  type Release,
  releases,
  workingPort,
} from './configurations.ts';
import { randomNumbers } from './random-numbers.ts';
import { type Fault, placeOf, type Role, rolloutFault } from './roles.ts';
import { varyText } from './sample-texts.ts';

/** What the agents promise: without a sign of life for 90 s, they are offline. */
export const heartbeatSeconds = 30;

/** The service refuses further open errors of one cause of an agent (a quarter of MUSTER_MAX_OPEN_ERRORS_PER_AGENT: 250). */
const maxNewTexts = 200;

/** What an agent knows of the fleet from which it gets its configuration. */
export interface Seat {
  /** The id with which it asks. */
  readonly id: string;
  /** The date of what it has downloaded, in seconds. */
  version: number;
  /** As it was served. */
  config: string;
}

/** One simulated agent: what it is, what it runs, and what it has to say next. */
export class SimulatedAgent {
  readonly name: string;
  readonly role: Role;
  /** False once it has ended or gone silent. */
  isRunning = true;
  /** Set when it is registered. */
  id = '';
  token = '';
  /** When it sends the next heartbeat and reports next, in milliseconds. */
  nextHeartbeatAt = 0;
  nextReportAt = 0;
  /** When it asks its fleet for a configuration. */
  nextPollAt = 0;
  /** Undefined: its configuration is written on its host, without Muster. */
  seat: Seat | undefined;
  release: Release = releases.working;
  readonly place: string;
  readonly #number: (limit: number) => number;
  readonly #gateway: string;
  readonly #address: string;
  readonly #isArm: boolean;
  /** Different texts of a fault that has another one each time. */
  #newTexts = 0;
  #text: { readonly fault: Fault; readonly port: number | undefined; readonly text: string } | undefined;

  constructor(index: number, count: number, role: Role) {
    this.#number = randomNumbers(index);
    this.name = `edge-${String(index + 1).padStart(String(count).length, '0')}`;
    this.role = role;
    this.place = placeOf(index);
    this.#gateway = `10.${20 + (index % 3)}.${this.#number(256)}.${1 + this.#number(250)}`;
    this.#address = `10.${60 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
    this.#isArm = index % 4 === 0;
  }

  /** The error that it reports with the configuration that it runs. */
  get fault(): Fault | undefined {
    const port = portOf(this.rawConfig);
    return port === undefined || port === workingPort ? this.role.fault : rolloutFault;
  }

  /** A text that stays the same while the configuration does, unless the fault has another one each time. */
  nextText(fault: Fault): string {
    const port = fault === rolloutFault ? portOf(this.rawConfig) : undefined;
    const isOther = fault.isNewEachTime && this.#newTexts < maxNewTexts;
    if (!isOther && this.#text?.fault === fault && this.#text.port === port) return this.#text.text;
    if (fault.isNewEachTime) this.#newTexts += 1;
    const address = fault === rolloutFault ? this.#gateway : this.#address;
    const varied = varyText(fault.text, { address, number: this.#number });
    const text = port === undefined ? varied : varied.replace(/\d+$/, String(port));
    this.#text = { fault, port, text };
    return text;
  }

  /** A time within the next interval, so that agents do not all speak at once. */
  soon(now: number, milliseconds: number): number {
    return now + this.#number(milliseconds);
  }

  /** The body of its registration, or of an update if it is registered. */
  describe(): Readonly<Record<string, unknown>> {
    return {
      name: this.name,
      machineID: `demo-${this.name}`,
      type: 'fluentbit',
      version: '5.1.1',
      edition: 'community',
      os: 'linux',
      arch: this.#isArm ? 'arm64' : 'x86_64',
      fleetID: this.seat?.id ?? this.place,
      tags: ['demo', this.place],
      metadata: { k8s: { namespace: 'logging', pod_name: this.name, node_name: `node-${this.#number(50)}` } },
      heartbeatSeconds,
      rawConfig: this.rawConfig,
    };
  }

  get rawConfig(): string {
    return this.seat === undefined ? configurationOf(this.release, gatewayVariable) : this.seat.config;
  }
}
