import type { ClusterView } from '../../collectors/cluster-view.ts';
import type { KnownPart } from '../known-part.ts';
import type { World } from '../world.ts';

/** What collectors see of a run: always the present state, nothing is copied beforehand. */
export function viewOfState({ state, hasNodes }: World, known: KnownPart): ClusterView {
  return {
    all: (resource) => [...state.ofResource(resource)].filter(({ uid }) => uid !== ''),
    in: (resource, namespace) =>
      [...state.ofResource(resource, namespace)].filter(({ uid }) => uid !== ''),
    at: (resource, namespace, name) => state.at(resource, namespace, name),
    covers: (resource, namespace, name) => {
      // A picture without any Node leaves open which there are.
      if (resource === 'nodes' && !hasNodes) return false;
      const type = state.types.versions(resource)[0];
      if (type === undefined) return true;
      return name === '' ? known.sawKind(type, namespace) : known.covers(type, namespace, name);
    },
  };
}
