export interface Sampling {
  /** Share of the requests that are traced, unless their caller has decided. */
  readonly ratio: number;
  /** True if callers decide for their own requests, by `traceparent`. */
  readonly followsCaller: boolean;
}

/** A fleet sends thousands of reports each second, so that the default of the specification, all of them, would cost too much. */
const defaultRatio = 0.01;

/** OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG. Undefined if they are not valid. */
export function readSampling(
  sampler: string | undefined,
  argument: string | undefined,
): Sampling | undefined {
  const ratio = argument === undefined || argument === '' ? 1 : Number(argument);
  switch (sampler ?? '') {
    case '':
      return { ratio: defaultRatio, followsCaller: true };
    case 'always_on':
    case 'always_off':
      return { ratio: sampler === 'always_on' ? 1 : 0, followsCaller: false };
    case 'parentbased_always_on':
    case 'parentbased_always_off':
      return { ratio: sampler === 'parentbased_always_on' ? 1 : 0, followsCaller: true };
    case 'traceidratio':
    case 'parentbased_traceidratio':
      return ratio >= 0 && ratio <= 1 ? { ratio, followsCaller: sampler !== 'traceidratio' } : undefined;
    default:
      return undefined;
  }
}

export const defaultSampling: Sampling = { ratio: defaultRatio, followsCaller: true };
