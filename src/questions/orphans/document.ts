import { accountAnnotation } from '../../controllers/credentials/serviceaccount-token.ts';
import { type Action, type Judgement, judge } from '../../controllers/garbage-collector/judge.ts';
import { leftWithoutReference } from '../../controllers/left-without-reference.ts';
import { silentHomeOf, unconfirmedOn } from '../../controllers/nodes/silent-node.ts';
import { lostSubjectsIn } from '../../deletion/remarks/lost-subjects.ts';
import { type Use, usesIn } from '../../deletion/remarks/uses.ts';
import { applicationNamedIn } from '../../delivery/argo.ts';
import { generationsIn } from '../../delivery/generations.ts';
import { revisionNamedIn } from '../../delivery/helm.ts';
import { leftoversIn } from '../../delivery/leftovers.ts';
import type { Mentions } from '../../delivery/mentions.ts';
import { operatorOf } from '../../delivery/olm.ts';
import { appliedBy } from '../../delivery/tools.ts';
import { picked } from '../../kube/json-value.ts';
import { compareText } from '../../kube/names.ts';
import {
  isBeingDeleted,
  type ObjectRecord,
  type OwnerReference,
} from '../../kube/object-record.ts';
import { type ObjectReference, referenceTo } from '../../kube/object-reference.ts';
import { groupResourceOf, isMonitored } from '../../kube/resource-type.ts';
import { isNode, isPod } from '../../kube/well-known-kinds.ts';
import { classifyReference, type ReferenceClass } from '../../snapshot/graph/classify-reference.ts';
import type { Graph } from '../../snapshot/graph/graph.ts';
import { type CountedObjects, countingHead, type DocumentHead } from '../../snapshot/snapshot.ts';
import { type CollectorHealth, isOverdue } from '../../why/garbage-collector/collector-health.ts';
import type { GcVerdict } from '../owners/document.ts';
import { abandonedLeasesIn } from './abandoned-lease.ts';
import { isMadeByCluster } from './made-by-cluster.ts';

/** The state of an object's owners. */
type OwnersState =
  | 'gone'
  | 'partly-gone'
  | 'unresolvable'
  | 'unknown'
  | 'job-gone'
  | 'deployment-gone'
  | 'node-gone'
  | 'release-gone'
  | 'certificate-gone'
  | 'operator-gone'
  | 'holder-gone'
  | 'subjects-gone'
  | 'old-generation'
  | 'none';

/** `orphans`: objects whose owners do not exist, partly exist, or are unknown. */
export interface OrphansReport extends DocumentHead<'Orphans'> {
  readonly items: readonly Orphan[];
  /** What the garbage collector was seen to do with what it should delete or change; left out where that was not observed. */
  readonly garbageCollector?: CollectorHealth;
}

export interface Orphan {
  readonly object: ObjectReference;
  readonly owners: OwnersState;
  readonly references: readonly (Pick<OwnerReference, 'apiVersion' | 'kind' | 'name' | 'uid'> & {
    readonly class: ReferenceClass;
    readonly because: string;
  })[];
  /** What the garbage collector does, and when. */
  readonly gc: GcVerdict & { readonly when: string };
  /** Of a Pod that is deleted: what it waits for then. */
  readonly held?: string;
  /** Of a claim, a ConfigMap or a Secret without an owner: who uses it. */
  readonly use?: Use;
  readonly creationTimestamp?: string;
}

export interface OrphansOptions {
  /** What `scope` is about. */
  readonly counted?: CountedObjects;
  readonly scope?: (record: ObjectRecord) => boolean;
  /** Also objects without any owner that neither Kubernetes nor Helm, Argo, Flux and the like made. */
  readonly unmanaged?: boolean;
  /** Also generations of kustomize that no living object names. */
  readonly generations?: boolean;
  /** What was searched for names, for both. */
  readonly mentions?: Mentions | undefined;
}

/** What the garbage collector should have done with an object, by now. */
export function isDueNow({ gc }: Orphan): boolean {
  return gc.action === 'delete' || gc.action === 'patch';
}

