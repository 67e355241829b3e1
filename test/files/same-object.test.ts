import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { mergeSameObjects } from '../../src/files/same-object.ts';
import { classifyReference } from '../../src/snapshot/graph/classify-reference.ts';
import { buildGraph } from '../../src/snapshot/graph/graph.ts';
import { configMap, pod } from '../support/builders.ts';
import { rowsOf } from '../support/rows.ts';
import { refusal, showFile, showFolder } from './temp-folder.ts';

interface Fields {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly labels?: object;
  readonly status?: object;
  readonly name?: string;
  readonly ownerReferences?: readonly object[];
}

const json = ({
  apiVersion = 'v1',
  kind = 'Pod',
  status,
  name = 'web',
  ...metadata
}: Fields): string =>
  `${JSON.stringify({ apiVersion, kind, metadata: { name, namespace: 'shop', ...metadata }, status })}\n`;

const isNoMissingUid = (problem: string) => !problem.startsWith('no-uid');

async function merged(...objects: Fields[]) {
  const shown = await showFile('x', objects.map(json).join(''));
  return {
    kept: shown.objects,
    problems: shown.problems.filter(isNoMissingUid),
    messages: shown.messages.filter(isNoMissingUid).join('\n'),
  };
}

describe('fromFiles, when an object is shown twice,', () => {
  /** What is kept: the object of the first or the second line. */
  const decided = rowsOf(`
    the higher resourceVersion     | {uid: u, resourceVersion: "10"}    | {uid: u, resourceVersion: "9"}     | 1
    the higher resourceVersion     | {uid: u, resourceVersion: "9"}     | {uid: u, resourceVersion: "10"}    | 2
    the one recreated later        | {uid: u, resourceVersion: "9"}     | {uid: v, resourceVersion: "10"}    | 2
    the one with a resourceVersion | {uid: u, resourceVersion: "9"}     | {uid: u}                           | 1
    the stored one                 | {uid: u}                           | {labels: {a: b}}                   | 1
    the stored one                 | {labels: {a: b}}                   | {uid: u}                           | 2
    the first of equal ones        | {uid: u, labels: {a: "1", b: "2"}} | {uid: u, labels: {b: "2", a: "1"}} | 1
    the fuller of one version      | {uid: u, resourceVersion: "9"}     | {uid: u, resourceVersion: "9", status: {phase: Running}} | 2
    the fuller of one version      | {uid: u, resourceVersion: "9", status: {phase: Running}} | {uid: u, resourceVersion: "9"}     | 1
  `);
  test.each(decided)('keeps %s of %s and %s', async (_, first = '', second = '', line) => {
    expect(await merged(parse(first), parse(second))).toMatchObject({
      kept: [`x:${line} v1 Pod shop/web`],
      problems: [],
    });
  });

  test.each<[string, Fields, Fields]>([
    ['different labels', { uid: 'u', labels: { a: '1' } }, { uid: 'u', labels: { a: '2' } }],
    ['different uids', { uid: 'u' }, { uid: 'v' }],
    ['different manifests', { labels: { a: '1' } }, {}],
    [
      'a resourceVersion that is no number',
      { uid: 'u', resourceVersion: 'x' },
      { uid: 'v', resourceVersion: 'y' },
    ],
  ])('reports undecided contradictions: %s', async (_, first, second) => {
    const { kept, problems, messages } = await merged(first, second);
    expect([kept, problems]).toEqual([['x:2 v1 Pod shop/web'], ['duplicate-uid x:2']]);
    expect(messages).toMatchInlineSnapshot(
      `"duplicate-uid x:2: Pod shop/web differs from what x:1 says about it, and no resourceVersion shows which is newer: the later one counts"`,
    );
  });

  test.each<[string, string, string, string, string]>([
    ['HorizontalPodAutoscaler', 'autoscaling/v1', 'autoscaling/v2', 'x:2', 'autoscaling/v2'],
    ['HorizontalPodAutoscaler', 'autoscaling/v2', 'autoscaling/v1', 'x:1', 'autoscaling/v2'],
    ['Event', 'v1', 'events.k8s.io/v1', 'x:1', 'v1'],
    ['Event', 'events.k8s.io/v1', 'v1', 'x:2', 'v1'],
    ['Ingress', 'extensions/v1beta1', 'networking.k8s.io/v1', 'x:2', 'networking.k8s.io/v1'],
  ])('knows one %s in %s and %s', async (kind, before, after, place, kept) => {
    const same = { kind, uid: 'u', resourceVersion: '7' };
    expect(
      await merged({ ...same, apiVersion: before }, { ...same, apiVersion: after }),
    ).toMatchObject({
      kept: [`${place} ${kept} ${kind} shop/web`],
      problems: [],
    });
  });

  test('keeps objects that only share a uid, and says so', async () => {
    const { messages, ...rest } = await merged(
      { uid: 'u' },
      { uid: 'u', name: 'db' },
      { uid: 'u', kind: 'Service' },
      { uid: 'u', name: 'db' },
    );
    expect(rest).toEqual({
      kept: ['x:1 v1 Pod shop/web', 'x:2 v1 Pod shop/db', 'x:3 v1 Service shop/web'],
      problems: ['duplicate-uid x:2', 'duplicate-uid x:3'],
    });
    expect(messages).toMatchInlineSnapshot(`
      "duplicate-uid Pod shop/web (x:1) and Pod shop/db (x:2) have the same uid u
      duplicate-uid Pod shop/web (x:1) and Service shop/web (x:3) have the same uid u"
    `);
  });

  test('in whatever order its records come: the newest of each counts, where the first stood', () => {
    const place = fc.tuple(
      fc.constantFrom('pod', 'configmap'),
      fc.constantFrom('shop', 'db', 'a-b'),
      fc.constantFrom('a', 'b', 'b-c', 'c', 'd'),
    );
    const inRuns = fc
      .array(place, { maxLength: 20 })
      .map((places) => places.toSorted((a, b) => (a.join(' ') < b.join(' ') ? -1 : 1)));
    const places = fc.tuple(inRuns, fc.array(place, { maxLength: 5 }), inRuns);
    fc.assert(
      fc.property(places, (parts) => {
        const made = parts.flat().map(([kind, namespace, name], index) => {
          const record = kind === 'pod' ? pod(name) : configMap(name);
          return { ...record, namespace, uid: `u${index}`, resourceVersion: `${index}` };
        });
        const newest = new Map(
          made.map((record) => [
            `${record.type.kind} ${record.namespace} ${record.name}`,
            record.uid,
          ]),
        );
        const { records, problems } = mergeSameObjects(made, []);
        expect(records.map(({ uid }) => uid)).toEqual([...newest.values()]);
        expect(problems).toEqual([]);
      }),
    );
  });

  test('merges across files', async () => {
    const shown = await showFolder({
      'a.json': json({ uid: 'u', resourceVersion: '9' }),
      'b.json': json({ uid: 'u', resourceVersion: '10' }),
    });
    expect(shown.objects).toEqual(['b.json:1 v1 Pod shop/web']);
  });
});

