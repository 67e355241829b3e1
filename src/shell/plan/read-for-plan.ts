import { getObjects, snapshotOfAnswers, withAsked } from '../../cluster/list/get-objects.ts';
import { listInFull } from '../../cluster/list/list-in-full.ts';
import { listPlace } from '../../cluster/list/list-kind.ts';
import { howToList } from '../../cluster/list/list-objects.ts';
import { accounts, isInEveryNamespace } from '../../controllers/bookkeeping.ts';
import { endedPods } from '../../controllers/pod-gc/pass.ts';
import type { PlanEvidence } from '../../deletion/plan/plan.ts';
import { mayKeepOthers, passedOver } from '../../deletion/plan/play/lifted-refusals.ts';
import { deletionReach, podsThatMayStay } from '../../deletion/plan/play/pods-that-stay.ts';
import { canDisappearWith } from '../../deletion/plan/relations.ts';
import { usedKindOf } from '../../deletion/remarks/uses.ts';
import { appliedBy, inventoryOf, placesOf, toolOf, usualNamespace } from '../../delivery/tools.ts';
import { decidesByFacts } from '../../kube/facts/object-facts.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import { kindsOfPods, usedClasses } from '../../kube/pod-references.ts';
import { knownNodeOf } from '../../kube/pod-use.ts';
import { recordOf } from '../../kube/record-codec.ts';
import { groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { isNamespace, isPod, volumeAttachments } from '../../kube/well-known-kinds.ts';
import type { SeenSettings } from '../../settings/controller-settings.ts';
import type { Reach } from '../../simulator/reach.ts';
import { askedOf, coverageIndexOf } from '../../snapshot/coverage.ts';
import { inOrder, type Snapshot } from '../../snapshot/snapshot.ts';
import { confirmOwners, readCluster } from '../input/read-question.ts';
import type { OpenedCluster } from '../input/session.ts';

/** What was read for a plan: all that the deletion can touch, once. */
export interface ReadForPlan {
  readonly snapshot: Snapshot;
  /** What of it the deletion, and what follows from that, can reach. */
  readonly reached: readonly ObjectRecord[];
  /** The objects among these that may be deleted. */
  readonly going: readonly ObjectRecord[];
  /** By what `reached` was found in the snapshot; undefined where that was not, or is everything. */
  readonly reach: Reach | undefined;
  /** It matters which Pods of other namespaces have ended, and these could not be read. */
  readonly endedPodsUnread?: true;
}

/** What was read of the namespaces of the targets. */
export type NearTargets = Pick<PlanEvidence, 'snapshot' | 'listVersions'>;

type Read = Pick<Snapshot, 'records' | 'coverage'> | undefined;

/**
 * Reads all that a deletion of these objects can touch: beside what is `near` them (readNear), the volumes of claims, the
 * Nodes of pods and the addresses of Services that may go. Where nothing is, metadata of everything is read: a volume may
 * own objects everywhere, and a delivery tool may have applied some.
 */
export async function readForPlan(
  cluster: OpenedCluster,
  targets: readonly ObjectRecord[],
  seen: Snapshot | undefined,
  settings: SeenSettings,
): Promise<ReadForPlan> {
  const reachedIn = reachFrom(targets, settings);
  if (!seen) {
    const read = await readEverywhere(cluster, targets, reachedIn);
    const named = await withUsersOfClasses(cluster, read);
    const snapshot = await withAppliers(cluster, named, targets);
    return snapshot === read.snapshot ? read : { ...read, snapshot, reach: undefined };
  }
  const { types } = cluster;
  const near = withTargets(seen, targets);
  const part = reachedIn(near);
  const { reached, going } = part;
  const nodes = going.flatMap((record) => (isPod(record) && knownNodeOf(record)) || []);
  const services = going.filter(({ type }) => groupResourceOf(type) === addresses.of);
  // A controller recreates these, unless their namespace is being deleted.
  const homes = going.filter(isInEveryNamespace).map(({ namespace }) => namespace);
  const ips = services.flatMap((service) => addresses.namesFor(service, types));
  const [ended, ...more] = await Promise.all([
    readEndedPods(cluster, near, podsThatMayStay(going, settings)),
    readVolumes(cluster, reached),
    readNamed(cluster, types.find('v1', 'Node'), nodes),
    readNamed(cluster, types.versions(addresses.kept)[0], ips),
    readNamed(cluster, types.find('v1', 'Namespace'), homes),
  ]);
  const named = [ended && seenAlone(ended), ...more];
  const read = named.reduce<Snapshot>((all, one) => (one ? withAsked(all, one) : all), near);
  const snapshot = await withAppliers(cluster, read, targets);
  const all = snapshot === near ? part : reachedIn(snapshot);
  const isWide = (record: ObjectRecord) =>
    toolOf(record) !== undefined || (record.namespace === '' && !isAddress(record));
  const detaches =
    all.going.some(isPod) &&
    all.reached.some(({ type }) => groupResourceOf(type) === volumeAttachments);
  const endedElsewhere = new Set(ended);
  const isElsewhere = all.reached.some((record) => endedElsewhere.has(record));
  const whole =
    detaches || isElsewhere || all.going.some(isWide)
      ? await readEverywhere(cluster, targets, reachedIn, snapshot)
      : { snapshot, ...all };
  return ended ? whole : { ...whole, endedPodsUnread: true };
}

function seenAlone(records: readonly ObjectRecord[]): Read {
  return { records, coverage: { read: [], asked: records.map(askedOf), problems: [] } };
}

/**
 * Where Pods may end and stay, the Pods of other namespaces that have ended: all of them count together. Undefined where these
 * could not be read.
 */
async function readEndedPods(
  cluster: OpenedCluster,
  near: Snapshot,
  staying: readonly ObjectRecord[],
): Promise<readonly ObjectRecord[] | undefined> {
  const type = cluster.types.find('v1', 'Pod');
  if (!type || staying.length === 0) return [];
  const { records, read } = await listPlace(
    cluster.client,
    { type, namespace: undefined },
    { ...howToList(cluster, 'latest'), fieldSelector: endedPods, facts: true },
  );
  const isRead = coverageIndexOf(near.coverage);
  return read && records.filter(({ namespace }) => !isRead.coversKind(type, namespace));
}

/** In so many namespaces at most facts are read one namespace at a time. */
const fewNamespaces = 8;

/**
 * The same, read everywhere where webhooks that were read `apart` are passed over after the deletion: what they may refuse now is
 * in any namespace.
 */
export async function withLiftedRefusals(
  cluster: OpenedCluster,
  read: ReadForPlan,
  apart: readonly ObjectRecord[],
  targets: readonly ObjectRecord[],
  settings: SeenSettings,
): Promise<ReadForPlan> {
  const { records } = read.snapshot;
  const known = new Set(records.map(({ uid }) => uid));
  const more = apart.filter(({ uid }) => !known.has(uid));
  if (more.length === 0 || !areLifted({ records: [...records, ...more] }, read)) return read;
  const reachedIn = reachFrom(targets, settings);
  return { ...read, ...(await readEverywhere(cluster, targets, reachedIn, read.snapshot)) };
}

function areLifted(snapshot: Pick<Snapshot, 'records'>, { going }: Pick<ReadForPlan, 'going'>) {
  return passedOver(snapshot, going).length > 0;
}

/**
 * Reads metadata everywhere, and the facts of what is in no namespace and in those that the deletion can reach.
 * `near`: what was read of the namespaces of the targets, with facts.
 */
async function readEverywhere(
  cluster: OpenedCluster,
  targets: readonly ObjectRecord[],
  reachedIn: ReachedIn,
  near?: Snapshot,
): Promise<ReadForPlan> {
  const homes = targets.map((target) => (isNamespace(target) ? target.name : target.namespace));
  const known = new Set(homes.filter((namespace) => namespace !== ''));
  let isComplete = !near && known.size > fewNamespaces;
  const whole = await readCluster(cluster, {
    facts: isComplete || 'few',
    ...(!near && !isComplete && { factsIn: [...known] }),
    latest: true,
    confirmOwnersOf: 'newer',
  });
  let snapshot = withTargets(near ? withFacts(whole, near) : whole, targets);
  for (;;) {
    const part = reachedIn(snapshot);
    const confirmed = await confirmOwners(cluster, snapshot, part.reached);
    if (confirmed !== snapshot) {
      snapshot = inOrder(confirmed);
      continue;
    }
    if (isComplete) return { snapshot, ...part };
    const isUnknown = ({ type, namespace, facts }: ObjectRecord) =>
      namespace !== '' && !facts && decidesByFacts(type) && !known.has(namespace);
    const unknown = new Set(part.reached.filter(isUnknown).map(({ namespace }) => namespace));
    // An address is recreated for its Service, in any namespace.
    const isAnywhere =
      part.going.some(isLinkedAnywhere) || targets.some(isAddress) || areLifted(snapshot, part);
    if (isAnywhere || unknown.size > fewNamespaces) {
      snapshot = withFacts(snapshot, await readFacts(cluster));
      isComplete = true;
      continue;
    }
    if (unknown.size === 0) return { snapshot, ...part };
    snapshot = withFacts(snapshot, await readFacts(cluster, unknown));
    for (const namespace of unknown) known.add(namespace);
  }
}

async function readFacts(
  cluster: OpenedCluster,
  namespaces?: ReadonlySet<string>,
): Promise<Snapshot> {
  const types = cluster.types.preferred().filter((type) => type.namespaced && decidesByFacts(type));
  return readCluster(cluster, {
    kinds: [...types.map(groupResourceOf), 'secrets'],
    ...(namespaces && { namespaces: [...namespaces], namespacedOnly: true }),
    facts: true,
    latest: true,
    confirmOwnersOf: 'newer',
  });
}

/** Do facts of objects in any namespace tie them to it, such as the Node that a pod is on? */
function isLinkedAnywhere({ type, namespace }: ObjectRecord): boolean {
  if (namespace !== '' || isOfNamespaces.has(type.kind)) return false;
  if (mayKeepOthers({ type })) return true;
  return decidesByFacts(type) || type.kind === 'VolumeAttributesClass';
}

/** Cluster-scoped kinds whose objects name the objects that they are linked to. */
const isOfNamespaces: ReadonlySet<string> = new Set([
  'Namespace',
  'CustomResourceDefinition',
  'PersistentVolume',
  'VolumeAttachment',
]);

type ReachedIn = (snapshot: Snapshot) => Omit<ReadForPlan, 'snapshot'>;

function reachFrom(named: readonly ObjectRecord[], settings: SeenSettings): ReachedIn {
  return (snapshot) => {
    const targets = sameObjects(snapshot, named);
    const reach = deletionReach(snapshot, targets, settings, Date.parse(snapshot.observedAt));
    const reached = reach?.members ?? snapshot.records;
    return { reach, reached, going: canDisappearWith(reached, targets) };
  };
}

/** More single questions than this would be a list in disguise; the others stay unknown. */
const mostAsked = 500;
/** Who may not read so many may read none. */
const firstAsked = 8;
const [addresses] = accounts;

function isAddress({ type }: ObjectRecord): boolean {
  return groupResourceOf(type) === addresses.kept;
}

/** What objects have outside of their namespace, each asked for. What may not be read is only not known. */
async function readNamed(
  cluster: OpenedCluster,
  type: ResourceType | undefined,
  names: readonly string[],
): Promise<Read> {
  if (!type || names.length === 0) return undefined;
  const wanted = [...new Set(names)]
    .slice(0, mostAsked)
    .map((name) => ({ type, namespace: '', name }));
  const answers = await getObjects(cluster.client, wanted.slice(0, firstAsked), withFactsOf);
  if (!answers.some(({ problem }) => problem === undefined)) return undefined;
  answers.push(...(await getObjects(cluster.client, wanted.slice(firstAsked), withFactsOf)));
  return readOf(cluster, answers);
}

const withFactsOf = { facts: true };

/** What single questions brought; of the others it is only not known. */
function readOf(cluster: OpenedCluster, answers: Parameters<typeof snapshotOfAnswers>[2]) {
  const { records, coverage } = snapshotOfAnswers(cluster.client, cluster, answers);
  return { records, coverage: { ...coverage, problems: [] } };
}

/** Few tools apply most objects; for objects of further tools it is unknown whether they are recreated. */
const mostAppliers = 20;

/**
 * Adds the objects of delivery tools that applied some of these, each asked for once: whether the tool makes
 * them again. What may not be read is only not known.
 */
async function withAppliers(
  cluster: OpenedCluster,
  snapshot: Snapshot,
  records: readonly ObjectRecord[],
): Promise<Snapshot> {
  const places = records.flatMap((record) => {
    const { by } = appliedBy(record) ?? {};
    return by ? placesOf(by, cluster.types) : [];
  });
  if (places.length === 0) return snapshot;
  const coverage = coverageIndexOf(snapshot.coverage);
  const known = new Map(snapshot.records.filter(toolOf).map((tool) => [locationKey(tool), tool]));
  const wanted = [...new Map(places.map((place) => [locationKey(place), place])).values()]
    .filter((place) => {
      const tool = known.get(locationKey(place));
      return tool
        ? inventoryOf(tool) === 'unknown'
        : !coverage.covers(place.type, place.namespace, place.name);
    })
    .slice(0, mostAppliers);
  if (wanted.length === 0) return snapshot;
  const answers = await getObjects(cluster.client, wanted, withFactsOf);
  const missing = answers.filter(({ record, problem }) => !record && !problem);
  const found = await findElsewhere(
    cluster,
    missing.map(({ asked }) => asked),
  );
  const others = found.filter(({ uid }) => !snapshot.records.some((one) => one.uid === uid));
  const read = withAsked(snapshot, readOf(cluster, answers));
  return { ...read, records: [...read.records, ...others] };
}

/** Objects of tools that are not where most installations have them, by their names: an Application need not name its namespace. */
async function findElsewhere(
  { client }: OpenedCluster,
  missing: readonly ObjectLocation[],
): Promise<ObjectRecord[]> {
  const guessed = missing.filter(({ namespace }) => namespace === usualNamespace);
  const types = new Set(guessed.map(({ type }) => type));
  const lists = [...types].map(async (type) => {
    const listing = listInFull(client, { type, namespace: undefined });
    const { items } = (await listing.catch(() => undefined)) ?? { items: [] };
    return items.map((item) => recordOf(item, type));
  });
  const names = new Set(guessed.map(({ name }) => name));
  return (await Promise.all(lists)).flat().filter(({ name }) => names.has(name));
}

/** Adds the facts of a part to what was read everywhere; what may be read of some namespaces, but not of all, stays read. */
function withFacts(whole: Snapshot, near: Snapshot): Snapshot {
  const coverage = coverageIndexOf(whole.coverage);
  const known = new Map(near.records.map((record) => [record.uid, record]));
  const namespaces = new Set(near.records.map(({ namespace }) => namespace));
  const records = whole.records.map((record) => {
    if (!namespaces.has(record.namespace)) return record;
    const facts = record.facts ?? known.get(record.uid)?.facts;
    known.delete(record.uid);
    return facts === record.facts ? record : { ...record, facts };
  });
  const more = [...known.values()].filter(
    ({ type, namespace }) => !coverage.coversKind(type, namespace),
  );
  const told = new Set(whole.coverage.problems.map(({ resource }) => resource));
  return {
    ...whole,
    records: [...records, ...more],
    coverage: {
      read: [...whole.coverage.read, ...near.coverage.read],
      asked: [...whole.coverage.asked, ...near.coverage.asked],
      problems: [
        ...whole.coverage.problems,
        ...near.coverage.problems.filter(({ resource }) => !told.has(resource)),
      ],
    },
  };
}

/** Volumes are deleted with their claims, or stay, and are detached after their Pods: the plan says which, if they may be read. */
async function readVolumes(
  cluster: OpenedCluster,
  reached: readonly ObjectRecord[],
): Promise<Read> {
  const isClaim = ({ type }: ObjectRecord) =>
    type.group === '' && type.kind === 'PersistentVolumeClaim';
  const claims = reached.filter(isClaim);
  if (claims.length === 0) return undefined;
  const claimed = new Set(claims.map(({ facts }) => facts?.volumeName));
  const claimants = new Set(claims.map(({ namespace, name }) => `${namespace}/${name}`));
  const kinds = ['persistentvolumes', volumeAttachments];
  const { records, coverage } = await readCluster(cluster, { kinds, facts: true, latest: true });
  // One that is made for a claim may be bound to it any moment.
  const used = records.filter(
    ({ name, facts: { claimRef, attachment } = {} }) =>
      claimed.has(attachment?.persistentVolumeName ?? name) ||
      claimants.has(`${claimRef?.namespace}/${claimRef?.name}`),
  );
  return { records: used, coverage: { ...coverage, asked: records.map(askedOf) } };
}

/** Where a class is deleted, the claims, Pods and templates that may name it: their facts are not read otherwise. */
async function withUsersOfClasses(
  cluster: OpenedCluster,
  { snapshot, going }: ReadForPlan,
): Promise<Snapshot> {
  const kindsGoing = going.flatMap((record) => usedKindOf(record) ?? []);
  if (!kindsGoing.some((kind) => usedClasses.has(kind))) return snapshot;
  const kinds = ['persistentvolumeclaims', ...kindsOfPods];
  return withFacts(snapshot, await readCluster(cluster, { kinds, facts: true, latest: true }));
}

/**
 * Kinds that may be read one by one, but not listed, have their targets in the snapshot all the same.
 * If the kind was listed without the target, the target does not exist any more.
 */
function withTargets(snapshot: Snapshot, targets: readonly ObjectRecord[]): Snapshot {
  const coverage = coverageIndexOf(snapshot.coverage);
  const unlisted = targets.filter(({ type, namespace }) => !coverage.coversKind(type, namespace));
  if (unlisted.length === 0) return snapshot;
  const seen = sameObjects(snapshot, unlisted).map(({ uid }) => uid);
  const missing = unlisted.filter(({ uid }) => !seen.includes(uid));
  return missing.length === 0
    ? snapshot
    : inOrder({ ...snapshot, records: [...snapshot.records, ...missing] });
}

/** The records of a snapshot with the uids of these targets, in their order; deleted ones are left out. */
export function sameObjects(
  { records }: Snapshot,
  targets: readonly Pick<ObjectRecord, 'uid'>[],
): ObjectRecord[] {
  const wanted = new Set(targets.map(({ uid }) => uid));
  const byUid = new Map(
    records.filter(({ uid }) => wanted.has(uid)).map((record) => [record.uid, record]),
  );
  return targets.flatMap(({ uid }) => byUid.get(uid) ?? []);
}
