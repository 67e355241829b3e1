import type { PageData, PageObject, PageReference } from '../pages/page-data.ts';

/** An object where it is drawn: below one of its owners. */
export interface Branch {
  readonly object: PageObject;
  readonly parent: Branch | undefined;
  /** What leads from the parent to it. */
  readonly reference: PageReference | undefined;
  readonly children: readonly Branch[];
}

export interface Forest {
  readonly roots: readonly Branch[];
  readonly branches: ReadonlyMap<string, Branch>;
  /** To owners that an object is not drawn below: it has several, or they are a ring. */
  readonly across: readonly PageReference[];
}

interface Growing extends Branch {
  parent: Growing | undefined;
  reference: PageReference | undefined;
  readonly children: Growing[];
}

/** Objects below their owners, each once: below its controller, or else the first owner. Chains may be long: no recursion. */
export function forestOf({
  objects,
  references,
}: Pick<PageData, 'objects' | 'references'>): Forest {
  const branches = new Map<string, Growing>();
  for (const object of objects) {
    branches.set(object.id, { object, parent: undefined, reference: undefined, children: [] });
  }
  const known = references.filter(
    ({ owner, dependent }) => owner !== dependent && branches.has(owner) && branches.has(dependent),
  );
  for (const reference of known) {
    const branch = branches.get(reference.dependent);
    if (!branch || (branch.reference && (branch.reference.controller || !reference.controller)))
      continue;
    branch.reference = reference;
    branch.parent = branches.get(reference.owner);
  }
  const safe = new Set<Branch>();
  for (const branch of branches.values()) cutRing(branch, safe);
  const roots: Growing[] = [];
  for (const branch of branches.values()) (branch.parent?.children ?? roots).push(branch);
  const drawn = new Set([...branches.values()].map(({ reference }) => reference));
  return { roots, branches, across: known.filter((reference) => !drawn.has(reference)) };
}

/** In a ring, the first object becomes a root. */
function cutRing(start: Growing, safe: Set<Branch>): void {
  const seen = new Set<Growing>();
  for (let at: Growing | undefined = start; at && !safe.has(at); at = at.parent) {
    seen.add(at);
    const { parent } = at;
    if (!parent || !seen.has(parent)) continue;
    parent.parent = undefined;
    parent.reference = undefined;
    break;
  }
  for (const branch of seen) safe.add(branch);
}

/** A branch and all below it. */
export function withDescendants(start: Branch): Branch[] {
  const all: Branch[] = [start];
  for (const { children } of all) for (const child of children) all.push(child);
  return all;
}
