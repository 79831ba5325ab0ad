import { describe, expect, it } from 'vitest';
import { readSource } from '../architecture/source-files.ts';
import { onigmoPattern, takesTag } from './onigmo-pattern.ts';
import { pageConfigurationNames, pageConfigurations } from './page.ts';
import { splitOnce } from './split-values.ts';

const page = readSource('docs/fluent-bit.md');

describe('the patterns of the page', () => {
  it.each(pageConfigurationNames)('compile and match something (%s)', (name) => {
    const patterns = pageConfigurations[name].flatMap(({ properties }) =>
      properties.flatMap(([key, value]) =>
        key === 'regex' || key === 'exclude' ? [splitOnce(value)[1]] : [],
      ),
    );
    expect(patterns.length).toBeGreaterThan(10);
    // A pattern that matches the empty text would match every line.
    for (const pattern of patterns)
      expect([pattern, onigmoPattern(pattern).test('')]).toEqual([pattern, false]);
  });

  it('keep the records of Muster away from an output of the user, and nothing else', () => {
    const patterns = [...page.matchAll(/`match_regex ([^`]+)`/g)].map(([, pattern = '']) => pattern);
    expect(patterns).toHaveLength(1);
    const [pattern = ''] = patterns;
    for (const tag of ['muster', 'muster_heartbeat'])
      expect([tag, takesTag(pattern, tag)]).toEqual([tag, false]);
    for (const tag of ['app.logs', 'kube.var.log', 'm', 'muster.2', 'musterling', 'my_muster'])
      expect([tag, takesTag(pattern, tag)]).toEqual([tag, true]);
  });

  it('count a match only if it has a character, as Fluent Bit does', () => {
    expect(takesTag('^(?!muster(_heartbeat)?$)', 'app.logs')).toBe(false);
    expect(takesTag('logs', 'app.logs')).toBe(false);
    expect(takesTag('.*logs', 'app.logs')).toBe(true);
  });
});
