import {
  blocking,
  clusterRole,
  configMap,
  event,
  gadget,
  ownedBy,
  ownedByGone,
  pod,
  secret,
  widget,
} from './builders.ts';
import type { Stage } from './stage.ts';
import {
  alone,
  clusterScoped,
  inRing,
  leftByJob,
  ofEvent,
  ofItself,
  ofSecret,
  ofSecretElsewhere,
  type StagedCase,
} from './staged-references.ts';

/** One way of getting a reference wrong, as objects of a cluster. */
export interface InvalidReferenceCase {
  /** Id of the rule that must find it. */
  readonly rule: string;
  /** What the object refers to, in words. */
  readonly title: string;
  stage(stage: Stage): StagedCase;
}

/** A group whose APIService has no server behind it. */
export const brokenGroup = 'metrics.example.com';

const hold = 'shop.example.com/hold';
const gone = ownedByGone('v1 Secret gone');
const unserved = ownedByGone('gone.example.com/v1 Gone it');
const broken = ownedByGone(`${brokenGroup}/v1 Metric m`);
const controller = { controller: true };

const wrongName = { name: 'nobody' };
const oldVersion = { apiVersion: 'v1beta9' };

export const invalidReferenceCases: readonly InvalidReferenceCase[] = (
  [
    ['missing-owner', 'an owner that is gone', alone([gone])],
    ['missing-owner', 'an owner that is gone, on a pod', alone([gone], pod)],
    [
      'missing-owner',
      'an owner that is gone, beside one that lives',
      ofSecret((o) => [ownedBy(o), gone]),
    ],
    [
      'missing-owner',
      'the same, on a custom resource',
      ofSecret((o) => [gone, ownedBy(o)], 'leave', widget),
    ],
    [
      'missing-owner',
      'an owner that is gone, on an object that a finalizer holds',
      ({ here }: Stage) => ({
        subject: { ...here(configMap, 'subject', [gone]), finalizers: [hold] },
        others: [],
      }),
    ],
    [
      'missing-owner',
      'a Node that is gone, on a ClusterRole',
      alone([ownedByGone('v1 Node n')], clusterRole),
    ],
    ['missing-owner', 'a list', alone([ownedByGone('v1 SecretList s')])],
    ['missing-owner', 'a kind that can only be created', alone([ownedByGone('v1 Binding b')])],
    ['missing-owner', 'an owner that is gone, on an Event', alone([gone], event)],
    [
      'missing-owner',
      'an owner that is gone, beside a kind that is not served',
      alone([gone, unserved]),
    ],
    [
      'missing-owner',
      'an owner that is gone, beside a kind of a broken API',
      alone([gone, broken]),
    ],
    [
      'missing-owner',
      'an owner that is gone, beside one that lives and a kind of a broken API',
      ofSecret((o) => [gone, broken, ownedBy(o)]),
    ],
    [
      'owner-uid-mismatch',
      'an owner that was recreated',
      ofSecret((o) => [ownedBy(o, { uid: 'uid-of-the-first' })]),
    ],
    [
      'owner-uid-mismatch',
      'an owner that was recreated, beside one that lives',
      ({ here }: Stage) => {
        const owners = [here(gadget, 'rack'), here(secret, 'owner')];
        const references = owners.map((o, i) =>
          ownedBy(o, i === 0 ? {} : { uid: 'uid-of-the-first' }),
        );
        return { subject: here(configMap, 'subject', references), others: owners };
      },
    ],
    [
      'owner-name-mismatch',
      'a wrong name',
      ofSecret((o) => [ownedBy(o, { ...wrongName, ...blocking })], 'delete the owner'),
    ],
    [
      'owner-name-mismatch',
      'a wrong name, and rightly as well',
      ofSecret((o) => [ownedBy(o, wrongName), ownedBy(o)]),
    ],
    [
      'owner-kind-mismatch',
      'a wrong kind',
      ofSecret((o) => [ownedBy(o, { kind: 'ConfigMap', ...blocking })], 'delete the owner'),
    ],
    [
      'owner-kind-mismatch',
      'a Widget as a Node, on a ClusterRole',
      clusterScoped({ apiVersion: 'v1', kind: 'Node', ...blocking }),
    ],
    ['cross-namespace-owner', 'an owner elsewhere', ofSecretElsewhere(() => [])],
    [
      'cross-namespace-owner',
      'an owner elsewhere, beside one here',
      ofSecretElsewhere((o) => [ownedBy(o)]),
    ],
    [
      'cross-namespace-owner',
      'an owner elsewhere, beside a kind that is not served',
      ofSecretElsewhere(() => [unserved]),
    ],
    ['namespaced-owner-of-cluster-object', 'a Widget, on a ClusterRole', clusterScoped({})],
    [
      'namespaced-owner-of-cluster-object',
      'a Widget that it blocks, on a ClusterRole',
      clusterScoped(blocking),
    ],
    [
      'namespaced-owner-of-cluster-object',
      'a Secret that is gone, on a ClusterRole',
      alone([gone], clusterRole),
    ],
    ['unserved-owner-kind', 'a kind that is not served', alone([unserved])],
    [
      'unserved-owner-kind',
      'a kind that is not served, beside an owner that lives',
      ofSecret((o) => [ownedBy(o), unserved], 'delete the owner'),
    ],
    [
      'unserved-owner-kind',
      'a kind that is not served, beside an owner that it blocks',
      ofSecret((o) => [ownedBy(o, blocking), unserved], 'delete the owner'),
    ],
    [
      'unserved-owner-kind',
      'a misspelt kind of an owner that it blocks',
      ofSecret((o) => [ownedBy(o, { kind: 'SECRET', ...blocking })], 'delete the owner'),
    ],
    [
      'unserved-owner-version',
      'an old version of an owner',
      ofSecret((o) => [ownedBy(o, oldVersion)], 'delete the owner'),
    ],
    [
      'unserved-owner-version',
      'an old version of an owner that it blocks',
      ofSecret((o) => [ownedBy(o, { ...oldVersion, ...blocking })], 'delete the owner'),
    ],
    [
      'unserved-owner-version',
      'an old version of an owner that is gone',
      alone([{ ...gone, ...oldVersion }]),
    ],
    [
      'several-controllers',
      'two controllers that live',
      ({ here }: Stage) => {
        const owners = [here(secret, 'owner'), here(secret, 'other')];
        return {
          subject: here(
            configMap,
            'subject',
            owners.map((o) => ownedBy(o, controller)),
          ),
          others: owners,
        };
      },
    ],
    [
      'several-controllers',
      'two controllers that live, and an owner that is gone',
      ({ here }: Stage) => {
        const owners = [here(secret, 'owner'), here(secret, 'other')];
        const references = owners.map((o) => ownedBy(o, controller));
        return { subject: here(configMap, 'subject', [...references, gone]), others: owners };
      },
    ],
    [
      'several-controllers',
      'a controller that lives and one that is gone',
      ofSecret((o) => [{ ...gone, ...controller }, ownedBy(o, controller)]),
    ],
    [
      'several-controllers',
      'two controllers that are gone',
      alone([
        { ...gone, ...controller },
        { ...gone, uid: 'uid-2', ...controller },
      ]),
    ],
    [
      'duplicate-uid',
      'one uid, rightly and with a wrong name',
      ofSecret((o) => [ownedBy(o), ownedBy(o, wrongName)]),
    ],
    [
      'duplicate-uid',
      'one uid, rightly twice',
      ofSecret((o) => [ownedBy(o), ownedBy(o, blocking)], 'delete the owner'),
    ],
    [
      'duplicate-uid',
      'one uid, rightly and in an old version',
      ofSecret((o) => [ownedBy(o, blocking), ownedBy(o, oldVersion)], 'delete the owner'),
    ],
    ['self-owner', 'itself', ofItself({})],
    ['self-owner', 'itself, which it blocks', ofItself(blocking)],
    ['self-owner', 'itself by a wrong name', ofItself(wrongName)],
    ['ownership-cycle', 'a ring of two', inRing(2, {}, false)],
    ['ownership-cycle', 'a ring of three that block each other', inRing(3, blocking, false)],
    [
      'ownership-cycle',
      'a ring of three that block each other, all being deleted in the foreground',
      inRing(3, blocking, true),
    ],
    ['orphaned-job-pods', 'nothing; its Job is gone', leftByJob],
    ['event-owner', 'an Event', ofEvent('events.k8s.io/v1')],
    ['event-owner', 'an Event of the core group', ofEvent('v1')],
    ['event-owner', 'an Event that has expired', alone([ownedByGone('events.k8s.io/v1 Event e')])],
  ] as const
).map(([rule, title, stage]) => ({ rule, title, stage }));
