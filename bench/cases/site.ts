import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bench, Case } from '../bench.ts';
import { repeatedTexts } from '../load/new-texts.ts';
import { startOpenLoop } from '../load/open-loop.ts';
import { alternate } from '../measure/alternate.ts';
import { underLoad } from '../measure/measure-load.ts';
import { spreadOf } from '../measure/statistics.ts';
import { residentMegabytes } from '../processes/process-usage.ts';
import { comparedOf, compareRates } from '../report/compare.ts';
import { formatNumber, type Row } from '../report/row.ts';
import { Api, forEachAtOnce } from '../servers/api.ts';
import { startBare } from '../servers/bare.ts';
import { registerFleet, reportOnce } from '../servers/fleet.ts';
import { startProduct } from '../servers/product.ts';
import { joinSite, startSite } from '../servers/site.ts';

const texts = repeatedTexts(4);

export const siteRates: Case = {
  name: 'site-rates',
  title: 'reports at a core instance whose service is away, against bare',
  async run(bench): Promise<Row[]> {
    const { options } = bench;
    const product = await startProduct(bench);
    const fleet = await registerFleet(product.api, options.loadAgents);
    const bare = await startBare(bench, product, fleet, texts[0] ?? '');
    const site = await joinSite(bench, product, fleet);
    await product.stop();
    await reportOnce(new Api(site.url, ''), fleet, texts);
    const load = { fleet, repeatedTexts: texts, connections: options.connections };
    const under = (name: string, target: typeof bare, newEvery: number) =>
      underLoad(name, bench.load, [target], { ...load, newEvery });
    const [repeats = [], bareRepeats = [], distinct = [], bareDistinct = []] = await alternate(
      [
        under('site', site, 0),
        under('bare', bare, 0),
        under('site, new', site, 1),
        under('bare, new', bare, 1),
      ],
      { ...options, say: bench.say },
    );
    const row = (what: string, atLeast: number) => ({ case: this.name, what, bar: { atLeast } });
    return [
      compareRates(
        row('report a repeat at a core instance, durable, against bare', 0.8),
        comparedOf('site', repeats),
        comparedOf('bare', bareRepeats),
      ),
      compareRates(
        row('report a new error at a core instance, durable, against bare', 0.5),
        comparedOf('site', distinct),
        comparedOf('bare', bareDistinct),
      ),
    ];
  },
};

type CentreMode = 'pass' | 'cut' | 'hang' | 'fail';
const reportsPerSecond = 200;

export const siteLatency: Case = {
  name: 'site-latency',
  title: 'answers of a core instance whose service is cut off, hangs or fails',
  async run(bench): Promise<Row[]> {
    const { options } = bench;
    const product = await startProduct(bench);
    const fleet = await registerFleet(product.api, options.loadAgents);
    const line = await openLine(bench, product.url);
    const site = await joinSite(bench, product, { ...fleet, centreUrl: line.url });
    const load = startOpenLoop(bench.closing);
    const rows: Row[] = [];
    const measure = async (mode: CentreMode) => {
      line.mode = mode;
      const { whole } = await load.run({
        url: site.url,
        fleet,
        perSecond: reportsPerSecond,
        seconds: options.seconds,
        connections: options.connections,
        timeoutMilliseconds: 10_000,
        reportsPerRequest: 1,
        reconnects: false,
      });
      if (whole.accepted < whole.sent)
        throw new Error(`${whole.sent - whole.accepted} of ${whole.sent} reports were not accepted`);
      return whole;
    };
    const usual = await measure('pass');
    for (const mode of ['cut', 'hang', 'fail'] as const) {
      const whole = await measure(mode);
      rows.push({
        case: this.name,
        what: `p99 of an answer, the service ${{ cut: 'is cut off', hang: 'hangs', fail: 'answers 500' }[mode]}`,
        figure: spreadOf([whole.accepted99]),
        unit: 'ms',
        measured: `${reportsPerSecond} new errors a second, median ${formatNumber(whole.accepted50)} ms; p99 with the service ${formatNumber(usual.accepted99)} ms; the load itself was ${formatNumber(whole.late99)} ms late`,
        bar: { atMost: 20 },
      });
    }
    return rows;
  },
};

