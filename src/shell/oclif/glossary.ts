/** A word of our output: what it means, and a command that prints it. `kubectl gc help CONCEPT` and docs/glossary.md. */
export interface Concept {
  readonly title: string;
  readonly text: readonly string[];
  readonly usage: string;
}

export const glossary: Readonly<Record<string, Concept>> = {
  states: {
    title: 'States of an object',
    text: [
      'not being deleted: no deletion was requested.',
      'will be collected: the garbage collector deletes it in its next pass.',
      'overdue: the garbage collector should have deleted it already.',
      'in progress: it is being deleted, and the controller that must act is at work.',
      'stuck: it is being deleted, and there is proof that no controller or program acts.',
      'might be stuck: it is being deleted, and it could not be determined who acts.',
      'does not exist: the API server has no such object.',
      'In JSON and YAML: alive, collectable, overdue, progressing, stuck, unknown, absent.',
    ],
    usage: 'kubectl gc why TYPE/NAME',
  },
  results: {
    title: 'Results of a deletion',
    text: [
      'will be deleted: it is deleted, and nothing that was read blocks that.',
      'stuck, then deleted: it is marked as being deleted now, and deleted once the finalizers that block it are removed.',
      'stays, then deleted: nothing happens to it now; it is deleted once finalizers of other objects are removed.',
      'likely deleted: a program deletes it, if that program runs.',
      'will be recreated: it is deleted, and its controller creates another one.',
      'will be stuck: no controller of Kubernetes and no program that was found removes its finalizers.',
      'unknown: what decides was not read, or depends on an order that nothing fixes. It counts as one that may be deleted.',
      'A program is an operator or another client that is no part of Kubernetes.',
    ],
    usage: 'kubectl gc delete TYPE/NAME --preview',
  },
  step: {
    title: 'Step',
    text: [
      'The distance of an object from the targets of a deletion. Targets have step 0, their dependents step 1.',
      'An object of a later step is deleted after an object of the step before. The field in documents is wave.',
    ],
    usage: 'kubectl gc delete TYPE/NAME --preview',
  },
  coverage: {
    title: 'Coverage',
    text: [
      'The resource types and objects that could be read, and the problems with the others.',
      'An object that was not read is unknown. It never counts as absent, and it never leads to a deletion.',
      'complete: true means that everything was read that the answer counts.',
    ],
    usage: 'kubectl gc status -o yaml',
  },
  finalizers: {
    title: 'Finalizers',
    text: [
      'Names in metadata.finalizers. The API server removes an object only when its list is empty.',
      'A controller or program removes its name after its clean-up. Without that program the deletion is stuck.',
      'Evidence of who removes a finalizer is a proof, a hint (name, image, domain) or a possibility (permissions).',
    ],
    usage: 'kubectl gc why TYPE/NAME',
  },
  collectable: {
    title: 'Collectable',
    text: [
      'No owner of the object exists, so the garbage collector deletes it in its next pass.',
      'It is overdue where a working garbage collector should have deleted it.',
    ],
    usage: 'kubectl gc orphans -A',
  },
  orphan: {
    title: 'Orphan',
    text: [
      'In Kubernetes: an object whose owner reference was removed by a deletion with propagationPolicy Orphan.',
      'As people use it, and as the command orphans lists it: an object whose owner does not exist.',
      'An object without owner references is unmanaged; orphans --unmanaged lists these.',
    ],
    usage: 'kubectl gc orphans -A --unmanaged',
  },
  'owner-references': {
    title: 'Owner references',
    text: [
      'Entries of metadata.ownerReferences: apiVersion, kind, name and uid of an owner.',
      'An owner is in the same namespace, or cluster-scoped. The uid decides, not the name.',
      'blockOwnerDeletion: true blocks a foreground deletion of the owner until the dependent is deleted.',
    ],
    usage: 'kubectl gc owners TYPE/NAME',
  },
  controller: {
    title: 'Controller',
    text: [
      'A loop that watches objects, and deletes or changes some: of kube-controller-manager, or of the kubelet (image-gc, container-gc).',
      'garbage-collector and pod-garbage-collector (podgc for short) are two of them.',
      'The flag --collector and the field collector of documents name the controller.',
    ],
    usage: 'kubectl gc forecast',
  },
  cascade: {
    title: 'Cascading deletion',
    text: [
      'background: the object is removed, then the garbage collector deletes its dependents (default).',
      'foreground: dependents that block are deleted first, then the object.',
      'orphan: the dependents remain without this owner.',
    ],
    usage: 'kubectl gc delete TYPE/NAME --compare',
  },
};

/** Names people type for a concept, besides its own. */
const otherNames: Readonly<Record<string, string>> = {
  state: 'states',
  stuck: 'states',
  wave: 'step',
  steps: 'step',
  finalizer: 'finalizers',
  collected: 'collectable',
  overdue: 'collectable',
  orphaned: 'orphan',
  collector: 'controller',
  podgc: 'controller',
  ownerreferences: 'owner-references',
  cascading: 'cascade',
};

export function conceptOf(word: string): Concept | undefined {
  const name = word.toLowerCase();
  return glossary[otherNames[name] ?? name];
}
