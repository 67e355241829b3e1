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

/** By rule, and by what the object refers to. */
const cases: Readonly<Record<string, Readonly<Record<string, InvalidReferenceCase['stage']>>>> = {
  'missing-owner': {
    'an owner that is gone': alone([gone]),
    'an owner that is gone, on a pod': alone([gone], pod),
    'an owner that is gone, beside one that lives': ofSecret((o) => [ownedBy(o), gone]),
    'the same, on a custom resource': ofSecret((o) => [gone, ownedBy(o)], 'leave', widget),
    'an owner that is gone, on an object that a finalizer holds': ({ here }: Stage) => ({
      subject: { ...here(configMap, 'subject', [gone]), finalizers: [hold] },
      others: [],
    }),
    'a Node that is gone, on a ClusterRole': alone([ownedByGone('v1 Node n')], clusterRole),
    'a list': alone([ownedByGone('v1 SecretList s')]),
    'a kind that can only be created': alone([ownedByGone('v1 Binding b')]),
    'an owner that is gone, on an Event': alone([gone], event),
    'an owner that is gone, beside a kind that is not served': alone([gone, unserved]),
    'an owner that is gone, beside a kind of a broken API': alone([gone, broken]),
    'an owner that is gone, beside one that lives and a kind of a broken API': ofSecret((o) => [
      gone,
      broken,
      ownedBy(o),
    ]),
  },
  'owner-uid-mismatch': {
    'an owner that was recreated': ofSecret((o) => [ownedBy(o, { uid: 'uid-of-the-first' })]),
    'an owner that was recreated, beside one that lives': ({ here }: Stage) => {
      const owners = [here(gadget, 'rack'), here(secret, 'owner')];
      const references = owners.map((o, i) =>
        ownedBy(o, i === 0 ? {} : { uid: 'uid-of-the-first' }),
      );
      return { subject: here(configMap, 'subject', references), others: owners };
    },
  },
  'owner-name-mismatch': {
    'a wrong name': ofSecret(
      (o) => [ownedBy(o, { ...wrongName, ...blocking })],
      'delete the owner',
    ),
    'a wrong name, and rightly as well': ofSecret((o) => [ownedBy(o, wrongName), ownedBy(o)]),
  },
  'owner-kind-mismatch': {
    'a wrong kind': ofSecret(
      (o) => [ownedBy(o, { kind: 'ConfigMap', ...blocking })],
      'delete the owner',
    ),
    'a Widget as a Node, on a ClusterRole': clusterScoped({
      apiVersion: 'v1',
      kind: 'Node',
      ...blocking,
    }),
  },
  'cross-namespace-owner': {
    'an owner elsewhere': ofSecretElsewhere(() => []),
    'an owner elsewhere, beside one here': ofSecretElsewhere((o) => [ownedBy(o)]),
    'an owner elsewhere, beside a kind that is not served': ofSecretElsewhere(() => [unserved]),
  },
  'namespaced-owner-of-cluster-object': {
    'a Widget, on a ClusterRole': clusterScoped({}),
    'a Widget that it blocks, on a ClusterRole': clusterScoped(blocking),
    'a Secret that is gone, on a ClusterRole': alone([gone], clusterRole),
  },
  'unserved-owner-kind': {
    'a kind that is not served': alone([unserved]),
    'a kind that is not served, beside an owner that lives': ofSecret(
      (o) => [ownedBy(o), unserved],
      'delete the owner',
    ),
    'a kind that is not served, beside an owner that it blocks': ofSecret(
      (o) => [ownedBy(o, blocking), unserved],
      'delete the owner',
    ),
    'a misspelt kind of an owner that it blocks': ofSecret(
      (o) => [ownedBy(o, { kind: 'SECRET', ...blocking })],
      'delete the owner',
    ),
  },
  'unserved-owner-version': {
    'an old version of an owner': ofSecret((o) => [ownedBy(o, oldVersion)], 'delete the owner'),
    'an old version of an owner that it blocks': ofSecret(
      (o) => [ownedBy(o, { ...oldVersion, ...blocking })],
      'delete the owner',
    ),
    'an old version of an owner that is gone': alone([{ ...gone, ...oldVersion }]),
  },
  'several-controllers': {
    'two controllers that live': ({ here }: Stage) => {
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
    'two controllers that live, and an owner that is gone': ({ here }: Stage) => {
      const owners = [here(secret, 'owner'), here(secret, 'other')];
      const references = owners.map((o) => ownedBy(o, controller));
      return { subject: here(configMap, 'subject', [...references, gone]), others: owners };
    },
    'a controller that lives and one that is gone': ofSecret((o) => [
      { ...gone, ...controller },
      ownedBy(o, controller),
    ]),
    'two controllers that are gone': alone([
      { ...gone, ...controller },
      { ...gone, uid: 'uid-2', ...controller },
    ]),
  },
  'duplicate-uid': {
    'one uid, rightly and with a wrong name': ofSecret((o) => [ownedBy(o), ownedBy(o, wrongName)]),
    'one uid, rightly twice': ofSecret(
      (o) => [ownedBy(o), ownedBy(o, blocking)],
      'delete the owner',
    ),
    'one uid, rightly and in an old version': ofSecret(
      (o) => [ownedBy(o, blocking), ownedBy(o, oldVersion)],
      'delete the owner',
    ),
  },
  'self-owner': {
    itself: ofItself({}),
    'itself, which it blocks': ofItself(blocking),
    'itself by a wrong name': ofItself(wrongName),
  },
  'ownership-cycle': {
    'a ring of two': inRing(2, {}, false),
    'a ring of three that block each other': inRing(3, blocking, false),
    'a ring of three that block each other, all being deleted in the foreground': inRing(
      3,
      blocking,
      true,
    ),
  },
  'orphaned-job-pods': {
    'nothing; its Job is gone': leftByJob,
  },
  'event-owner': {
    'an Event': ofEvent('events.k8s.io/v1'),
    'an Event of the core group': ofEvent('v1'),
    'an Event that has expired': alone([ownedByGone('events.k8s.io/v1 Event e')]),
  },
};

export const invalidReferenceCases: readonly InvalidReferenceCase[] = Object.entries(cases).flatMap(
  ([rule, staged]) => Object.entries(staged).map(([title, stage]) => ({ rule, title, stage })),
);
