import { meaningfulNumberRules } from '@muster/faults';

const maxShapes = 500;
/** Statuses, errno and ports of one failure are few. */
const maxMeanings = 50;

export interface NumberMaskerOptions {
  /** Maximum number of different texts that differ only in their numbers. */
  readonly maxVariants: number;
}

/**
 * Masks unknown volatile numbers: after many texts that differ only in numbers, the numbers of further ones are replaced by
 * `<n>`, so that they are equal. Numbers that say what happened (statuses, errno, ports of services) stay, unless they too
 * have many values.
 */
export class NumberMasker {
  readonly #maxVariants: number;
  readonly #shapes = new Map<string, Shape>();

  constructor({ maxVariants }: NumberMaskerOptions) {
    this.#maxVariants = maxVariants;
  }

  mask(text: string): string {
    const bare = text.replace(number, by);
    if (bare === text) return text;
    const { texts, meanings } = this.#shapeOf(bare);
    if (takes(texts, text, this.#maxVariants)) return text;
    const meaning = text.replace(number, (digits, ...[meaningful]: (string | undefined)[]) =>
      meaningful === undefined ? by : digits,
    );
    return takes(meanings, meaning, maxMeanings) ? meaning : bare;
  }

  #shapeOf(bare: string): Shape {
    const known = this.#shapes.get(bare);
    if (known !== undefined) return known;
    if (this.#shapes.size >= maxShapes) this.#shapes.clear();
    const shape = { texts: new Set<string>(), meanings: new Set<string>() };
    this.#shapes.set(bare, shape);
    return shape;
  }
}

/** What was passed of the texts that differ only in their numbers. */
interface Shape {
  readonly texts: Set<string>;
  /** Those whose other numbers are masked. */
  readonly meanings: Set<string>;
}

/** False when the text is new and there are enough others. */
function takes(variants: Set<string>, text: string, maxVariants: number): boolean {
  if (variants.has(text)) return true;
  if (variants.size >= maxVariants) return false;
  variants.add(text);
  return true;
}

const by = '<n>';

/** The port of a service. Higher ones are given to clients at random. */
const servicePort = String.raw`(?<=\b[pP]ort["']?[ =:]{1,2}["']?|\]:|\b\d{1,3}(?:\.\d{1,3}){3}:|\.[a-zA-Z]{2,30}:|\blocalhost:|:\/\/[\w.-]{1,80}:)(?:[12]?\d{1,4}|3[01]\d{3}|32[0-7]\d{2})(?![\w.])`;

/** The group is a number that says what happened. */
const number = new RegExp(
  String.raw`(${meaningfulNumberRules.map(({ match }) => match.source).join('|')}|${servicePort})|\d+`,
  'g',
);
