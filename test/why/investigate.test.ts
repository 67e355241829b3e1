import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { diagnosedOf } from '../../src/questions/why/document.ts';
import { linksOf } from '../../src/why/chain.ts';
import { type Answer, type Query, queryKey } from '../../src/why/inquiry.ts';
import { configMap, deployment, gone } from '../support/blockade.ts';
import { blockades } from '../support/blockades.ts';
import { kube } from '../support/kube.ts';
import { diagnosed, leaseOf, readAt } from './diagnosed.ts';

/** Diagnoses one object, and keeps every question that was asked. */
async function why(
  line: string,
  objects: readonly KubeObject[],
  answer: (query: Query) => Answer | undefined = () => undefined,
) {
  const asked: string[] = [];
  const chain = await diagnosed(line, objects, (query) => {
    asked.push(queryKey(query));
    return answer(query);
  });
  return { chain, found: diagnosedOf(chain), asked };
}

const all = blockades.flatMap(({ objects }) => objects);
const spec = { finalizers: ['kubernetes'] };
const converting = kube(
  'apiextensions.k8s.io/v1 CustomResourceDefinition widgets.example.com',
  {},
  {
    spec: { conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://x' } } } },
  },
);
const held = (finalizer: string) => configMap('x', 'held', { ...gone, finalizers: [finalizer] });
test('only what the chain leads to is read, and nothing twice', async () => {
  const { asked } = await why('pvc/data -n b23', all);
  expect(asked).toEqual([
    'object persistentvolumeclaims/data in b23',
    'list pods b23  ',
    'object namespaces/b23',
    'object pods/db in b23',
    'object nodes/sick',
    'object leases.coordination.k8s.io/sick in kube-node-lease',
  ]);
});

test.each(blockades)('$name: every link that is told rests on evidence', async ({ ask }) => {
  const { chain } = await why(ask, all);
  const bare = linksOf(chain).filter(
    ({ state, evidence }) => evidence.length === 0 && (state === 'blocked' || state === 'unknown'),
  );
  expect(bare.map(({ object, cause }) => `${object.kind}/${object.name} ${cause}`)).toEqual([]);
});

describe('a controller that may run outside of the cluster', () => {
  test.each([
    ['is unknown if unreadable', 'karpenter.sh/termination', []],
    [
      'is unknown among many',
      'external-attacher/ebs-csi-aws-com',
      [deployment('x', 'other-csi-controller', 1)],
    ],
  ])('%s', async (_, finalizer, programs) => {
    const { found } = await why('configmap/held -n x', [held(finalizer), ...programs]);
    expect([found.state, found.blockers[0]?.cause, found.fix]).toEqual([
      'unknown',
      'finalizer-controller-unknown',
      undefined,
    ]);
  });

  test('is known to run, or not, by its Lease', async () => {
    const held1 = held('karpenter.sh/termination');
    const runs = await why('configmap/held -n x', [
      held1,
      leaseOf(readAt, 'karpenter-leader-election'),
    ]);
    expect([runs.found.state, runs.chain.links[0]?.cause]).toEqual([
      'progressing',
      'finalizer-controller-running',
    ]);
    const old = leaseOf('2026-05-01T00:00:00Z', 'karpenter-leader-election');
    const { found } = await why('configmap/held -n x', [held1, old]);
    expect([found.state, found.blockers[0]?.cause]).toEqual(['stuck', 'finalizer-controller-down']);
  });
});

test('unreadable objects are reported, and never taken for absent', async () => {
  const refuse = (word: string) => (query: Query) =>
    queryKey(query).startsWith(word)
      ? {
          readAt,
          reason: 'forbidden' as const,
          message: `${word} is forbidden: User "eve" cannot do that`,
        }
      : undefined;
  const cases = [
    ['configmap/owner -n b07', 'content', 'foreground-unread'],
    ['pod/p -n b17', 'object nodes', 'pod-kubelet'],
    ['pvc/data -n b24', 'list pods', 'claim-in-use'],
    ['namespace/b32', 'content', 'namespace-unread'],
    ['configmap/x -n b04', 'list deployments', 'finalizer-controller-unknown'],
    ['pv/b26', 'object persistentvolumeclaims', 'volume-bound'],
    ['configmap/x -n b16', 'content', 'orphaning'],
  ] as const;
  for (const [line, word, cause] of cases) {
    const { found } = await why(line, all, refuse(word));
    expect([line, found.state, found.blockers.map((one) => one.cause), found.fix]).toEqual([
      line,
      'unknown',
      [cause],
      undefined,
    ]);
    expect(JSON.stringify(found.chain)).toContain('"couldNotRead":"');
  }
});

test.each([
  [
    'behind a conversion webhook',
    'widget/w -n x',
    'Widget',
    'conversion webhook for example.com/v2, Kind=Widget failed: Post "https://x": connection refused',
    'conversion-webhook-down CustomResourceDefinition widgets.example.com',
  ],
  [
    'that cannot be decoded',
    'configmap/a -n shop',
    'ConfigMap',
    'Internal error occurred: StorageError: corrupt object, Code: 7, Key: /configmaps/shop/a, ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=217: illegal base64 data at input byte 7',
    'undecodable-object ConfigMap shop/a',
  ],
  [
    'behind a conversion webhook (v1.37)',
    'widget/w -n x',
    'Widget',
    'failed to read one or more widgets.example.com from the storage: /registry/example.com/widgets/x/w (object not decodable)',
    'conversion-webhook-down CustomResourceDefinition widgets.example.com',
  ],
])('an object %s', async (_, line, kind, message, blocker) => {
  const { found } = await why(line, [converting], (query) =>
    query.ask === 'object' && query.type.kind === kind
      ? { readAt, reason: 'unavailable' as const, message }
      : undefined,
  );
  const named = found.blockers.map(({ object: { kind, namespace, name }, cause }) =>
    [cause, kind, namespace ? `${namespace}/${name}` : name].join(' '),
  );
  expect([found.state, named]).toEqual(['stuck', [blocker]]);
});

test('what an API server cannot read from etcd is named, with the way out of each', async () => {
  const unread = (resource: string, key: string, because: string) => ({
    resource,
    reason: 'unavailable' as const,
    message: `failed to read one or more ${resource} from the storage: ${key} (${because})`,
  });
  const namespace = kube('v1 Namespace shop', gone, { spec });
  const { chain, found } = await why('namespace/shop', [namespace], (query) =>
    query.ask === 'content'
      ? {
          readAt,
          value: {
            records: [],
            unread: [
              unread(
                'secrets',
                '/registry/secrets/shop/key',
                'data from the storage is not transformable',
              ),
              unread('nodes', '/registry/minions/worker-1', 'object not decodable'),
            ],
          },
        }
      : undefined,
  );
  expect(
    found.blockers.map(({ object, cause }) => [cause, object.kind, object.namespace, object.name]),
  ).toEqual([
    ['undecodable-object', 'Secret', 'shop', 'key'],
    ['undecodable-object', 'Node', '', 'worker-1'],
  ]);
  const ways = linksOf(chain).filter(({ cause }) => cause === 'undecodable-object');
  expect(ways.map(({ next }) => next.split('. ')[0]).join('\n')).toMatchInlineSnapshot(`
    "Give the API server the encryption key with which it was written
    Restore /registry/minions/worker-1 in etcd from a backup"
  `);
});

test('a deletion that has only just begun is not called stuck', async () => {
  const since = (deletionTimestamp: string) =>
    why('configmap/x -n y', [
      configMap('y', 'x', { deletionTimestamp, finalizers: ['foregroundDeletion'] }),
      leaseOf(readAt),
    ]);
  const young = await since('2026-05-31T23:59:55Z');
  expect([young.found.state, young.found.blockers, young.found.fix]).toEqual([
    'progressing',
    [],
    undefined,
  ]);
  expect(young.chain.links[0]?.because).toContain('the deletion began only 5s ago');
  const old = await since('2026-05-31T23:50:00Z');
  expect([old.found.state, old.found.blockers[0]?.cause]).toEqual(['stuck', 'foreground-lost']);
});
