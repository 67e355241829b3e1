import type { ClusterClient } from '../../client/cluster-client.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { type ListOptions, listObjects } from './list-objects.ts';

/** How many single-namespace lists may stand in for forbidden cluster-wide ones, over all kinds. */
const budget = 2000;

export interface KnownNamespaces {
  readonly namespaces: readonly string[];
  /** Are these all that there are? */
  readonly all: boolean;
}

/**
 * The namespaces to look into when a user may not list a kind everywhere: all of them when they
 * may be listed, else the one in force. Asked for once, when first needed.
 */
export class NamespaceFallback {
  readonly #client: ClusterClient;
  readonly #types: ResourceTypes;
  readonly #options: ListOptions;
  #known: Promise<KnownNamespaces> | undefined;
  #left = budget;

  constructor(client: ClusterClient, types: ResourceTypes, options: ListOptions) {
    this.#client = client;
    this.#types = types;
    this.#options = options;
  }

  /** The namespaces to try for one more kind, the one in force first; fewer once the budget is spent. */
  async forNextKind(): Promise<KnownNamespaces> {
    this.#known ??= this.#list();
    const { namespaces, all } = await this.#known;
    const share = namespaces.slice(0, Math.max(this.#left, 1));
    this.#left -= share.length;
    return { namespaces: share, all: all && share.length === namespaces.length };
  }

  async #list(): Promise<KnownNamespaces> {
    const { namespace: current } = this.#client;
    const type = this.#types.find('v1', 'Namespace');
    if (!type) return { namespaces: [current], all: false };
    try {
      const { records } = await listObjects(this.#client, type, undefined, this.#options);
      const others = records.map(({ name }) => name).filter((name) => name !== current);
      return { namespaces: [current, ...others], all: true };
    } catch {
      // Whoever may not list namespaces is told so by the list of that kind itself.
      return { namespaces: [current], all: false };
    }
  }
}
