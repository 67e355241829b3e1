import type { Decision } from '../../controllers/controller.ts';
import { controllerOf } from '../../controllers/decision.ts';
import { siblingsOf } from '../../controllers/jobs/job.ts';
import {
  type AdopterKind,
  adopterKinds,
  adoption,
  adopts,
} from '../../controllers/workloads/adoption.ts';
import { afterAdoption } from '../../controllers/workloads/after-adoption.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { storedAs } from '../../kube/resource-type.ts';
import type { Change } from '../engine/cluster-state.ts';
import { byController } from './indexes.ts';
import type { Cluster, KeyedController, LinkSources } from './keyed-controller.ts';

/** Workloads that adopt what loses its controller during a run, and then scale. */
export const adopters: readonly KeyedController[] = adopterKinds.map((kind) => ({
  id: adoption.id,
  controller: kind.controller,
  kinds: [kind.resource],
  reads: [kind.resource, ...kind.takes],
  present: () => [],
  concerns: (record, { freed }) => freed.concerns(record),
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
  { freed, state }: Cluster,
): readonly (ObjectRecord | undefined)[] {
  freed.note(change);
  const record = change.after ?? change.before;
  if (freed.isEmpty || !record) return [];
  const { uid, name } = controllerOf(record) ?? {};
  const owner = name === undefined ? undefined : state.at(resource, record.namespace, name);
  if (owner && owner.uid === uid) return [owner];
  return freed.adoptersOf(record).filter(({ type }) => storedAs(type) === resource);
}

function decideOn(
  adopter: ObjectRecord,
  { takes }: AdopterKind,
  { freed, indexes, view }: Cluster,
  now: number,
): readonly Decision[] {
  const controlledBy = ({ uid }: ObjectRecord, resources: readonly string[]) =>
    resources.flatMap((resource) => indexes.of(byController(resource)).get(uid));
  const [taken, contested]: [ObjectRecord[], ObjectRecord[]] = [[], []];
  for (const object of freed.of(adopter)) {
    const controller = controllerOf(object);
    if (controller?.uid === adopter.uid) taken.push(object);
    if (controller || !adopts(adopter, object)) continue;
    if (freed.adoptersOf(object).length > 1) contested.push(object);
    else taken.push(object);
  }
  const own = controlledBy(adopter, takes).filter((object) => !taken.includes(object));
  const podsOf = (set: ObjectRecord) => controlledBy(set, ['pods']);
  const siblings = siblingsOf(view, adopter);
  return afterAdoption({ adopter, own, taken, contested, siblings, podsOf }, now);
}
