import type { ObjectRecord, OwnerReference } from '../../src/kube/object-record.ts';
import type { Build } from './builders.ts';

/** Puts the objects of one case where those of no other case are. */
export interface Stage {
  /** An object in the case's own namespace. */
  here(build: Build, name: string, references?: readonly OwnerReference[]): ObjectRecord;
  /** An object in a second namespace. */
  elsewhere(build: Build, name: string): ObjectRecord;
}

/** A stage called `title`; cluster-scoped objects have its name in front of their own. */
export function stageOf(title: string): Stage {
  function put(
    build: Build,
    name: string,
    namespace: string,
    references: readonly OwnerReference[],
  ) {
    const plain = build(name, { namespace, ownerReferences: references });
    return plain.type.namespaced
      ? plain
      : build(`${title}-${name}`, { ownerReferences: references });
  }
  return {
    here: (build, name, references = []) => put(build, name, title, references),
    elsewhere: (build, name) => put(build, name, `${title}-elsewhere`, []),
  };
}
