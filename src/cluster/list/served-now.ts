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
export function servedNow(client: ClusterClient, options: GetOptions) {
  const gone = new Set<string>();
  let asked: Promise<ResourceTypes | undefined> | undefined;
  const ask = () =>
    discover(client, options).then(
      ({ types }) => types,
      (error: unknown) => {
        if (isGcError(error)) return undefined;
        throw error;
      },
    );
  return {
    /** Is the kind served in no version any more? Where discovery does not say, it may be. */
    async isGone(type: ResourceType): Promise<boolean> {
      asked ??= ask();
      const types = await asked;
      const resource = groupResourceOf(type);
      if (!types || types.versions(resource).length > 0) return false;
      if (types.failed.some((failure) => isAbout(failure, type.group))) return false;
      gone.add(resource);
      return true;
    },
    /** The same kinds without those that were found to be gone. */
    stillServed(types: ResourceTypes): ResourceTypes {
      if (gone.size === 0) return types;
      const left = types.all.filter((type) => !gone.has(groupResourceOf(type)));
      return new ResourceTypes(left, types);
    },
  };
}

export type ServedNow = ReturnType<typeof servedNow>;
