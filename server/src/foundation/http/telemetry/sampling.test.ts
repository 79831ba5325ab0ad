import { describe, expect, it } from 'vitest';
import { readSampling } from './sampling.ts';

describe('OTEL_TRACES_SAMPLER', () => {
  it.each([
    [undefined, undefined, { ratio: 0.01, followsCaller: true }],
    ['', '', { ratio: 0.01, followsCaller: true }],
    ['always_on', undefined, { ratio: 1, followsCaller: false }],
    ['always_off', undefined, { ratio: 0, followsCaller: false }],
    ['traceidratio', '0.5', { ratio: 0.5, followsCaller: false }],
    ['traceidratio', undefined, { ratio: 1, followsCaller: false }],
    ['parentbased_always_on', undefined, { ratio: 1, followsCaller: true }],
    ['parentbased_always_off', undefined, { ratio: 0, followsCaller: true }],
    ['parentbased_traceidratio', '0.001', { ratio: 0.001, followsCaller: true }],
    ['parentbased_traceidratio', '2', undefined],
    ['parentbased_traceidratio', 'half', undefined],
    ['jaeger_remote', undefined, undefined],
  ])('%s with %s', (sampler, argument, sampling) => {
    expect(readSampling(sampler, argument)).toEqual(sampling);
  });
});
