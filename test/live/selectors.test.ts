import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import {
  isEmptySelector,
  type LabelSelector,
  matchesSelector,
  workloadSelects,
} from '../../src/kube/label-selector.ts';
import { eventually } from '../support/eventually.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

/** What an empty and an absent selector mean, where our code asks: in the API, and to the controllers. */
const plane = sharedControlPlane();
const namespaces: string[] = [];
afterAll(() => plane.kubectl(['delete', 'namespace', '--wait=false', ...namespaces]));

const labelled: Readonly<Record<string, Readonly<Record<string, string>>>> = {
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

interface Item {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
}

async function namespaceOf(name: string): Promise<string> {
  namespaces.push(name);
  await plane.make(`Namespace ${name}`);
  return name;
}

async function listed(path: string): Promise<readonly Item[]> {
  return (await plane.get<{ items: Item[] }>(path)).items;
}

function ownedBy(items: readonly Item[], uid: string): string[] {
  return items
    .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))
    .map(({ metadata }) => metadata.name)
    .filter((name) => name in labelled)
    .sort();
}

function namesMatched(matches: (labels: Item['metadata']['labels']) => boolean): string[] {
  return Object.keys(labelled)
    .filter((name) => matches(labelled[name]))
    .sort();
}

describe('the API server refuses workloads that select everything or nothing', () => {
  const unlabelled = { metadata: {}, spec };
  test.each([
    ['apps/v1', 'deployments', { replicas: 0, template }],
    ['apps/v1', 'replicasets', { replicas: 0, template }],
    ['apps/v1', 'statefulsets', { replicas: 0, serviceName: 'db', template }],
    ['apps/v1', 'daemonsets', { template }],
    ['v1', 'replicationcontrollers', { replicas: 0, template: unlabelled }],
  ])('%s %s', async (version, resource, rest) => {
    const root = version === 'v1' ? '/api/v1' : `/apis/${version}`;
    const path = `${root}/namespaces/default/${resource}`;
    for (const selector of [undefined, {}]) {
      const body = { metadata: { name: 'empty-selector' }, spec: { ...rest, selector } };
      expect((await plane.request(path, { method: 'POST', body })).status).toBe(422);
      expect(workloadSelects(selector, {})).toBe(false);
    }
  });
});

test.each([
  ['deployments', 'Deployment', { replicas: 0, template }],
  ['daemonsets', 'DaemonSet', { template }],
])('%s stored with an empty selector take nothing', async (resource, kind, rest) => {
  const namespace = await namespaceOf(`selectors-stored-${resource}`);
  const root = `/apis/apps/v1/namespaces/${namespace}`;
  const set = { replicas: 0, selector: { matchLabels: template.metadata.labels }, template };
  await plane.create(`${root}/replicasets`, { metadata: { name: 'web' }, spec: set });
  const [stored] = await plane.putObjects([
    {
      apiVersion: 'apps/v1',
      kind,
      metadata: { name: 'everything', namespace },
      spec: { ...rest, selector: {} },
    },
  ]);
  const events = `/api/v1/namespaces/${namespace}/events`;
  await eventually('the controller refuses to select everything', async () => {
    const { items } = await plane.get<{ items: { reason: string }[] }>(events);
    return items.find(({ reason }) => reason === 'SelectingAll');
  });
  expect(ownedBy(await listed(`${root}/replicasets`), String(stored?.metadata.uid))).toEqual([]);
  await plane.request(`${root}/${resource}/everything`, { method: 'DELETE' });
});

