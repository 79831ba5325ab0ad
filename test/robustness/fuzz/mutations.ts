import type { Random } from './random.ts';

/** Texts that are known to break software. */
const evilTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfff',
  '\ufeff',
  '\u202e',
  'é',
  'e\u0301',
  '🙂'.repeat(600),
  'x'.repeat(1_024),
  'x'.repeat(1_025),
  'x'.repeat(70_000),
  '\n',
  '\r\n',
  "' or 1=1 --",
  '%',
  '%00',
  '*',
  '[a-z]*?',
  '../../etc/passwd',
  '$(id)',
  '{{7*7}}',
  '__proto__',
  'constructor',
  'null',
  'true',
  '-1',
  '0',
  '1e309',
  '9007199254740993',
  '2026-02-30T00:00:00Z',
  '2026-01-01T00:00:00+99:99',
  '+275760-09-13T00:00:00.001Z',
  '0000-01-01T00:00:00Z',
  '2026-01-01',
] as const;

const evilValues = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  -1e-308,
  2 ** 53,
  [],
  {},
  [[]],
  [null],
  { error: { error: {} } },
] as const;

export function evilText(random: Random): string {
  return random.pick(evilTexts);
}

/** Corrupts one place of a JSON value, or none. */
export function mutateValue(random: Random, value: unknown): unknown {
  if (random.chance(0.25)) return random.chance(0.5) ? evilText(random) : random.pick(evilValues);
  if (Array.isArray(value)) return mutateArray(random, value);
  if (typeof value === 'object' && value !== null) return mutateObject(random, { ...value });
  return random.chance(0.5) ? evilText(random) : nest(random, value);
}

function mutateArray(random: Random, list: readonly unknown[]): unknown[] {
  if (random.chance(0.2)) return Array.from({ length: 1 + random.below(1_200) }, () => list[0] ?? 'x');
  const place = random.below(list.length + 1);
  return [...list.slice(0, place), mutateValue(random, list[place]), ...list.slice(place + 1)];
}

function mutateObject(random: Random, value: Record<string, unknown>): Record<string, unknown> {
  const name = random.pickAny(Object.keys(value));
  switch (random.below(4)) {
    case 0:
      if (name !== undefined) delete value[name];
      return value;
    case 1:
      return { ...value, [evilText(random)]: mutateValue(random, 'more') };
    case 2:
      return name === undefined ? value : { ...value, [`${name}s`]: value[name] };
    default:
      return name === undefined ? value : { ...value, [name]: mutateValue(random, value[name]) };
  }
}

function nest(random: Random, value: unknown): unknown {
  let nested = value;
  for (let depth = random.below(60); depth > 0; depth -= 1)
    nested = random.chance(0.5) ? [nested] : { a: nested };
  return nested;
}

/** Corrupts JSON as a text, or leaves it as it is. */
export function mutateJson(random: Random, text: string): string {
  const place = random.below(text.length + 1);
  switch (random.below(6)) {
    case 0:
      return text.slice(0, place);
    case 1:
      return `${text}${random.pick(['', ' ', '{}', ',', '\0', '//', '\ufeff'])}`;
    case 2:
      return `\ufeff${text}`;
    case 3:
      return (
        text.slice(0, place) + random.pick(['"', '\\', '{', ']', ',', ':', '\u0007', 'é']) + text.slice(place)
      );
    case 4:
      return text.replace('{', '{"error":"twice","name":"twice",');
    default:
      return text;
  }
}

/** Corrupts bytes in one to four places. */
export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  let mutated = bytes;
  for (let times = 1 + random.below(4); times > 0; times -= 1) {
    const place = random.below(mutated.length + 1);
    const end = place + random.below(8);
    const before = mutated.subarray(0, place);
    switch (random.below(6)) {
      case 0:
        mutated = Buffer.concat([before, random.bytes(1 + random.below(4)), mutated.subarray(place)]);
        break;
      case 1:
        mutated = Buffer.concat([before, mutated.subarray(end)]);
        break;
      case 2:
        mutated = Buffer.concat([before, random.bytes(end - place), mutated.subarray(end)]);
        break;
      case 3:
        mutated = Buffer.concat([before, mutated.subarray(place, end), mutated.subarray(place)]);
        break;
      case 4:
        mutated = Buffer.concat([
          before,
          Buffer.from(random.pick(['\r\n', '\n', '\0', ' ', ':', ',', '%', '\r\n\r\n'])),
          mutated.subarray(place),
        ]);
        break;
      default:
        mutated = before;
    }
  }
  return mutated;
}
