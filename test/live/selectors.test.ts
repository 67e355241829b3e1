import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import {
  isEmptySelector,
  type LabelSelector,
  matchesSelector,
  workloadSelects,
} from '../../src/kube/label-selector.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { eventually } from '../support/eventually.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

/** What an empty and an absent selector mean, where our code asks: in the API, and to the controllers. */
const plane = sharedControlPlane();
const namespaces: string[] = [];
afterAll(() => plane.kubectl(['delete', 'namespace', '--wait=false', ...namespaces]));

type Labels = Readonly<Record<string, string>>;
const labelled: Readonly<Record<string, Labels>> = {
  bare: {},
  web: { app: 'web' },
  'web-back': { app: 'web', tier: 'back' },
  db: { app: 'db', tier: 'front' },
  nameless: { app: '' },
};
const selectors: readonly (readonly [string, LabelSelector])[] = [
  ['a label', { matchLabels: { app: 'web' } }],
  ['two labels', { matchLabels: { app: 'web', tier: 'back' } }],
  ['In', { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'db'] }] }],
  ['NotIn', { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['front'] }] }],
  ['Exists', { matchExpressions: [{ key: 'app', operator: 'Exists' }] }],
  ['DoesNotExist', { matchExpressions: [{ key: 'zone', operator: 'DoesNotExist' }] }],
];
const spec = { containers: [{ name: 'main', image: 'registry.invalid/main' }] };
/** Labels that each of `selectors` matches, as the API server wants of a template. */
const template = { metadata: { labels: { app: 'web', tier: 'back' } }, spec };

/** A namespace of its own for a test, and all objects of `labelled` in it. */
async function arena(what: string, kind: string, contentOf: (name: string) => object) {
  const namespace = `selectors-${what.toLowerCase().replaceAll(' ', '-')}`;
  namespaces.push(namespace);
  await plane.make(`Namespace ${namespace}`);
  for (const [name, labels] of Object.entries(labelled)) {
    const content = { metadata: { labels }, ...contentOf(name) };
    // Pods need the service account of the namespace.
    await eventually('it is made', () =>
      plane.make(`${kind} ${namespace}/${name}`, content).catch(() => undefined),
    );
  }
  return namespace;
}

/** Those of `labelled` that this object owns. */
function ownedBy(items: readonly KubeObject[], { metadata: { uid } }: KubeObject): string[] {
  const owned = items.filter(({ metadata: { ownerReferences = [] } }) =>
    (ownerReferences as { uid: unknown }[]).some((owner) => owner.uid === uid),
  );
  return owned.map(({ metadata }) => `${metadata.name}`).filter((name) => name in labelled);
}

function namesMatched(matches: (labels: Labels | undefined) => boolean): string[] {
  return Object.keys(labelled)
    .filter((name) => matches(labelled[name]))
    .sort();
}

describe('the API server refuses workloads that select everything or nothing', () => {
  test.each([
    ['Deployment', { replicas: 0, template }],
    ['ReplicaSet', { replicas: 0, template }],
    ['StatefulSet', { replicas: 0, serviceName: 'db', template }],
    ['DaemonSet', { template }],
    ['ReplicationController', { replicas: 0, template: { metadata: {}, spec } }],
  ])('%s', async (kind, rest) => {
    for (const selector of [undefined, {}]) {
      const made = plane.make(`${kind} default/empty-selector`, { spec: { ...rest, selector } });
      await expect(made).rejects.toThrow(' answered 422: ');
      expect(workloadSelects(selector, {})).toBe(false);
    }
  });
});

const replicaSet = (labels: Labels) => ({
  spec: {
    replicas: 0,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec },
  },
});

test.each([
  ['Deployment', { replicas: 0, template }],
  ['DaemonSet', { template }],
])('a %s with an empty selector selects no Pods', async (kind, rest) => {
  const own = (name: string) => replicaSet({ replica: name });
  const namespace = await arena(`stored ${kind}`, 'ReplicaSet', own);
  const everything = {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'everything', namespace },
    spec: { ...rest, selector: {} },
  };
  const [stored] = await plane.putObjects([everything]);
  await eventually('the refused selector', async () => {
    const events = await plane.list<{ reason: string }>(`Event ${namespace}/`);
    return events.some(({ reason }) => reason === 'SelectingAll');
  });
  const sets = await plane.list(`ReplicaSet ${namespace}/`);
  expect(ownedBy(sets, stored as KubeObject)).toEqual([]);
  await plane.remove(`${kind} ${namespace}/everything`);
});