test.each(selectors)('a Deployment adopts the ReplicaSets we say: %s', async (what, selector) => {
  const namespace = await namespaceOf(
    `selectors-deployment-${what.toLowerCase().replace(' ', '-')}`,
  );
  const root = `/apis/apps/v1/namespaces/${namespace}`;
  for (const [name, labels] of Object.entries(labelled)) {
    const own = { replica: name };
    await plane.create(`${root}/replicasets`, {
      metadata: { name, labels },
      spec: {
        replicas: 0,
        selector: { matchLabels: own },
        template: { metadata: { labels: own }, spec },
      },
    });
  }
  const { metadata } = await plane.create<Item>(`${root}/deployments`, {
    metadata: { name: 'adopter' },
    spec: { replicas: 0, selector, template },
  });
  const expected = namesMatched((labels) => workloadSelects(selector, labels));
  // It makes a ReplicaSet of its own only after it has adopted others.
  const items = await eventually('the Deployment has a ReplicaSet of its own', async () => {
    const sets = await listed(`${root}/replicasets`);
    return sets.some(({ metadata: { name } }) => name.startsWith('adopter-')) ? sets : undefined;
  });
  expect(expected).not.toEqual([]);
  expect(ownedBy(items, metadata.uid)).toEqual(expected);
});

test.each(selectors)('a StatefulSet adopts the revisions we say: %s', async (what, selector) => {
  const namespace = await namespaceOf(
    `selectors-statefulset-${what.toLowerCase().replace(' ', '-')}`,
  );
  const root = `/apis/apps/v1/namespaces/${namespace}`;
  let revision = 0;
  for (const [name, labels] of Object.entries(labelled)) {
    revision += 1;
    await plane.create(`${root}/controllerrevisions`, {
      metadata: { name, labels },
      revision,
      data: {},
    });
  }
  const { metadata } = await plane.create<Item>(`${root}/statefulsets`, {
    metadata: { name: 'adopter' },
    spec: { replicas: 0, serviceName: 'adopter', selector, template },
  });
  const expected = namesMatched((labels) => matchesSelector(selector, labels));
  const owned = async () => ownedBy(await listed(`${root}/controllerrevisions`), metadata.uid);
  await eventually(
    'the StatefulSet adopts them',
    async () => (await owned()).length >= expected.length,
  );
  // It adopts all in one pass: what comes after the last expected one would be there by now.
  await sleep(300);
  expect(await owned()).toEqual(expected);
});

test('a Job, the one that may have an empty selector, adopts every pod without a controller', async () => {
  const namespace = await namespaceOf('selectors-job');
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  for (const [name, labels] of Object.entries(labelled)) {
    await eventually('the service account is there', async () => {
      const body = { metadata: { name, labels }, spec: { ...spec, restartPolicy: 'Never' } };
      return (await plane.request(pods, { method: 'POST', body })).status === 201;
    });
  }
  const { metadata } = await plane.make<Item>(`Job ${namespace}/adopter`, {
    spec: {
      manualSelector: true,
      selector: {},
      parallelism: Object.keys(labelled).length,
      completions: Object.keys(labelled).length,
      template: { metadata: {}, spec: { ...spec, restartPolicy: 'Never' } },
    },
  });
  const expected = namesMatched((labels) => matchesSelector({}, labels));
  expect(expected).toEqual(Object.keys(labelled).sort());
  await eventually('the Job adopts them', async () => {
    const owned = ownedBy(await listed(pods), metadata.uid);
    return owned.length === expected.length ? owned : undefined;
  });
});

test('the API server stores the empty selector of a Service as none, and no slice is made', async () => {
  const namespace = await namespaceOf('selectors-service');
  const services = `/api/v1/namespaces/${namespace}/services`;
  const ports = [{ port: 80 }];
  const chosen = { none: undefined, empty: {}, web: { app: 'web' } };
  const stored: Record<string, unknown> = {};
  for (const [name, selector] of Object.entries(chosen)) {
    const service = { metadata: { name }, spec: { ports, selector } };
    const answer = await plane.create<{ spec: { selector?: unknown } }>(services, service);
    stored[name] = answer.spec.selector;
  }
  expect(stored).toEqual({ none: undefined, empty: undefined, web: { app: 'web' } });
  const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
  const slices = await eventually('a slice is made', async () => {
    const items = await listed(path);
    return items.length > 0 ? items : undefined;
  });
  const served = slices.map(({ metadata }) => metadata.labels?.['kubernetes.io/service-name']);
  const expected = Object.entries(chosen)
    .filter(([, matchLabels]) => !isEmptySelector(matchLabels && { matchLabels }))
    .map(([name]) => name);
  expect(served).toEqual(expected);
});