/** The same with what was observed of the garbage collector. */
export function withCollector(
  report: OrphansReport,
  garbageCollector: CollectorHealth | undefined,
): OrphansReport {
  if (!garbageCollector) return report;
  const isLate = isOverdue(garbageCollector);
  const items = report.items.map((item) =>
    isLate && isDueNow(item) ? { ...item, gc: { ...item.gc, when: overdue } } : item,
  );
  return { ...report, items, garbageCollector };
}

/** The same with what holds Pods once they are deleted. `records`: these Pods and their Nodes, in full. */
export function withSilentNodes(
  report: OrphansReport,
  records: readonly ObjectRecord[],
): OrphansReport {
  const due = new Set(report.items.filter(isDueNow).map(({ object }) => object.uid));
  const pods = records.filter((record) => isPod(record) && due.has(record.uid));
  if (pods.length === 0) return report;
  const nodes = new Map(records.filter(isNode).map((node) => [node.name, node]));
  const held = new Map(
    pods.flatMap((pod) => {
      const node = silentHomeOf(pod, (name) => nodes.get(name));
      return node ? [[pod.uid, unconfirmedOn(node.name, true)] as const] : [];
    }),
  );
  const items = report.items.map((item) => {
    const why = item.gc.action === 'delete' ? held.get(item.object.uid) : undefined;
    return why === undefined ? item : { ...item, held: why };
  });
  return { ...report, items };
}

export const overdue = 'overdue';

export function orphansReport(graph: Graph, options: OrphansOptions = {}): OrphansReport {
  const { scope = () => true, counted, unmanaged = false, generations, mentions } = options;
  const { snapshot } = graph;
  const further: Further = {
    ...(unmanaged && {
      leftoverOf: leftoversIn(snapshot),
      abandonedLease: abandonedLeasesIn(snapshot),
      lostSubjects: lostSubjectsIn(snapshot, mentions?.bindings),
    }),
    ...(unmanaged && mentions && { useOf: usesIn(snapshot, mentions) }),
    ...(generations && mentions && { generationOf: generationsIn(snapshot, mentions) }),
  };
  const items: Orphan[] = [];
  const unverified = new Set(graph.unverifiedDependents());
  for (const record of snapshot.records) {
    // Nearly every object keeps its owner, and needs no judgement.
    const isKept = record.ownerReferences.length > 0 && !unverified.has(record);
    if (isKept || !scope(record)) continue;
    const found = orphanIn(graph, record, further);
    if (found) items.push(found);
  }
  return { ...countingHead('Orphans', snapshot, counted), items: items.sort(compareOrphans) };
}

/** What else is looked for among objects without an owner. */
interface Further {
  readonly leftoverOf?: ReturnType<typeof leftoversIn>;
  readonly abandonedLease?: ReturnType<typeof abandonedLeasesIn>;
  readonly lostSubjects?: ReturnType<typeof lostSubjectsIn>;
  readonly useOf?: ReturnType<typeof usesIn>;
  readonly generationOf?: ReturnType<typeof generationsIn>;
}

/** What is lost of the object's owners; undefined of one that has its owners, or that needs none. */
export function orphanIn(
  graph: Graph,
  record: ObjectRecord,
  further: Further = {},
): Orphan | undefined {
  return record.ownerReferences.length > 0
    ? orphanOf(graph, record)
    : ownerless(graph, record, further);
}

function orphanOf(graph: Graph, record: ObjectRecord): Orphan | undefined {
  if (!record.ownerReferences.some((reference) => isOwnerMissing(graph, record, reference))) {
    return undefined;
  }
  const judgement = judge(graph, record);
  const classes = new Set(judgement.references.map((reference) => reference.class));
  return orphanItem(record, ownersState(classes), judgement, whenOf[judgement.action] ?? 'never');
}

function isOwnerMissing(graph: Graph, record: ObjectRecord, reference: OwnerReference): boolean {
  const { class: found } = classifyReference(graph, record, reference);
  return found !== 'solid' && found !== 'waiting';
}

/**
 * A reference that freezes the object counts first, then an unknown one, then one whose owner is
 * gone.
 */
function ownersState(classes: ReadonlySet<ReferenceClass>): OwnersState {
  if (classes.has('unresolvable')) return 'unresolvable';
  if (classes.has('unknown')) return 'unknown';
  return classes.has('solid') || classes.has('waiting') ? 'partly-gone' : 'gone';
}

