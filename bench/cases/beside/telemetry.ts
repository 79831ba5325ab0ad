import type { Case } from '../../bench.ts';
import type { DataSetEngine } from '../../data/open-data-set.ts';
import { alternate } from '../../measure/alternate.ts';
import { comparedOf, compareProcessor, compareRates } from '../../report/compare.ts';
import { startBeside, startReceiver, stormOn } from './start-beside.ts';

/** Processor time of an ignored report; a second service without telemetry shows what the measurement itself is worth. */
const bar = { atMost: 1.03 };

export function besideTelemetryCase(engine: DataSetEngine): Case {
  return {
    name: `beside-telemetry-${engine}`,
    title: `ignored errors with OpenTelemetry, against without, and without against without (${engine})`,
    async run(bench) {
      const receiver = await startReceiver(bench);
      const plain = await startBeside(bench, engine);
      const again = await startBeside(bench, engine);
      const traced = await startBeside(bench, engine, {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_METRIC_EXPORT_INTERVAL: '5000',
      });
      const [without = [], same = [], telemetry = []] = await alternate(
        [
          stormOn('without', bench, plain, 'ignored'),
          stormOn('without, again', bench, again, 'ignored'),
          stormOn('with telemetry', bench, traced, 'ignored'),
        ],
        { ...bench.options, say: bench.say },
      );
      if (receiver.count() === 0) throw new Error('no telemetry was sent');
      const row = { case: this.name };
      const [one, other, control] = [
        comparedOf('with', telemetry),
        comparedOf('without', without),
        comparedOf('without, again', same),
      ];
      return [
        compareProcessor(
          { ...row, what: 'processor time of an ignored error with telemetry', bar },
          one,
          other,
        ),
        compareProcessor({ ...row, what: 'the same, a second service without telemetry' }, control, other),
        compareRates({ ...row, what: 'ignored errors with telemetry, against without' }, one, other),
      ];
    },
  };
}