describe('files of several clusters', () => {
  const deploymentOf = (cluster: string, name = 'coredns') =>
    json({ apiVersion: 'apps/v1', kind: 'Deployment', name, uid: `${cluster}-${name}` });
  const replicaSetOf = (cluster: string) =>
    json({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name: 'coredns-1',
      uid: `${cluster}-rs`,
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'Deployment', name: 'coredns', uid: `${cluster}-coredns` },
      ],
    });
  const dumps = {
    'eu/deployments.json': deploymentOf('eu') + deploymentOf('eu', 'web'),
    'eu/replicasets.json': replicaSetOf('eu'),
    'us/deployments.json': deploymentOf('us') + deploymentOf('us', 'api'),
    'us/replicasets.json': replicaSetOf('us'),
  };

  test('are refused, as no answer about them would be about a cluster', async () => {
    expect(await refusal(showFolder(dumps))).toMatchInlineSnapshot(
      `"2 usage: the files are of several clusters, or of several moments: the Deployment coredns in namespace shop has the uid eu-coredns in eu/deployments.json:1, and us-coredns in us/deployments.json:1"`,
    );
  });

  test('keep their own objects in an audit of files, and are named', async () => {
    const { snapshot } = await showFolder(dumps, { keepsVariants: true });
    expect(snapshot.records.map(({ uid }) => uid)).toEqual([
      'eu-coredns',
      'eu-web',
      'eu-rs',
      'us-coredns',
      'us-api',
      'us-rs',
    ]);
    expect(snapshot.coverage.problems.map(({ reason }) => reason)).toEqual(['duplicate-uid']);
    const graph = buildGraph(snapshot);
    const references = snapshot.records.flatMap((record) =>
      record.ownerReferences.map((one) => classifyReference(graph, record, one).class),
    );
    expect(references).toEqual(['solid', 'solid']);
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    [
      'they share an object',
      {
        'a.json': deploymentOf('eu') + json({ uid: 'u' }),
        'b.json': deploymentOf('us') + json({ uid: 'u' }),
      },
    ],
    [
      'only recreated objects differ',
      { 'a.json': json({ uid: 'u' }), 'b.json': json({ uid: 'v' }) },
    ],
    ['only dependents differ', { 'a.json': replicaSetOf('eu'), 'b.json': replicaSetOf('us') }],
    [
      'one was never applied',
      {
        'a.json': deploymentOf('eu'),
        'b.json': json({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'coredns' }),
      },
    ],
    ['the names differ', { 'a.json': deploymentOf('eu', 'a'), 'b.json': deploymentOf('us', 'b') }],
  ])('may be one cluster where %s', async (_, files) => {
    expect(await refusal(showFolder(files))).toBe('none');
  });
});
