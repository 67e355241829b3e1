import { isGcError } from '../../errors.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { isAbout, ResourceTypes } from '../../kube/resource-types.ts';
import type { ClusterClient } from '../connection/cluster-client.ts';
import type { GetOptions } from '../get.ts';
import { discover } from './discover.ts';

/**
 * What a server serves by now, asked once for all lists of a reading that were not found: a definition
 * that is deleted meanwhile takes its kind along, and all objects of it.
 */
export class ServedNow {
  readonly #client: ClusterClient;
  readonly #options: GetOptions;
  readonly #gone = new Set<string>();
  #types: Promise<ResourceTypes | undefined> | undefined;

  constructor(client: ClusterClient, options: GetOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Is the kind served in no version any more? Where discovery does not say, it may be. */
  async isGone(type: ResourceType): Promise<boolean> {
    this.#types ??= this.#ask();
    const types = await this.#types;
    const resource = groupResourceOf(type);
    if (!types || types.versions(resource).length > 0) return false;
    if (types.failed.some((failure) => isAbout(failure, type.group))) return false;
    this.#gone.add(resource);
    return true;
  }

  /** The same kinds without those that were found to be gone. */
  stillServed(types: ResourceTypes): ResourceTypes {
    if (this.#gone.size === 0) return types;
    const left = types.all.filter((type) => !this.#gone.has(groupResourceOf(type)));
    return new ResourceTypes(left, types);
  }

  async #ask(): Promise<ResourceTypes | undefined> {
    try {
      return (await discover(this.#client, this.#options)).types;
    } catch (error) {
      if (isGcError(error)) return undefined;
      throw error;
    }
  }
}
