const kindField = /(?:^\s*(?:-\s+)?|[{,]\s*)["']?kind["']?\s*:\s*["']?([A-Z][A-Za-z0-9]*)/gm;

/**
 * The kinds of which an object may have been in a part of the input that could not be read:
 * that such an object is missing is no fact.
 */
export class LostKinds {
  readonly #kinds = new Set<string>();
  #anything = false;

  addKind(kind: string): void {
    this.#kinds.add(kind);
  }

  /** The kinds that a text names which does not parse: those of owners too, to be on the safe side. */
  addNamedIn(text: string): void {
    for (const [, kind] of text.matchAll(kindField)) {
      if (kind !== undefined) this.addKind(kind.replace(/(?<=.)List$/, ''));
    }
  }

  addAnything(): void {
    this.#anything = true;
  }

  has(kind: string): boolean {
    return this.#anything || this.#kinds.has(kind);
  }
}
