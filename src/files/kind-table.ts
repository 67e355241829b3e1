import { compareText } from '../kube/names.ts';
import type { ObjectRecord, Place } from '../kube/object-record.ts';
import {
  apiVersionOf,
  groupResourceOf,
  guessPlural,
  parseApiVersion,
  type ResourceType,
} from '../kube/resource-type.ts';
import { ResourceTypes } from '../kube/resource-types.ts';
import type { CoverageProblem } from '../snapshot/coverage.ts';
import { compareVersions } from './crd-types.ts';

/**
 * What the input shows of one apiVersion and kind. Objects of saved snapshots, which describe their kinds, are not
 * counted.
 */
interface SeenKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** What its records carry while reading. */
  readonly type: ResourceType;
  readonly first: Place;
  objects: number;
  namespaced: boolean;
  /** An object of it was stored by an API server: then a missing namespace is a fact. */
  stored: boolean;
}

export interface ResolvedKinds {
  readonly types: ResourceTypes;
  /** The type that a record must carry, by the one it carries. */
  readonly finalType: (type: ResourceType) => ResourceType;
  readonly problems: readonly CoverageProblem[];
}

/**
 * The kinds an input serves. A CustomResourceDefinition may stand behind its objects, so records
 * get a provisional type, which keeps their namespace, until everything was read.
 */
export class KindTable {
  readonly #builtIn: ResourceTypes;
  readonly #saved: ResourceTypes[] = [];
  readonly #defined = new Map<string, ResourceType>();
  readonly #seen = new Map<string, SeenKind>();

  constructor(builtIn: readonly ResourceType[]) {
    this.#builtIn = new ResourceTypes(builtIn, { exhaustive: false });
  }

  /** Types of a saved snapshot. */
  addSaved(types: ResourceTypes): void {
    this.#saved.push(types);
  }

  /** Types that a CustomResourceDefinition serves. */
  define(types: readonly ResourceType[]): void {
    for (const type of types) this.#defined.set(typeKey(type), type);
  }

  /** What is seen of a kind, which was met at this place. */
  seen(apiVersion: string, kind: string, place: Place): SeenKind {
    const key = `${apiVersion} ${kind}`;
    const before = this.#seen.get(key);
    if (before) return before;
    const [described] = [...this.#saved, this.#builtIn].flatMap(
      (table) => table.find(apiVersion, kind) ?? [],
    );
    const type = described ?? inferType(apiVersion, kind, true);
    const counts = { objects: 0, namespaced: false, stored: false };
    const seen = { apiVersion, kind, type, first: place, ...counts };
    this.#seen.set(key, seen);
    return seen;
  }

  /** Everything was read. */
  resolve(): ResolvedKinds {
    const known = this.#known();
    const final = new Map<ResourceType, ResourceType>();
    const inferred: ResourceType[] = [];
    const problems: CoverageProblem[] = [];
    for (const seen of this.#seen.values()) {
      const { apiVersion, kind } = seen;
      let type = known.find(apiVersion, kind);
      if (!type) {
        type = this.#otherVersion(known, seen) ?? inferType(apiVersion, kind, seen.namespaced);
        inferred.push(type);
        const isSure = seen.namespaced || seen.stored || type.namespaced;
        if (!isSure) problems.push(guessedScope(seen, type));
      }
      final.set(seen.type, type);
    }
    inferred.sort(byTypeName);
    const types = new ResourceTypes([...known.all, ...inferred], {
      failed: this.#saved.flatMap(({ failed }) => failed),
      exhaustive: this.#saved.length > 0 && this.#saved.every(({ exhaustive }) => exhaustive),
    });
    return { types, finalType: (type) => final.get(type) ?? type, problems };
  }

  /** The described types: a snapshot's own, else the built-in ones; and those of definitions. */
  #known(): ResourceTypes {
    const described = new Map<string, ResourceType>();
    const bases = this.#saved.length > 0 ? this.#saved : [this.#builtIn];
    const defined = [...this.#defined.values()].sort(byTypeName);
    for (const type of [...bases.flatMap(({ all }) => all), ...defined]) {
      const key = typeKey(type);
      if (!described.has(key)) described.set(key, type);
    }
    return new ResourceTypes([...described.values()], { exhaustive: false });
  }

  /** The same kind in a version that is not served (any more): its name and scope are no guess. */
  #otherVersion(known: ResourceTypes, { apiVersion, kind }: SeenKind): ResourceType | undefined {
    const parsed = parseApiVersion(apiVersion);
    if (!parsed) return undefined;
    const { group, version } = parsed;
    const other = known.ofKind(group, kind) ?? this.#builtIn.ofKind(group, kind);
    return other && { ...other, version };
  }
}

function typeKey(type: ResourceType): string {
  return `${apiVersionOf(type)} ${type.resource}`;
}

function byTypeName(a: ResourceType, b: ResourceType): number {
  return (
    compareText(a.group, b.group) ||
    compareText(a.resource, b.resource) ||
    compareVersions(b.version, a.version)
  );
}

function guessedScope(seen: SeenKind, type: ResourceType): CoverageProblem {
  const { apiVersion, kind, first, objects } = seen;
  const which = objects === 1 ? 'the only object' : `none of the ${objects} objects`;
  const has = objects === 1 ? 'has no namespace' : 'has a namespace';
  return {
    reason: 'unknown-kind',
    message:
      `${first.path}:${first.line}: nothing in the input defines ${apiVersion} ${kind}; ` +
      `inferred to be cluster-scoped, as ${which} ${has}`,
    resource: groupResourceOf(type),
    apiVersion,
    ...first,
  };
}

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** A type that nothing describes, from what an object says. The plural is a guess. */
function inferType(apiVersion: string, kind: string, namespaced: boolean): ResourceType {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: apiVersion };
  return {
    group,
    version,
    kind,
    resource: guessPlural(kind),
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced,
    verbs,
  };
}

/** Gives records their final type in place: nothing else has them yet. */
export function giveTypes(
  records: readonly ObjectRecord[],
  finalType: (type: ResourceType) => ResourceType,
): void {
  for (const record of records) {
    const type = finalType(record.type);
    if (type === record.type) continue;
    const own: { -readonly [Field in keyof ObjectRecord]: ObjectRecord[Field] } = record;
    own.type = type;
    if (!type.namespaced) own.namespace = '';
  }
}
