import type { Case } from '../../bench.ts';
import type { DataSetEngine } from '../../data/open-data-set.ts';
import { alternate } from '../../measure/alternate.ts';
import { comparedOf, compareProcessor, compareRates } from '../../report/compare.ts';
import type { ProjectFleet } from '../../servers/fleet.ts';
import type { Product } from '../../servers/product.ts';
import { startBeside, startReceiver, stormOn } from './start-beside.ts';

/** New errors, which are what rules are evaluated for. */
export function besideAlertsCase(engine: DataSetEngine): Case {
  return {
    name: `beside-alerts-${engine}`,
    title: `new errors with four alert rules and a webhook, against without (${engine})`,
    async run(bench) {
      const receiver = await startReceiver(bench);
      const plain = await startBeside(bench, engine);
      const alerting = await startBeside(bench, engine, { MUSTER_ALERT_ALLOWED_HOSTS: '127.0.0.1' });
      await createAlerts(alerting.product, alerting.fleet, receiver.url);
      const [without = [], alerts = []] = await alternate(
        [stormOn('without', bench, plain, 'new'), stormOn('with alerts', bench, alerting, 'new')],
        { ...bench.options, say: bench.say },
      );
      if (receiver.count() === 0) throw new Error('no alert was sent');
      const [one, other] = [comparedOf('with', alerts), comparedOf('without', without)];
      const row = { case: this.name };
      return [
        compareProcessor({ ...row, what: 'processor time of a new error with alerts' }, one, other),
        compareRates({ ...row, what: 'new errors with alerts, against without' }, one, other),
      ];
    },
  };
}

async function createAlerts({ api }: Product, { projectID }: ProjectFleet, url: string): Promise<void> {
  const project = `/v1/projects/${projectID}`;
  await api.post(`${project}/alert_channels`, { name: 'bench', kind: 'webhook', url });
  for (const rule of [
    { kind: 'new_group', cooldownSeconds: 0 },
    { kind: 'regression' },
    { kind: 'widespread_group', share: 0.01 },
    { kind: 'agents_offline', agents: 1 },
  ])
    await api.post(`${project}/alert_rules`, rule);
}
