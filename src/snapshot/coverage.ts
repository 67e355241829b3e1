import { kindsInWords } from '../kube/counts-by-kind.ts';
import type { ObjectLocation } from '../kube/object-reference.ts';
import { groupResourceOf, type ResourceType } from '../kube/resource-type.ts';
import type { FailedGroupVersion } from '../kube/resource-types.ts';

/** Why something could not be read. */
export type ProblemReason =
  | 'forbidden'
  | 'unavailable'
  | 'unlistable'
  | 'discovery-failed'
  | 'timed-out'
  | 'unreadable'
  | 'not-an-object'
  | 'unknown-kind'
  | 'no-uid'
  | 'duplicate-uid'
  | 'truncated'
  | 'not-in-input';

/** One thing that was not read, or not read in full. */
export interface CoverageProblem {
  readonly reason: ProblemReason;
  /** One sentence for people, naming what and why. */
  readonly message: string;
  /** `deployments.apps`, when the problem is about a kind. */
  readonly resource?: string;
  readonly apiVersion?: string;
  readonly namespace?: string;
  /** The object, when the problem is about one. */
  readonly name?: string;
  /** What was asked of the server, and with which HTTP status it answered, when it did. */
  readonly verb?: 'get' | 'list';
  readonly status?: number;
  /** The context of the cluster, in a report on several. */
  readonly cluster?: string;
  /** File and 1-based line, when it is about a document. */
  readonly path?: string;
  readonly line?: number;
  /** In a plan: the user may neither list nor create this kind, it contains no data, and it does not stop the deletion. */
  readonly setAside?: true;
}

/** A problem in words and, where several clusters were read, its cluster. */
export function problemText({ cluster, message }: CoverageProblem): string {
  return ofCluster(cluster, message);
}

/** A problem of the time when a file was saved: the server may answer now. */
export function problemWhenSaved(problem: CoverageProblem, file: string): CoverageProblem {
  if (!ofServer.has(problem.reason)) return problem;
  const message = problem.message
    .replace(' is not answering', ' was not answering')
    .replace(/^cannot /, 'could not ');
  return { ...problem, message: `${message} (when ${file} was saved)` };
}

const ofServer: ReadonlySet<ProblemReason> = new Set([
  'unavailable',
  'discovery-failed',
  'timed-out',
]);

/** A line about one cluster; undefined where there is only one. */
export function ofCluster(cluster: string | undefined, line: string): string {
  return cluster === undefined ? line : `${cluster}: ${line}`;
}

/** A group version whose kinds are unknown, as a gap in what was read. */
export function discoveryProblem(failure: FailedGroupVersion): CoverageProblem {
  const { group, version, message } = failure;
  const apiVersion = group === '' ? version : version === undefined ? group : `${group}/${version}`;
  return {
    reason: 'discovery-failed',
    message,
    ...(apiVersion === undefined ? {} : { apiVersion }),
  };
}

/** A kind that was read in full: in every namespace (`namespaces` undefined) or in those. */
export interface ReadKind {
  /** `deployments.apps`. */
  readonly resource: string;
  readonly namespaces?: readonly string[];
}

/**
 * What a snapshot covers. An object outside of it is *unknown*; only inside of it is absence a
 * fact.
 */
export interface Coverage {
  readonly read: readonly ReadKind[];
  /** Single objects that were requested by name and for which an answer came: found or 404. */
  readonly asked: readonly AskedObject[];
  readonly problems: readonly CoverageProblem[];
}

export interface AskedObject {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

export function askedOf({ type, namespace, name }: ObjectLocation): AskedObject {
  return { resource: groupResourceOf(type), namespace, name };
}

/** Where a kind was read in full: in these namespaces, or everywhere. */
export type ReadIn = ReadonlySet<string> | 'everywhere';

/** Where each kind was read, in the order of the first mention; everywhere beats some namespaces. */
export function placesRead(read: readonly ReadKind[]): Map<string, ReadIn> {
  const places = new Map<string, ReadIn>();
  for (const { resource, namespaces } of read) {
    const before = places.get(resource) ?? [];
    const isWhole = before === 'everywhere' || namespaces === undefined;
    places.set(resource, isWhole ? 'everywhere' : new Set([...before, ...namespaces]));
  }
  return places;
}

const indexes = new WeakMap<Coverage, CoverageIndex>();

/** The index of what a snapshot covers, made once for all who ask. */
export function coverageIndexOf(coverage: Coverage): CoverageIndex {
  const index = indexes.get(coverage) ?? new CoverageIndex(coverage);
  indexes.set(coverage, index);
  return index;
}

/** Answers whether the absence of an object is a fact. */
class CoverageIndex {
  readonly #read: ReadonlyMap<string, ReadIn>;
  readonly #asked = new Set<string>();

  constructor(coverage: Coverage) {
    this.#read = placesRead(coverage.read);
    for (const { resource, namespace, name } of coverage.asked) {
      this.#asked.add(`${resource} ${namespace} ${name}`);
    }
  }

  /** Would this object be in the snapshot if it existed? */
  covers(type: ResourceType, namespace: string, name: string): boolean {
    const resource = groupResourceOf(type);
    return this.coversKind(type, namespace) || this.#asked.has(`${resource} ${namespace} ${name}`);
  }

  /** Were all objects of this kind read? */
  coversEverywhere(type: ResourceType): boolean {
    return this.#read.get(groupResourceOf(type)) === 'everywhere';
  }

  /** Were all objects of this kind in this namespace read? */
  coversKind(type: ResourceType, namespace: string): boolean {
    const read = this.#read.get(groupResourceOf(type));
    return read === 'everywhere' || (read?.has(namespace) ?? false);
  }
}

export type { CoverageIndex };

/** How the message of a problem with the reason not-in-input begins where the input has some of a kind. */
export const notAll = 'the input does not show all ';

/** What the input lacks, in words; the problems are those with the reason not-in-input. */
export function lackingKinds(problems: readonly CoverageProblem[]): string {
  const kinds = kindsInWords([...new Set(problems.map(({ resource = '' }) => resource))]);
  const isPartly = problems.some(({ message }) => message.startsWith(notAll));
  return `${isPartly ? notAll : 'the input has no '}${kinds}`;
}