/** `leftoverOf`: where objects without any owner are listed as well, but for those that a tool manages. */
function ownerless(graph: Graph, record: ObjectRecord, further: Further): Orphan | undefined {
  const orphaned = leftWithoutReference(graph, record);
  if (orphaned) {
    const { owners, ...reason } = orphaned;
    return orphanItem(record, owners, { ...judge(graph, record), ...reason }, 'never');
  }
  const { leftoverOf, useOf } = further;
  // Nothing more is asked of most.
  if (!leftoverOf && !further.generationOf) return undefined;
  if (!isMonitored(record.type)) return undefined;
  const use = useOf?.(record);
  const used = use ? { use } : {};
  const left = isBeingDeleted(record) ? undefined : leftOf(record, further);
  if (left) {
    const { owners, because } = left;
    return {
      ...orphanItem(record, owners, { ...judge(graph, record), because }, 'never'),
      ...used,
    };
  }
  if (!leftoverOf || isMadeByCluster(record) || isManaged(record) || isKeptToken(graph, record))
    return undefined;
  const judgement = judge(graph, record);
  if (!isBeingDeleted(record)) {
    const because = further.lostSubjects?.(record);
    return because === undefined
      ? { ...orphanItem(record, 'none', judgement, 'never'), ...used }
      : orphanItem(record, 'subjects-gone', { ...judgement, because }, 'never');
  }
  const because = `${judgement.because}, and it is already being deleted`;
  return orphanItem(record, 'none', { ...judgement, action: 'terminating', because }, 'under way');
}

/** What shows that an object is a leftover. */
function leftOf(
  record: ObjectRecord,
  { leftoverOf, abandonedLease, generationOf }: Further,
): { readonly owners: OwnersState; readonly because: string } | undefined {
  const lease = abandonedLease?.(record);
  if (lease !== undefined) return { owners: 'holder-gone', because: lease };
  if (isMadeByCluster(record)) return undefined;
  return leftoverOf?.(record) ?? generationOf?.(record);
}

function orphanItem(
  record: ObjectRecord,
  owners: OwnersState,
  judgement: Judgement,
  when: string,
): Orphan {
  return {
    object: referenceTo(record),
    owners,
    references: judgement.references.map((classified) => ({
      ...picked(classified.reference, 'apiVersion', 'kind', 'name', 'uid'),
      ...picked(classified, 'class', 'because'),
    })),
    gc: { ...picked(judgement, 'action', 'policy', 'rule', 'because'), when },
    ...picked(record, 'creationTimestamp'),
  };
}

/** The garbage collector has no schedule: it acts as soon as it processes the object. */
const whenOf: Readonly<Partial<Record<Action, string>>> = {
  delete: 'on the next pass',
  patch: 'on the next pass',
  terminating: 'under way',
  unknown: 'unknown',
};

function compareOrphans({ object: a }: Orphan, { object: b }: Orphan): number {
  const [first] = (['namespace', 'kind', 'name', 'uid'] as const).filter(
    (key) => a[key] !== b[key],
  );
  return first ? compareText(a[first], b[first]) : 0;
}

/** Is it the token of a ServiceAccount that exists? It is deleted with that (SAT-5). */
function isKeptToken(graph: Graph, { type, namespace, annotations }: ObjectRecord): boolean {
  const account = annotations?.[accountAnnotation];
  const [accounts] = graph.snapshot.types.versions('serviceaccounts');
  if (account === undefined || !accounts || groupResourceOf(type) !== 'secrets') return false;
  return graph.at(accounts, namespace, account) !== undefined;
}

/** Does it carry the mark of a tool that manages it? */
function isManaged(record: ObjectRecord): boolean {
  const { labels, annotations } = record;
  return [
    appliedBy(record),
    // Copied from another object, as to what that one was split into.
    applicationNamedIn(record),
    operatorOf(record),
    revisionNamedIn(record),
    annotations?.['config.k8s.io/owning-inventory'],
    labels?.['app.kubernetes.io/managed-by'],
  ].some((mark) => mark !== undefined);
}
