import { configurationOf, type Release, releases } from './configurations.ts';
import { randomNumbers } from './random-numbers.ts';
import { type Fault, type Role, rolloutFault } from './roles.ts';
import { varyText } from './sample-texts.ts';

const places = ['eu-west-1', 'eu-central-1', 'us-east-1'];
/** What the agents promise: without a sign of life for 90 s, they are offline. */
export const heartbeatSeconds = 30;

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
  release: Release = releases.working;
  readonly #place: string;
  readonly #number: (limit: number) => number;
  readonly #gateway: string;
  readonly #address: string;
  readonly #isArm: boolean;
  #text: { readonly fault: Fault; readonly text: string } | undefined;

  constructor(index: number, count: number, role: Role) {
    this.#number = randomNumbers(index);
    this.name = `edge-${String(index + 1).padStart(String(count).length, '0')}`;
    this.role = role;
    this.#place = places[index % places.length] ?? '';
    this.#gateway = `10.${20 + (index % places.length)}.${this.#number(256)}.${1 + this.#number(250)}`;
    this.#address = `10.${60 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
    this.#isArm = index % 4 === 0;
  }

  /** The error that it reports with the configuration that it runs. */
  get fault(): Fault | undefined {
    const isBroken = this.release === releases.broken || this.release === releases.brokenAgain;
    return isBroken ? rolloutFault : this.role.fault;
  }

  /** A text that stays the same while the configuration does, unless the fault has another one each time. */
  nextText(fault: Fault): string {
    if (!fault.isNewEachTime && this.#text?.fault === fault) return this.#text.text;
    const address = fault === rolloutFault ? this.#gateway : this.#address;
    const text = varyText(fault.text, { address, number: this.#number });
    this.#text = { fault, text };
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
      fleetID: this.#place,
      tags: ['demo', this.#place],
      metadata: { k8s: { namespace: 'logging', pod_name: this.name, node_name: `node-${this.#number(50)}` } },
      heartbeatSeconds,
      rawConfig: this.rawConfig,
    };
  }

  get rawConfig(): string {
    return configurationOf(this.release, this.#gateway);
  }
}
