const maxShapes = 500;

export interface NumberMaskerOptions {
  /** Maximum number of different texts that differ only in their numbers. */
  readonly maxVariants: number;
}

/**
 * Masks unknown volatile numbers: after many texts that differ only in numbers, all numbers of further ones are replaced
 * by `<n>`, so that they are equal.
 */
export class NumberMasker {
  readonly #maxVariants: number;
  readonly #variantsByShape = new Map<string, Set<string>>();

  constructor({ maxVariants }: NumberMaskerOptions) {
    this.#maxVariants = maxVariants;
  }

  mask(text: string): string {
    const shape = text.replace(/\d+/g, '<n>');
    if (shape === text) return text;
    const variants = this.#variantsOf(shape);
    if (variants.has(text)) return text;
    if (variants.size >= this.#maxVariants) return shape;
    variants.add(text);
    return text;
  }

  #variantsOf(shape: string): Set<string> {
    const known = this.#variantsByShape.get(shape);
    if (known !== undefined) return known;
    if (this.#variantsByShape.size >= maxShapes) this.#variantsByShape.clear();
    const variants = new Set<string>();
    this.#variantsByShape.set(shape, variants);
    return variants;
  }
}
