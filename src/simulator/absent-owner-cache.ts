import type { Identity } from './ownership-node.ts';

const capacity = 500;

/** The last 500 owners that were looked up in vain, under all their coordinates (GC-12). */
export class AbsentOwnerCache {
  readonly #known = new Set<string>();

  /** True when this was news. */
  add(identity: Identity): boolean {
    const key = keyOf(identity);
    const news = !this.#known.delete(key);
    this.#known.add(key);
    if (this.#known.size > capacity) {
      for (const oldest of this.#known) {
        this.#known.delete(oldest);
        break;
      }
    }
    return news;
  }

  has(identity: Identity): boolean {
    const key = keyOf(identity);
    if (!this.#known.delete(key)) return false;
    this.#known.add(key);
    return true;
  }
}

function keyOf({ apiVersion, kind, namespace, name, uid }: Identity): string {
  return `${uid} ${apiVersion} ${kind} ${namespace} ${name}`;
}
