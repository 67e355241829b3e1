import { type AuditOptions, audit } from '../../audit/audit.ts';
import {
  asCreated,
  findingsOfFiles,
  findingsOfManifests,
  isManifest,
} from '../../audit/unapplied-manifests.ts';
import { ownerLocations } from '../../cluster/list/look-up-owners.ts';
import type { SetAside } from '../../files/repository.ts';
import { byContent, type ObjectRecord } from '../../kube/object-record.ts';
import { locationKey } from '../../kube/object-reference.ts';
import { apiVersionOf, groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { ResourceTypes } from '../../kube/resource-types.ts';
import { auditReport } from '../../questions/audit/document.ts';
import { withControllers } from '../../settings/controller-settings.ts';
import { askedOf, type CoverageProblem } from '../../snapshot/coverage.ts';
import { buildGraph } from '../../snapshot/graph/graph.ts';
import { isolated } from '../../snapshot/isolated.ts';
import { inOrder, type Snapshot } from '../../snapshot/snapshot.ts';
import type { Link } from '../../why/chain.ts';
import { isDue } from '../../why/deletion-age.ts';
import type { Answer, Query } from '../../why/inquiry.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { nowOf } from '../input/clock.ts';
import { openFiles } from '../input/read-files.ts';
import { openSource, readSource } from '../input/read-question.ts';
import type { OpenedCluster, Session } from '../input/session.ts';
import type { FoundSettings } from '../settings/settings-in-files.ts';
import { withProgress } from '../terminal/progress.ts';
import type { ChosenAudit } from './audit-options.ts';
import { renderSource } from './render-sources.ts';

export interface Audited {
  readonly snapshot: Snapshot;
  /** The same as other questions take it, where manifests are read as manifests. */
  readonly asRead?: Snapshot;
  /** Is it a manifest that is not in any cluster yet? `-n` is its namespace, and leaves none of them out. */
  readonly isManifest: (record: ObjectRecord) => boolean;
  /** Only a namespace was read. */
  readonly narrowed: boolean;
  /** Manifests are compared with a cluster. */
  readonly against?: true;
  /** What lay in folders beside manifests. */
  readonly aside?: readonly SetAside[];
  /** What the cluster said of objects that are being deleted. */
  readonly deletions?: ReadonlyMap<ObjectRecord, Link> | undefined;
}

/** The files; or the cluster with spec and status, as a whole or around one namespace. */
export async function openAudited(
  flags: CommonFlags & { readonly render?: boolean },
  namespace: string | undefined,
  session: Session,
): Promise<Audited> {
  let aside: readonly SetAside[] = [];
  const source = await openSource({ ...flags, 'all-namespaces': true }, session, {
    keepsVariants: true,
    render: flags.render ? renderSource : undefined,
    onAside: (found) => {
      aside = found;
    },
  });
  const snapshot = await readSource(source, { namespace, facts: true, owners: true });
  const { cluster } = source;
  if (!cluster) {
    const manifests = asManifests(snapshot, flags);
    return { snapshot: manifests, asRead: snapshot, isManifest, narrowed: false, aside };
  }
  const narrowed = namespace !== undefined;
  const deletions = await askDeletions(cluster, snapshot, nowOf(flags, snapshot));
  return { snapshot, isManifest: () => false, narrowed, deletions };
}

/**
 * As `kubectl apply` takes them: `-n` is for those without a namespace, and none has a uid yet. They are
 * no list of a cluster: an owner of their kind may live there.
 */
function asManifests(snapshot: Snapshot, { namespace = '', complete }: CommonFlags): Snapshot {
  const problems = problemsOfManifests(snapshot);
  const records = snapshot.records.map((record) => {
    // A line of a saved snapshot is no place to put anything right.
    if (snapshot.evidence) return { ...record, place: undefined };
    return record.type.namespaced && record.namespace === '' && namespace !== ''
      ? { ...record, namespace }
      : record;
  });
  const notListed = new Set(records.filter(isManifest).map(({ type }) => groupResourceOf(type)));
  const read = snapshot.coverage.read.filter(
    ({ resource }) => complete || !notListed.has(resource),
  );
  return { ...snapshot, records, coverage: { ...snapshot.coverage, read, problems } };
}

/**
 * What of the problems of reading keeps an audit of files from being complete: not that manifests have
 * no uid before they are applied, nor the scope of a kind that has nothing to do with any owner.
 */
function problemsOfManifests({ records, types, coverage }: Snapshot): CoverageProblem[] {
  const concerned = new Set<ResourceType>();
  for (const { type, ownerReferences } of records) {
    if (ownerReferences.length > 0) concerned.add(type);
    for (const { apiVersion, kind } of ownerReferences) {
      const owner = types.find(apiVersion, kind);
      if (owner) concerned.add(owner);
    }
  }
  const resources = new Set([...concerned].map(groupResourceOf));
  return coverage.problems.filter(
    ({ reason, resource = '' }) =>
      reason !== 'no-uid' && (reason !== 'unknown-kind' || resources.has(resource)),
  );
}

/**
 * Manifests as if they were applied, among the objects of a cluster that matter for them: their owners,
 * namespaces and predecessors, each asked for by a GET.
 */
export async function openAgainstCluster(flags: CommonFlags, session: Session): Promise<Audited> {
  const files = await openFiles(flags, flags.from ?? []);
  const cluster = await session.clusterBesideFiles();
  return withProgress('Looking at the cluster', async () => {
    const { client } = cluster;
    const types = typesOnceApplied(files, cluster.types);
    const manifests = files.records.map((record) => {
      const type = types.find(apiVersionOf(record.type), record.type.kind) ?? record.type;
      return {
        ...record,
        type,
        namespace: type.namespaced ? record.namespace || client.namespace : '',
      };
    });
    const namespaces = types.find('v1', 'Namespace');
    const places = new Map<string, Pick<ObjectRecord, 'type' | 'namespace' | 'name'>>();
    const add = (place: Pick<ObjectRecord, 'type' | 'namespace' | 'name'>) => {
      if (cluster.types.find(apiVersionOf(place.type), place.type.kind))
        places.set(locationKey(place), place);
    };
    for (const record of manifests) {
      add(record);
      for (const owner of ownerLocations(record, types)) add(owner);
      if (namespaces && record.namespace !== '')
        add({ type: namespaces, namespace: '', name: record.namespace });
    }
    const [{ fromClusterObjects }, { withOwnersElsewhere }] = await Promise.all([
      import('../../cluster/list/get-objects.ts'),
      import('../../cluster/list/owners-elsewhere.ts'),
    ]);
    const asked = await fromClusterObjects(client, cluster, [...places.values()]);
    const live = await withOwnersElsewhere(client, asked, manifests);
    return applied(files, manifests, live, types);
  });
}

/** What the cluster serves, and what the manifests' own definitions will make it serve. */
function typesOnceApplied({ records, types }: Snapshot, served: ResourceTypes): ResourceTypes {
  const definitions = new Set(
    records.filter(({ type }) => type.kind === 'CustomResourceDefinition').map(({ name }) => name),
  );
  const defined = types.all.filter(
    (type) => definitions.has(groupResourceOf(type)) && !served.find(apiVersionOf(type), type.kind),
  );
  return new ResourceTypes([...served.all, ...defined], served);
}

function applied(
  files: Snapshot,
  manifests: readonly ObjectRecord[],
  live: Snapshot,
  types: ResourceTypes,
): Audited {
  const there = new Map(live.records.map((record) => [locationKey(record), record]));
  const records = manifests.map((record, index): ObjectRecord => {
    const before = there.get(locationKey(record));
    if (!before) return asCreated(record, index);
    const { uid, deletionTimestamp, finalizers } = before;
    return { ...record, uid, deletionTimestamp, finalizers };
  });
  const replaced = new Set(records.map(locationKey));
  const others = live.records.filter((record) => !replaced.has(locationKey(record)));
  const created = records.filter((record) => !there.has(locationKey(record)));
  const isManifest = new Set(records);
  const problems = problemsOfManifests(files).filter(({ reason }) => reason !== 'unknown-kind');
  return {
    snapshot: inOrder({
      ...live,
      records: [...records, ...others],
      types,
      coverage: {
        read: [],
        asked: [...live.coverage.asked, ...created.map(askedOf)],
        problems: [...problems, ...live.coverage.problems],
      },
      origin: files.origin,
    }),
    isManifest: (record) => isManifest.has(record),
    narrowed: false,
    against: true,
  };
}

/**
 * Asks the cluster why deletions have not ended, as `why -A` does, but for dry runs: an audit only reads. What may not be
 * read one by one is taken from the snapshot. Undefined where none has lasted long enough to be reported.
 */
async function askDeletions(
  cluster: OpenedCluster,
  snapshot: Snapshot,
  now: number,
): Promise<ReadonlyMap<ObjectRecord, Link> | undefined> {
  const due = snapshot.records.filter((record) => isDue(record, now)).sort(byContent);
  if (due.length === 0) return undefined;
  const [{ answerFromSnapshot }, { mostDeletions }] = await Promise.all([
    import('../../why/answer-from-snapshot.ts'),
    import('../../why/investigate.ts'),
  ]);
  const { askingCluster, explain } = await import('../questions/ask-why.ts');
  const { known, answer: asked } = await askingCluster(cluster, now);
  const listed = answerFromSnapshot(snapshot);
  const answer = async (query: Query): Promise<Answer> => {
    const found = await asked(query);
    return 'value' in found ? found : listed(query);
  };
  const asking = { known: { ...known, onlyReads: true }, answer };
  return withProgress('Following what is being deleted', async () => {
    const { explained } = await explain(asking, due.slice(0, mostDeletions));
    const links = explained.map(({ chain }) => chain);
    return new Map(due.flatMap((record, at) => (links[at] ? [[record, links[at]] as const] : [])));
  });
}

export function judgeAudited(
  { snapshot, narrowed, deletions, against, aside }: Audited,
  chosen: ChosenAudit,
  { settings, source }: FoundSettings,
  question: Pick<AuditOptions, 'baseline' | 'partial'> & Partial<AuditOptions>,
  flags: CommonFlags,
) {
  const options = {
    scope: () => true,
    ...chosen,
    ...question,
    now: nowOf(flags, snapshot),
    baseline: chosen.updateBaseline ? undefined : question.baseline,
    settings,
    settingsFrom: source === 'default' ? ('default' as const) : ('read' as const),
    narrowed,
    deletions,
    aside,
  };
  return isolated(snapshot, (known) => {
    const graph = buildGraph(withControllers(known, settings));
    const judged = audit(graph, options);
    const { findings, ...rest } = against ? findingsOfManifests(judged) : findingsOfFiles(judged);
    return { report: auditReport(graph, { findings, ...rest }, options), findings };
  });
}