const agents = { full: 5_000, quick: 100 };
const newEvery = 4;
const stormMilliseconds = 600_000;

export const siteMemory: Case = {
  name: 'site-memory',
  title: 'memory of a core instance, and its start with a full spool',
  async run(bench): Promise<Row[]> {
    const { options } = bench;
    const count = options.isQuick ? agents.quick : agents.full;
    const product = await startProduct(bench);
    const fleet = await registerFleet(product.api, 1);
    const site = await joinSite(bench, product, fleet);
    const headers = { [fleet.credential.name]: fleet.credential.value };
    const atSite = new Api(site.url, '');
    const machines = Array.from({ length: count }, (_, index) => `edge-${index}`);
    const behind = await forEachAtOnce(machines, (machineID) =>
      atSite.post<{ id: string }>('/v1/agents', { name: machineID, machineID }, headers),
    );
    const whole = { ...fleet, agents: behind };
    await reportOnce(atSite, whole, texts);
    const before = requireMegabytes(site.pid);
    await product.stop();
    const storm = underLoad('the storm', bench.load, [site], {
      fleet: whole,
      repeatedTexts: texts,
      newEvery,
      connections: options.connections,
    });
    const end = performance.now() + stormMilliseconds;
    let reports = 0;
    while (reports < options.memoryErrors && performance.now() < end) {
      reports += (await storm.measure(options.seconds)).requests;
      bench.say(`${reports} of ${options.memoryErrors} reports`);
    }
    const after = requireMegabytes(site.pid);
    await site.end('SIGKILL');
    const starts: number[] = [];
    for (let round = 0; round <= options.rounds; round += 1) {
      const again = await startSite(bench, { ...site, centreUrl: product.url, token: '' });
      if (round > 0) starts.push(again.readyMilliseconds / 1_000);
      await again.end('SIGKILL');
    }
    return [
      {
        case: this.name,
        what: `memory of a core instance with ${count} agents behind it`,
        figure: spreadOf([before.now]),
        unit: 'MB',
        measured: `${formatNumber(before.most)} MB at most`,
        bar: { atMost: 90 },
      },
      {
        case: this.name,
        what: `the same after ${options.memoryErrors} reports, the service away`,
        figure: spreadOf([after.now]),
        unit: 'MB',
        measured: `${reports} reports, ${formatNumber(after.most)} MB at most`,
        bar: { atMost: 130 },
      },
      {
        case: this.name,
        what: 'start to ready with these in the spool, after a kill',
        figure: spreadOf(starts),
        unit: 's',
        measured: `${options.rounds} starts`,
        bar: { atMost: 0.5 },
      },
    ];
  },
};

function requireMegabytes(pid: number) {
  const found = residentMegabytes(pid);
  if (found !== undefined) return found;
  throw new Error('The memory of a process cannot be measured on this system, because it has no /proc.');
}

/** A way to the service that can be made bad. */
async function openLine(bench: Bench, target: string): Promise<{ readonly url: string; mode: CentreMode }> {
  const line = { url: '', mode: 'pass' as CentreMode };
  const server = createServer((incoming, outgoing) => {
    const { method, url = '/', headers } = incoming;
    switch (line.mode) {
      case 'cut':
        incoming.socket.destroy();
        return;
      case 'hang':
        return;
      case 'fail':
        outgoing.writeHead(500).end();
        return;
      case 'pass':
        incoming.pipe(
          request(new URL(url, target), { method, headers }, (answer) => {
            outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
            answer.pipe(outgoing);
          }).on('error', () => incoming.socket.destroy()),
        );
    }
  });
  bench.closing.add(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  line.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  return line;
}
