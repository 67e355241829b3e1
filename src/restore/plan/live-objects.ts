import type { KubeObject } from '../../kube/record-codec.ts';
import { type Coordinates, keyOf } from '../backup/saved-object.ts';

/** What a GET met. */
export type Found =
  | { readonly found: 'object'; readonly manifest: KubeObject }
  | { readonly found: 'nothing' }
  | { readonly found: 'unknown'; readonly message: string };

const notAsked: Found = { found: 'unknown', message: 'nobody has looked' };
const nothing: Found = { found: 'nothing' };

/** What is in the cluster now, where it matters for a restoration. */
export class LiveObjects {
  readonly #found = new Map<string, Found>();

  set(at: Coordinates, found: Found): void {
    this.#found.set(keyOf(at), found);
  }

  /** What was not requested is unknown, never absent. */
  at(coordinates: Coordinates): Found {
    return this.#found.get(keyOf(coordinates)) ?? notAsked;
  }

  /** Why some places could not be read; each reason once. */
  problems(): string[] {
    const found = [...this.#found.values()];
    return [...new Set(found.flatMap((one) => (one.found === 'unknown' ? one.message : [])))];
  }

  /** Kinds that are not served yet have no objects. */
  setAbsent(at: Coordinates): void {
    this.set(at, nothing);
  }
}

export function uidOf({ metadata }: KubeObject): string {
  return String(metadata.uid ?? '');
}

export function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}
