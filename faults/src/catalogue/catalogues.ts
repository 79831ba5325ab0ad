import aws from './fluent-bit/aws.json' with { type: 'json' };
import configuration from './fluent-bit/configuration.json' with { type: 'json' };
import inputs from './fluent-bit/inputs.json' with { type: 'json' };
import kafka from './fluent-bit/kafka.json' with { type: 'json' };
import names from './fluent-bit/names.json' with { type: 'json' };
import network from './fluent-bit/network.json' with { type: 'json' };
import outputs from './fluent-bit/outputs.json' with { type: 'json' };
import processing from './fluent-bit/processing.json' with { type: 'json' };
import storage from './fluent-bit/storage.json' with { type: 'json' };
import type { Catalogue } from './known-fault.ts';
import otelcol from './otelcol.json' with { type: 'json' };
import vector from './vector.json' with { type: 'json' };

const fluentBit: Catalogue = {
  agent: 'Fluent Bit',
  types: ['fluentbit'],
  names,
  sections: [
    ...configuration,
    ...storage,
    ...network,
    ...inputs,
    ...processing,
    ...outputs,
    ...kafka,
    ...aws,
  ],
};

export const catalogues: readonly Catalogue[] = [fluentBit, otelcol, vector];
