import { randomUUID } from 'node:crypto';
import type { KubeObject } from '../../../src/kube/record-codec.ts';
import { jobObject, nodeObject, podObject } from '../dead-pods.ts';
import type { Random } from '../seeded-random.ts';
import {
  arena,
  configMap,
  type Deed,
  ownersOf,
  ownerTo,
  pathOf,
  type World,
} from './other-client.ts';
import { type Course, isSame, unbound, type Write } from './race-stage.ts';

const hold = 'example.com/hold';
const comesBack = (node: string): Deed => ({
  name: 'gets its Node back',
  work: (other) => other.put(nodeObject(node, 'True', false)),
});
const nodeOf = ({ spec }: KubeObject) => String((spec as { nodeName?: string }).nodeName ?? '');
const hasNode = (object: KubeObject, world: World) => world.has(`/api/v1/nodes/${nodeOf(object)}`);
const phaseOf = ({ status }: KubeObject) => (status as { phase?: string } | undefined)?.phase;

/** Pods of a Node that is gone, one that never had any, and ended ones above a threshold. */
export function podGcCourse(random: Random): Course {
  const gone = `gone-${random(1_000_000)}`;
  const held = random(8) === 0;
  const pods = [
    podObject(arena, 'runs-on-gone', { node: gone, phase: 'Running' }),
    podObject(arena, 'done-on-gone', { node: gone, phase: 'Succeeded', held }),
    podObject(arena, 'nowhere', { phase: 'Pending', deleting: true }),
    podObject(arena, 'ended-first', { node: 'alive', phase: 'Failed', age: 5 }),
    podObject(arena, 'ended-last', { node: 'alive', phase: 'Succeeded', age: 3 }),
    podObject(arena, 'runs', { node: 'alive', phase: 'Running' }),
    podObject(arena, 'waits', { phase: 'Pending' }),
  ];
  const isEnded = (pod: KubeObject) => phaseOf(pod) === 'Failed' || phaseOf(pod) === 'Succeeded';
  const isNowhere = (pod: KubeObject) =>
    nodeOf(pod) === '' && pod.metadata.deletionTimestamp !== undefined;
  const runs = (phase: string): Deed => ({
    name: `is ${phase}`,
    work: async (other, path) => {
      const found = await other.find(path);
      if (found?.kind === 'Pod') await other.change(`${path}/status`, { status: { phase } });
    },
  });
  return {
    objects: [nodeObject('alive', 'True', false), ...pods, configMap('keeper')],
    line: () => 'podgc-preview --apply --threshold 2 --yes --timeout 15s',
    targets: pods.slice(0, 4).map(pathOf),
    keeper: 'keeper',
    deeds: [comesBack(gone), comesBack(gone), runs('Running'), runs('Failed')],
    isDue: (pod, world) =>
      pod.kind === 'Pod' && (isNowhere(pod) || (nodeOf(pod) === gone && !hasNode(pod, world))),
    faultOf: (write) => {
      const { before, isTaken, path, nodes } = write;
      if (!isTaken || !before) return unbound(write);
      const wasGone = nodes.get(`/api/v1/nodes/${nodeOf(before)}`) === false;
      const may = isNowhere(before) || isEnded(before) || wasGone;
      return may ? unbound(write) : `${path} was deleted, against the plan`;
    },
  };
}

/** Jobs whose time is up, and objects whose owners are gone. */
export function forecastCourse(random: Random): Course {
  const keeper = {
    ...configMap('keeper'),
    metadata: { name: 'keeper', namespace: arena, uid: randomUUID() },
  };
  const solid = ownerTo('keeper', keeper.metadata.uid);
  const lost = ownerTo('vanished', randomUUID());
  const objects = [
    jobObject(arena, 'done', 1),
    jobObject(arena, 'done-too', 60),
    configMap('lone', { ownerReferences: [lost], ...(random(8) === 0 && { finalizers: [hold] }) }),
    configMap('partly', { ownerReferences: random(2) === 0 ? [lost, solid] : [solid, lost] }),
    configMap('alone', { ownerReferences: [lost] }),
    jobObject(arena, 'kept', 1_000_000),
    configMap('solid', { ownerReferences: [solid] }),
  ];
  const isSolid = (world: World) => {
    const uids = new Set([...world.values()].map(({ metadata }) => metadata.uid));
    return ({ uid }: { readonly uid: string }) => uids.has(uid);
  };
  const isOver = ({ kind, spec, status }: KubeObject) => {
    const { ttlSecondsAfterFinished: ttl } = (spec ?? {}) as { ttlSecondsAfterFinished?: number };
    const { conditions = [] } = (status ?? {}) as { conditions?: readonly unknown[] };
    return kind === 'Job' && ttl !== undefined && ttl < 3600 && conditions.length > 0;
  };
  const isLost = (one: KubeObject, world: World) =>
    ownersOf(one).length > 0 && !ownersOf(one).every(isSolid(world));
  const spec = (name: string, ttlSecondsAfterFinished: number | null): Deed => ({
    name,
    work: async (other, path) => {
      const found = await other.find(path);
      if (found?.kind === 'Job') await other.change(path, { spec: { ttlSecondsAfterFinished } });
    },
  });
  return {
    objects: [keeper, ...objects],
    line: () =>
      'forecast --apply --collector ttl-after-finished,garbage-collector --yes --timeout 15s',
    targets: objects.slice(0, 5).map(pathOf),
    keeper: 'keeper',
    deeds: [spec('is kept', null), spec('is kept longer', 1_000_000)],
    isDue: (one, world) => {
      if (one.metadata.deletionTimestamp !== undefined) return false;
      if (isOver(one)) return 'deletion';
      if (!isLost(one, world)) return false;
      return ownersOf(one).some(isSolid(world)) ? 'patch' : 'deletion';
    },
    faultOf: (write, world) => faultOfDue(write, world),
  };

  function faultOfDue(write: Write, world: World): string | undefined {
    const { before, isTaken, path, method, body } = write;
    if (!isTaken || !before) return unbound(write);
    if (method === 'DELETE') {
      const hasNone = ownersOf(before).length > 0 && !ownersOf(before).some(isSolid(world));
      return isOver(before) || hasNone ? unbound(write) : `${path} was deleted, against the plan`;
    }
    const kept = ownersOf(before).filter(({ uid }) => uid !== lost.uid);
    const { ownerReferences } = (body as { metadata: { ownerReferences: unknown } }).metadata;
    const isRight = isSame(uidsOf(ownerReferences), uidsOf(kept));
    return isRight ? unbound(write) : `${path} has lost other owners: ${JSON.stringify(body)}`;
  }
}

const uidsOf = (references: unknown) =>
  (references as readonly { uid: string }[]).map(({ uid }) => uid);
