import { answerQuestions } from '../processes/worker-process.ts';
import { createNewTextPrefix } from './new-texts.ts';
import { type OpenLoopLoad, type OpenLoopResult, sliceMilliseconds } from './open-loop.ts';
import { type Answer, ReportConnection } from './report-connection.ts';
import { Tally } from './tally.ts';

answerQuestions({ run: (load: OpenLoopLoad) => new Run(load).result() });

const tickMilliseconds = 1;
/** More at once would overflow the system's queue and retry only after seconds. */
const openedAtOnce = 200;

interface UnderWay {
  readonly connection: ReportConnection;
  /** When it was due. */
  readonly due: number;
  readonly number: number;
}

class Run {
  readonly #load: OpenLoopLoad;
  readonly #host: string;
  readonly #port: number;
  readonly #heads: readonly string[];
  readonly #prefix = createNewTextPrefix();
  readonly #whole = new Tally();
  readonly #slices: Tally[] = [];
  /** The connection that has been free for longest is used first, as in a fleet, where all take part. */
  readonly #free = new Set<ReportConnection>();
  /** In the order in which they were sent. */
  readonly #underWay = new Set<UnderWay>();
  #startedAt = 0;
  #connections = 0;
  #sent = 0;
  #acceptedInTime = 0;

  constructor(load: OpenLoopLoad) {
    this.#load = load;
    const { hostname, port, host } = new URL(load.url);
    this.#host = hostname;
    this.#port = Number(port);
    this.#heads = load.fleet.agents.map(({ id, token }) => {
      const credential =
        token === undefined
          ? `${load.fleet.credential.name}: ${load.fleet.credential.value}`
          : `X-Agent-Token: ${token}`;
      return `POST /v1/agents/${id}/errors HTTP/1.1\r\nHost: ${host}\r\n${credential}\r\nContent-Type: application/json\r\nContent-Length: `;
    });
  }

  async result(): Promise<OpenLoopResult> {
    const { perSecond, seconds, timeoutMilliseconds } = this.#load;
    await this.#open();
    this.#startedAt = performance.now();
    if (perSecond === undefined) {
      for (let count = 0; count < this.#load.connections; count += 1) this.#sendNext(this.#elapsed());
    }
    while (this.#elapsed() < seconds * 1_000) {
      if (perSecond !== undefined) this.#sendDue(perSecond);
      this.#giveUpLate();
      await pause(tickMilliseconds);
    }
    const end = this.#elapsed();
    const acceptedPerSecond = (this.#acceptedInTime * 1_000) / end;
    while (this.#underWay.size > 0 && this.#elapsed() < end + timeoutMilliseconds + 1_000) {
      this.#giveUpLate();
      await pause(tickMilliseconds);
    }
    for (const { connection } of this.#underWay) connection.close();
    for (const connection of this.#free) connection.close();
    return {
      whole: this.#whole.figures(),
      acceptedPerSecond,
      slices: this.#slices.map((tally) => tally.figures()),
    };
  }

  /** A fleet is already connected when its storm begins. */
  async #open(): Promise<void> {
    while (this.#connections < this.#load.connections) {
      const count = Math.min(openedAtOnce, this.#load.connections - this.#connections);
      const wave = Array.from({ length: count }, () => new ReportConnection(this.#host, this.#port));
      this.#connections += count;
      await Promise.all(wave.map(({ opened }) => opened));
      for (const connection of wave) this.#free.add(connection);
    }
  }

  #sendDue(perSecond: number): void {
    const now = this.#elapsed();
    while (this.#sent < (now * perSecond) / 1_000) this.#sendNext((this.#sent * 1_000) / perSecond);
  }

  #sendNext(due: number): void {
    const number = this.#sent;
    this.#sent += 1;
    const tallies = this.#talliesOf(due);
    const connection = this.#takeConnection();
    if (connection === undefined) {
      for (const tally of tallies) tally.unsent += 1;
      return;
    }
    const late = this.#elapsed() - due;
    for (const tally of tallies) tally.countSent(late);
    const underWay = { connection, due, number };
    this.#underWay.add(underWay);
    connection.send(this.#write(number), (answer) => this.#note(underWay, answer));
  }

  #note(underWay: UnderWay, answer: Answer | undefined): void {
    const { connection, due } = underWay;
    const now = this.#elapsed();
    this.#underWay.delete(underWay);
    if (answer?.status === 201) this.#acceptedInTime += 1;
    const isLate = now - due > this.#load.timeoutMilliseconds;
    for (const tally of this.#talliesOf(due)) tally.countAnswer(answer, now - due, isLate);
    if (this.#load.reconnects && answer !== undefined && answer.status !== 201) connection.close();
    if (connection.isClosed) this.#connections -= 1;
    else this.#free.add(connection);
    if (this.#load.perSecond === undefined && now < this.#load.seconds * 1_000) this.#sendNext(now);
  }

  #giveUpLate(): void {
    const oldest = this.#elapsed() - this.#load.timeoutMilliseconds;
    for (const { connection, due } of this.#underWay) {
      if (due > oldest) return;
      connection.close();
    }
  }

  #takeConnection(): ReportConnection | undefined {
    for (;;) {
      const [free] = this.#free;
      if (free === undefined) break;
      this.#free.delete(free);
      if (!free.isClosed) return free;
      this.#connections -= 1;
    }
    if (this.#connections >= this.#load.connections) return undefined;
    this.#connections += 1;
    return new ReportConnection(this.#host, this.#port);
  }

  #write(number: number): string {
    const { reportsPerRequest } = this.#load;
    const head = this.#heads[number % this.#heads.length] ?? '';
    const one = (index: number) => `{"error":"${this.#prefix}${number}-${index}"}`;
    const body =
      reportsPerRequest === 1
        ? one(0)
        : `[${Array.from({ length: reportsPerRequest }, (_, index) => one(index)).join()}]`;
    return `${head}${body.length}\r\n\r\n${body}`;
  }

  #talliesOf(due: number): readonly Tally[] {
    const index = Math.floor(due / sliceMilliseconds);
    let slice = this.#slices[index];
    if (slice === undefined) {
      slice = new Tally();
      this.#slices[index] = slice;
    }
    return [this.#whole, slice];
  }

  #elapsed(): number {
    return performance.now() - this.#startedAt;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
