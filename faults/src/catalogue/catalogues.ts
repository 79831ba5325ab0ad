import fluentBit from './fluent-bit.json' with { type: 'json' };
import type { Catalogue } from './known-fault.ts';
import otelcol from './otelcol.json' with { type: 'json' };
import vector from './vector.json' with { type: 'json' };

export const catalogues: readonly Catalogue[] = [fluentBit, otelcol, vector];
