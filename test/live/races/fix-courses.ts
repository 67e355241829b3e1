import { randomUUID } from 'node:crypto';
import type { KubeObject } from '../../../src/kube/record-codec.ts';
import { nodeObject, podObject } from '../dead-pods.ts';
import type { Random } from '../seeded-random.ts';
import {
  arena,
  configMap,
  finalizersOf,
  foreign,
  ownersOf,
  ownerTo,
  pathOf,
} from './other-client.ts';
import { type Course, changesOf, isSame, unbound, type Write } from './race-stage.ts';

const hold = 'example.com/hold';
const past = '2026-01-02T03:04:05Z';

/** A JSON patch is bound to the uid and to the field that it changes, as it was read. */
function unboundField(write: Write, field: string): string | undefined {
  const { guards, path, before } = write;
  if (guards.uid === undefined || !guards.tested.some((one) => one.startsWith(field))) {
    return `PATCH ${path} is bound to ${guards.tested}`;
  }
  const isOther = write.isTaken && before?.metadata.uid !== guards.uid;
  return isOther ? `PATCH ${path} has met another object` : undefined;
}

/** Objects with references to owners that are gone, and to kinds that are. */
export function fixReferencesCourse(random: Random): Course {
  const keeper = configMap('keeper', { uid: randomUUID() });
  const solid = ownerTo('keeper', String(keeper.metadata.uid));
  const lost = ownerTo('gone', randomUUID());
  const unserved = { ...ownerTo('gone', randomUUID()), apiVersion: 'example.com/v1', kind: 'Gone' };
  const wrong = new Set([lost.uid, unserved.uid]);
  const objects = [
    configMap('a', { ownerReferences: [lost] }),
    configMap('b', { ownerReferences: random(2) === 0 ? [lost, solid] : [solid, lost] }),
    configMap('c', { ownerReferences: [unserved, solid], finalizers: [hold] }),
    configMap('d', { ownerReferences: [solid] }),
  ];
  const path = '/metadata/ownerReferences';
  return {
    objects: [keeper, ...objects],
    line: () => 'invalid-ownerrefs --fix --missing-owner=keep --yes',
    targets: objects.slice(0, 3).map(pathOf),
    keeper: 'keeper',
    isDue: (one) => ownersOf(one).some(({ uid }) => wrong.has(uid)),
    faultOf: (write) => {
      const { before, isTaken } = write;
      const unguarded = unboundField(write, path);
      if (unguarded || !isTaken || !before) return unguarded;
      const kept = ownersOf(before).filter(({ uid }) => !wrong.has(uid));
      const expected =
        kept.length > 0 ? { op: 'replace', path, value: kept } : { op: 'remove', path };
      return isSame(changesOf(write), [expected])
        ? undefined
        : `${write.path}: ${JSON.stringify(changesOf(write))} instead of ${JSON.stringify(expected)}`;
    },
  };
}

/** An object that waits for a finalizer which nothing removes. */
export function fixFinalizerCourse(random: Random): Course {
  const finalizers = [[hold], [hold, foreign], [foreign, hold]][random(3)];
  const leaving = { deletionTimestamp: past, deletionGracePeriodSeconds: 0 };
  const stuck = configMap('stuck', { finalizers, ...leaving });
  const other = configMap('stuck-too', { finalizers, ...leaving });
  const path = '/metadata/finalizers';
  return {
    objects: [stuck, other, configMap('keeper'), configMap('alive', { finalizers: [hold] })],
    line: () => `why configmap/stuck --fix --yes --remove-finalizer ${hold}`,
    targets: [pathOf(stuck)],
    keeper: 'keeper',
    isDue: (one) =>
      one.metadata.name === 'stuck' &&
      one.metadata.deletionTimestamp !== undefined &&
      finalizersOf(one).includes(hold),
    faultOf: (write) => {
      const { before, isTaken } = write;
      const unguarded = unboundField(write, path);
      if (unguarded || !isTaken || !before) return unguarded;
      if (before.metadata.name !== 'stuck') return `${write.path} was changed`;
      if (before.metadata.deletionTimestamp === undefined) return `${write.path} was to live`;
      const at = `${path}/${finalizersOf(before).indexOf(hold)}`;
      return isSame(changesOf(write), [{ op: 'remove', path: at }])
        ? undefined
        : `${write.path}: ${JSON.stringify(changesOf(write))} instead of ${at}`;
    },
  };
}

/** A pod that waits for a Node which is gone. */
export function fixPodCourse(random: Random): Course {
  const gone = `gone-${random(1_000_000)}`;
  const leaving = (name: string): KubeObject => {
    const pod = podObject(arena, name, { node: gone, phase: 'Running', deleting: true });
    return { ...pod, metadata: { ...pod.metadata, deletionTimestamp: past } };
  };
  const stuck = leaving('stuck');
  const other = leaving('stuck-too');
  const back = {
    name: 'gets its Node back',
    work: (by: { put: (node: ReturnType<typeof nodeObject>) => Promise<void> }) =>
      by.put(nodeObject(gone, 'True', false)),
  };
  return {
    objects: [stuck, other, configMap('keeper')],
    line: () => 'why pod/stuck --fix --yes',
    targets: [pathOf(stuck)],
    keeper: 'keeper',
    deeds: [back, back, back],
    isDue: (one, world) =>
      one.metadata.name === 'stuck' &&
      one.metadata.deletionTimestamp !== undefined &&
      !world.has(`/api/v1/nodes/${gone}`),
    faultOf: (write) => {
      const { before, isTaken, nodes, path } = write;
      if (!isTaken || !before) return unbound(write);
      const may =
        before.metadata.name === 'stuck' &&
        before.metadata.deletionTimestamp !== undefined &&
        nodes.get(`/api/v1/nodes/${gone}`) === false;
      return may ? unbound(write) : `${path} was deleted, against the plan`;
    },
  };
}
