import type { Decision } from '../../controllers/controller.ts';
import { controllerOf } from '../../controllers/decision.ts';
import { siblingsOf } from '../../controllers/jobs/job.ts';
import {
  type AdopterKind,
  adopterKinds,
  adoption,
  adopts,
  mayBeOfNewSet,
} from '../../controllers/workloads/adoption.ts';
import { afterAdoption } from '../../controllers/workloads/after-adoption.ts';
import { rolloutAfter } from '../../controllers/workloads/rollout.ts';
import { isBeingDeleted, type ObjectRecord } from '../../kube/object-record.ts';
import { storedAs } from '../../kube/resource-type.ts';
import { isPod } from '../../kube/well-known-kinds.ts';
import type { Change } from '../engine/cluster-state.ts';
import { byController, controlling } from './indexes.ts';
import {
  type Cluster,
  type KeyedController,
  type LinkSources,
  noteLoss,
} from './keyed-controller.ts';

/** Workloads that adopt what loses its controller during a run, and then scale; and that go on with a rollout. */
export const adopters: readonly KeyedController[] = adopterKinds.map((kind) => ({
  id: adoption.id,
  controller: kind.controller,
  kinds: [kind.resource],
  reads: [...new Set([kind.resource, ...kind.takes, 'pods', 'deployments.apps'])],
  present: () => [],
  concerns: (record, { freed, lostPods }) => freed.concerns(record) || lostPods.has(record.uid),
  affected: (change, cluster) => affected(change, kind, cluster),
  decide: (adopter, cluster, { now }) => decideOn(adopter, kind, cluster, now),
  links: Object.fromEntries([kind.resource, ...kind.takes].map((one) => [one, linksOfFreed])),
}));

function linksOfFreed(record: ObjectRecord, { freed }: LinkSources): readonly string[] {
  return freed.linksOf(record);
}

function affected(
  change: Change,
  { resource }: AdopterKind,
  cluster: Cluster,
): readonly (ObjectRecord | undefined)[] {
  cluster.freed.note(change);
  const losing = resource === 'jobs.batch' ? undefined : losingBy(change, resource, cluster);
  const record = change.after ?? change.before;
  if (losing || cluster.freed.isEmpty || !record) return [losing];
  const owner = controlling(record, resource, cluster.state);
  if (owner) return [owner];
  return cluster.freed.adoptersOf(record).filter(({ type }) => storedAs(type) === resource);
}

/** The workload that loses pods by this write, also with their ReplicaSet. */
function losingBy(
  { before, after }: Change,
  resource: string,
  cluster: Cluster,
): ObjectRecord | undefined {
  if (!before || (after && !isBeingDeleted(after))) return undefined;
  // Where nothing can be made in its place, no rollout goes on.
  const home = cluster.state.at('namespaces', '', before.namespace);
  if (home && isBeingDeleted(home)) return undefined;
  const set = isPod(before) ? controlling(before, 'replicasets.apps', cluster.state) : undefined;
  const workload = controlling(set ?? before, resource, cluster.state);
  if (!workload) return undefined;
  const lost = isPod(before) ? [before] : cluster.indexes.of(byController('pods')).get(before.uid);
  for (const pod of lost) noteLoss(cluster, workload, pod);
  return workload;
}

function decideOn(
  adopter: ObjectRecord,
  { takes }: AdopterKind,
  { freed, indexes, lostPods, view }: Cluster,
  now: number,
): readonly Decision[] {
  const controlledBy = ({ uid }: ObjectRecord, resources: readonly string[]) =>
    resources.flatMap((resource) => indexes.of(byController(resource)).get(uid));
  const [taken, contested]: [ObjectRecord[], ObjectRecord[]] = [[], []];
  for (const object of freed.of(adopter)) {
    const controller = controllerOf(object);
    if (controller?.uid === adopter.uid) taken.push(object);
    if (controller || !adopts(adopter, object)) continue;
    const isContested = freed.adoptersOf(object).length > 1 || mayBeOfNewSet(view, object);
    if (isContested) contested.push(object);
    else taken.push(object);
  }
  const own = controlledBy(adopter, takes).filter((object) => !taken.includes(object));
  const podsOf = (set: ObjectRecord) => controlledBy(set, ['pods']);
  const siblings = siblingsOf(view, adopter);
  const adoption = { adopter, own, taken, contested, siblings, podsOf };
  const scaled = freed.concerns(adopter) ? afterAdoption(adoption, now) : [];
  const lost = [...(lostPods.get(adopter.uid)?.values() ?? [])].flatMap((pod) => pod ?? []);
  return [...scaled, ...rolloutAfter(adoption, lost, now)];
}