test.each(selectors)('a Deployment adopts the ReplicaSets we say: %s', async (what, selector) => {
  const own = (name: string) => replicaSet({ replica: name });
  const namespace = await arena(`deployment ${what}`, 'ReplicaSet', own);
  const adopter = await plane.make(`Deployment ${namespace}/adopter`, {
    spec: { replicas: 0, selector, template },
  });
  const expected = namesMatched((labels) => workloadSelects(selector, labels));
  // It makes a ReplicaSet of its own only after it has adopted others.
  const items = await eventually('the Deployment has a ReplicaSet of its own', async () => {
    const sets = await plane.list(`ReplicaSet ${namespace}/`);
    return sets.some(({ metadata }) => `${metadata.name}`.startsWith('adopter-')) && sets;
  });
  expect(expected).not.toEqual([]);
  expect(ownedBy(items, adopter)).toEqual(expected);
});

test.each(selectors)('a StatefulSet adopts the revisions we say: %s', async (what, selector) => {
  let revision = 0;
  const numbered = () => ({ revision: ++revision, data: {} });
  const namespace = await arena(`statefulset ${what}`, 'ControllerRevision', numbered);
  const adopter = await plane.make(`StatefulSet ${namespace}/adopter`, {
    spec: { replicas: 0, serviceName: 'adopter', selector, template },
  });
  const expected = namesMatched((labels) => matchesSelector(selector, labels));
  const owned = async () => ownedBy(await plane.list(`ControllerRevision ${namespace}/`), adopter);
  const isAdopted = async () => (await owned()).length >= expected.length;
  await eventually('the StatefulSet adopts them', isAdopted);
  // It adopts all in one pass: what comes after the last expected one would be there by now.
  await sleep(300);
  expect(await owned()).toEqual(expected);
});

test('a Job, the one that may have an empty selector, adopts every pod without a controller', async () => {
  const once = { ...spec, restartPolicy: 'Never' };
  const namespace = await arena('job', 'Pod', () => ({ spec: once }));
  const count = Object.keys(labelled).length;
  const adopter = await plane.make(`Job ${namespace}/adopter`, {
    spec: {
      ...{ manualSelector: true, selector: {}, parallelism: count, completions: count },
      template: { metadata: {}, spec: once },
    },
  });
  expect(namesMatched((labels) => matchesSelector({}, labels))).toHaveLength(count);
  await eventually('the Job adopts them', async () => {
    const pods = await plane.list(`Pod ${namespace}/`);
    return ownedBy(pods, adopter).length === count;
  });
});

test('the API server stores the empty selector of a Service as none, and no slice is made', async () => {
  const chosen = { none: undefined, empty: {}, web: { app: 'web' } };
  namespaces.push('selectors-service');
  await plane.make('Namespace selectors-service');
  const stored: Record<string, unknown> = {};
  for (const [name, selector] of Object.entries(chosen)) {
    const service = { spec: { ports: [{ port: 80 }], selector } };
    const made = await plane.make(`Service selectors-service/${name}`, service);
    stored[name] = (made.spec as { selector?: unknown }).selector;
  }
  expect(stored).toEqual({ none: undefined, empty: undefined, web: { app: 'web' } });
  const slices = await eventually('a slice is made', async () => {
    const items = await plane.list('EndpointSlice selectors-service/');
    return items.length > 0 && items;
  });
  const served = slices.map(
    ({ metadata }) => (metadata.labels as Labels)['kubernetes.io/service-name'],
  );
  const expected = Object.entries(chosen)
    .filter(([, matchLabels]) => !isEmptySelector(matchLabels && { matchLabels }))
    .map(([name]) => name);
  expect(served).toEqual(expected);
});
