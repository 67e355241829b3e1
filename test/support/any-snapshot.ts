import fc from 'fast-check';
import type { ObjectFacts, ObjectRecord, OwnerReference } from '../../src/kube/object-record.ts';
import { objectOf } from '../../src/kube/record-codec.ts';
import { apiVersionOf, type ResourceType } from '../../src/kube/resource-type.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import {
  autoscaler,
  clusterRole,
  configMap,
  deployment,
  event,
  gadget,
  node,
  objectOfType,
  pod,
  snapshotOf,
  widget,
} from './builders.ts';

const builders = [pod, configMap, deployment, autoscaler, widget, event, node, clusterRole, gadget];
/** Namespaced kinds come several times: objects of one namespace can own each other in rings. */
const types: readonly ResourceType[] = [...builders, pod, pod, configMap, configMap, widget].map(
  (build) => build('any').type,
);

/** Coordinates that lead nowhere, or to something that cannot be an owner. */
const oddKinds = [
  ['v1', 'pod'],
  ['v1', 'PodList'],
  ['v1', 'List'],
  ['v1', 'Binding'],
  ['v1', 'POD'],
  ['autoscaling/v1', 'HorizontalPodAutoscaler'],
  ['autoscaling/v1', 'Scale'],
  ['apps/v1beta1', 'Deployment'],
  ['gone.example.com/v1', 'Gone'],
  ['shop/v1/extra', 'Pod'],
] as const;

const flag = fc.constantFrom(undefined, undefined, true, false);
/** Not both of the garbage collector's, which no API server takes (ValidateFinalizers of apimachinery). */
const finalizers = fc
  .tuple(
    fc.constantFrom([], ['foregroundDeletion'], ['orphan']),
    fc.subarray(['shop.example.com/drain']),
  )
  .map((some) => some.flat());
const labels = fc.option(
  fc.dictionary(fc.constantFrom('app', 'tier'), fc.string(), { minKeys: 1 }),
  {
    nil: undefined,
  },
);

/** A record as a cluster could hold it, without place and writers. */
export function anyRecord(): fc.Arbitrary<ObjectRecord> {
  return fc
    .record({
      type: fc.constantFrom(...types),
      namespace: fc.constantFrom('shop', 'shop', 'shop', 'bank'),
      name: fc.constantFrom('web', 'db', 'mail'),
      deleting: flag,
      finalizers,
      labels,
      facts: anyFacts(),
      nodeFacts: anyNodeFacts(),
      ownerReferences: fc.array(anyReference(), { maxLength: 3 }),
    })
    .map(({ type, name, deleting, facts, nodeFacts, ...details }) =>
      objectOfType(type, name, {
        ...details,
        facts: type.kind === 'Pod' ? facts : type.kind === 'Node' ? nodeFacts : undefined,
        deletionTimestamp: deleting ? '2026-01-02T00:00:00Z' : undefined,
      }),
    );
}

function anyFacts(): fc.Arbitrary<ObjectFacts | undefined> {
  return fc.constantFrom(
    undefined,
    { nodeName: '' },
    { nodeName: 'node-a', phase: 'Running' },
    { nodeName: '', phase: 'Pending', terminationGracePeriodSeconds: 0 },
  );
}

function anyNodeFacts(): fc.Arbitrary<ObjectFacts | undefined> {
  return fc.constantFrom(
    undefined,
    { taints: [] },
    { taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }] },
    { taints: [{ key: 'a', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' }] },
  );
}

function anyReference(): fc.Arbitrary<OwnerReference> {
  return fc.record({
    apiVersion: fc.constantFrom('v1', 'apps/v1', 'example.com/v1'),
    kind: fc.constantFrom('Pod', 'Deployment', 'Widget'),
    name: fc.constantFrom('web', 'db'),
    uid: fc.constantFrom('uid-1', 'uid-2'),
    controller: flag,
    blockOwnerDeletion: flag,
  });
}

/** How far a reference to an existing object is from the truth. */
interface Aim {
  /** How far down the list the owner is, round its end. */
  readonly step: number;
  readonly wrong: 'nothing' | 'name' | 'kind' | 'uid' | 'odd';
  readonly odd: readonly [string, string];
  readonly controller: boolean | undefined;
  readonly blockOwnerDeletion: boolean | undefined;
}

const anyAim: fc.Arbitrary<Aim> = fc.record({
  // Mostly the next one, so that rings are frequent.
  step: fc.oneof(fc.constant(1), fc.constant(1), fc.nat()),
  wrong: fc.constantFrom(
    ...Array.from({ length: 8 }, () => 'nothing' as const),
    'name' as const,
    'kind' as const,
    'uid' as const,
    'odd' as const,
  ),
  odd: fc.constantFrom(...oddKinds),
  controller: flag,
  blockOwnerDeletion: flag,
});

/**
 * A picture of up to twelve objects in two namespaces that own each other rightly, wrongly, in
 * rings and across namespaces; some kinds may not have been read.
 */
export function anySnapshot(): fc.Arbitrary<Snapshot> {
  const objects = fc.uniqueArray(
    fc.record({ record: anyRecord(), aims: fc.array(anyAim, { maxLength: 3 }) }),
    { maxLength: 12, selector: ({ record }) => record.uid },
  );
  const unread = fc.subarray(['pods', 'configmaps', 'nodes', 'widgets.example.com'], {
    maxLength: 1,
  });
  return fc.tuple(objects, unread).map(([list, resources]) => {
    const records = list.map(({ record, aims }, index) => ({
      ...record,
      ownerReferences: aims.flatMap((aim) => {
        const owner = list[(index + aim.step) % list.length]?.record;
        return owner ? [aimed(owner, aim)] : [];
      }),
    }));
    const snapshot = snapshotOf(records, { unread: resources });
    // A counterexample is to be read.
    const toText = () => JSON.stringify({ objects: records.map(objectOf), unread: resources });
    return Object.defineProperty(snapshot, fc.toStringMethod, { value: toText });
  });
}

function aimed(owner: ObjectRecord, aim: Aim): OwnerReference {
  const [oddVersion, oddKind] = aim.odd;
  const odd = aim.wrong === 'odd';
  return {
    apiVersion: odd ? oddVersion : aim.wrong === 'kind' ? 'v1' : apiVersionOf(owner.type),
    kind: odd ? oddKind : aim.wrong === 'kind' ? 'Secret' : owner.type.kind,
    name: aim.wrong === 'name' ? 'nobody' : owner.name,
    uid: aim.wrong === 'uid' ? 'uid-of-nobody' : owner.uid,
    controller: aim.controller,
    blockOwnerDeletion: aim.blockOwnerDeletion,
  };
}
