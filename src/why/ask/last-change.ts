import type { History } from '../../history/deletions/history.ts';
import { isJobsOwn } from '../../history/deletions/job-stop.ts';
import type { RemovalLink } from '../../history/deletions/removal.ts';
import { jsonOf, textOf } from '../../kube/json-value.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import type { AskedObject } from '../inquiry.ts';
import { type AskedCluster, answerFromCluster } from './answer-from-cluster.ts';

/**
 * Without an audit log: who changed last, by its managed fields, the workload whose controller deleted an object. It is the
 * owner above all others, as people change that one.
 */
export async function lastChange(
  cluster: AskedCluster,
  { after }: History,
  link: RemovalLink | undefined,
): Promise<RemovalLink[]> {
  const [event] = link?.evidence.flatMap((one) => (one.kind === 'event' ? one : [])) ?? [];
  const { kind, namespace, name } = event?.about ?? {};
  const about = after?.graph.snapshot.records.find(
    (record) => record.type.kind === kind && record.namespace === namespace && record.name === name,
  );
  if (!after || !event || !about || !link || isJobsOwn(link)) return [];
  const top = topOwner(about, (uid) => after.graph.withUid(uid));
  const { type, name: called } = top;
  const query = { ask: 'object', type, namespace: top.namespace, name: called } as const;
  const answer = await answerFromCluster(cluster)(query);
  const found = 'value' in answer ? (answer.value as AskedObject | undefined) : undefined;
  const entries = Array.isArray(found?.managedFields) ? found.managedFields : [];
  const changes = entries.flatMap((entry: unknown) => changeIn(entry) ?? []);
  const earlier = changes.filter(({ time }) => time <= event.at);
  const newest = earlier.reduce((last, { time }) => (time > last ? time : last), '');
  // Times have whole seconds: several managers can have changed it in one.
  const last = earlier.filter(({ time }) => time === newest);
  if (last.length === 0) return [];
  const managers = last.map(({ manager }) => manager).join(' or ');
  return [
    {
      object: referenceTo(top),
      cause: 'change',
      certainty: 'might be',
      at: newest,
      because: `field manager ${managers} changed it last before that`,
      evidence: last.map(({ manager, time }) => ({ kind: 'managed-fields', manager, at: time })),
    },
  ];
}

function topOwner(
  record: ObjectRecord,
  withUid: (uid: string) => ObjectRecord | undefined,
): ObjectRecord {
  let top = record;
  for (const passed = new Set([record]); ; passed.add(top)) {
    const owner = top.ownerReferences.find(({ controller }) => controller === true);
    const above = owner && withUid(owner.uid);
    if (!above || passed.has(above)) return top;
    top = above;
  }
}

/** Status is no change of what is wanted. */
function changeIn(entry: unknown): { readonly manager: string; readonly time: string } | undefined {
  const { manager, time, subresource } = jsonOf(entry) ?? {};
  const [by, at] = [textOf(manager), textOf(time)];
  return by === undefined || at === undefined || subresource === 'status'
    ? undefined
    : { manager: by, time: at };
}
