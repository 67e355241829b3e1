import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AuditReport } from '../../src/questions/audit/document.ts';
import type { Diagnosed, DiagnosisReport } from '../../src/questions/why/document.ts';
import type { StuckDeletionsReport } from '../../src/questions/why/stuck-document.ts';
import { validDocument } from '../contract/valid-document.ts';
import { webhookFor } from '../support/admission.ts';
import { gone, namespace } from '../support/blockade.ts';
import { blockades } from '../support/blockades.ts';
import { customDefinition } from '../support/custom-resources.ts';
import { eventually, untilGone } from '../support/eventually.ts';
import { stepOf } from '../support/fix-step.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gcHere } from '../support/run-here.ts';
import { serveKind } from '../support/served-kinds.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { whyRunningProgram } from './why-running-program.ts';

/** Blockades on a real API server without controllers, so that nobody clears them away. */
const plane = await ownControlPlane({ controllers: 'none' });

const temporary = temporaryFolder();
const lease = (renewTime: string) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'kube-controller-manager', namespace: 'kube-system' },
  spec: { holderIdentity: 'test', leaseDurationSeconds: 3600, renewTime },
});
const podSpec = { containers: [{ name: 'main', image: 'registry.test/main:1' }] };
const now = () => new Date().toISOString().replace('Z', '000Z');

async function ask(line: string, kubeconfig = plane.kubeconfigPath): Promise<Diagnosed> {
  const { code, stdout, stderr } = await gcHere(`why ${line} -o json`, { KUBECONFIG: kubeconfig });
  const report: DiagnosisReport = validDocument('why', stdout);
  const [item] = report.items;
  if (!item) throw new Error('no item');
  expect([line, code], stderr).toEqual([line, item.state === 'absent' ? 3 : 0]);
  return item;
}

const named = ({ blockers }: Diagnosed) =>
  blockers.map(({ object, cause }) => `${object.kind}/${object.name} ${cause}`).sort();

beforeAll(async () => {
  await plane.create('/apis/coordination.k8s.io/v1/namespaces/kube-system/leases', lease(now()));
  // Webhooks that nobody serves, called for ConfigMaps that carry a label.
  for (const operation of ['delete', 'update']) {
    const name = `dead-${operation}s.example.com`;
    const more = { name, objectSelector: { matchLabels: { deny: operation } } };
    const webhook = webhookFor(operation.toUpperCase(), 'configmaps', more);
    await plane.make(`ValidatingWebhookConfiguration dead-${operation}s`, webhook);
  }
  const objects = blockades.flatMap((blockade) => blockade.objects);
  const spaces = new Set(objects.flatMap(({ metadata }) => (metadata.namespace as string) ?? []));
  const own = new Set(
    objects.flatMap(({ kind, metadata }) => (kind === 'Namespace' ? metadata.name : [])),
  );
  const made = [...spaces].filter((space) => !own.has(space)).map((space) => namespace(space));
  await plane.putObjects([...made, namespace('live'), ...objects]);
  await eventually('the webhook is called', async () => {
    const answer = await plane.remove('/api/v1/namespaces/b14/configmaps/child?dryRun=All');
    return answer.status === 200 ? undefined : answer.status;
  });
});

test('are many', () => expect(blockades.length).toBeGreaterThanOrEqual(25));

test('asking changes nothing, dry runs included', async () => {
  const kinds = ['configmaps', 'pods', 'persistentvolumeclaims', 'persistentvolumes', 'namespaces'];
  const versions = async () => {
    const lists = await Promise.all(
      kinds.map((kind) =>
        plane.get<{ items: { metadata: Record<string, string> }[] }>(`/api/v1/${kind}`),
      ),
    );
    return lists.flatMap(({ items }) =>
      items.map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`),
    );
  };
  const before = await versions();
  for (const blockade of blockades) await ask(blockade.ask);
  await gcHere('why --gc', { KUBECONFIG: plane.kubeconfigPath });
  expect(await versions()).toEqual(before);
});

/** Rules that report the objects that own themselves or each other. */
const rings = new Set(['self-owner', 'ownership-cycle']);

test('audit says of every deletion that has not ended what why says: all of these are old', async () => {
  const env = { KUBECONFIG: plane.kubeconfigPath };
  // One moment for both: how long ago something was, is told in seconds.
  const now = `--now ${new Date(Date.now() + 3_600_000).toISOString()}`;
  const all = await gcHere(`why -A -o json ${now}`, env);
  const audit = await gcHere(`audit -A -o json ${now}`, env);
  const { items } = JSON.parse(all.stdout) as StuckDeletionsReport;
  const { items: findings } = JSON.parse(audit.stdout) as AuditReport;
  const severities = { stuck: 'error', unknown: 'warning', progressing: 'warning' };
  const old = items.filter(({ since }) => since < '2026-06-01');
  expect(old.length).toBeGreaterThan(20);
  for (const { object, state, blockers } of old) {
    const about = findings.filter((one) => one.object.uid === object.uid);
    const because = blockers[0]?.because ?? '';
    const said = about.filter(({ rule }) => rule === 'stuck-object');
    const title = `${object.namespace} ${object.kind}/${object.name}: ${because}`;
    if (said.length === 0) {
      expect(
        about.map(({ rule }) => rule).some((rule) => rings.has(rule)),
        title,
      ).toBe(true);
      continue;
    }
    expect([title, ...said.map(({ severity }) => severity)]).toEqual([title, severities[state]]);
    // An audit sends no dry run, and only that shows a webhook that does not answer.
    if (!because.startsWith('the admission webhook')) expect(said[0]?.message).toContain(because);
  }
});

describe.each(blockades)('$name', (blockade) => {
  const { state = 'stuck', blockers, fix, afterwards } = blockade;

  test('why names what really blocks, and one step at most', async () => {
    const found = await ask(blockade.ask);
    const step = found.fix && stepOf(found.fix);
    expect({ state: found.state, blockers: named(found), fix: step }).toEqual({
      state,
      blockers: [...blockers].sort(),
      fix,
    });
    const links = JSON.stringify(found.chain);
    expect(links.includes('"evidence":[{')).toBe(true);
  });

  test('--fix resolves that link and no other', async () => {
    const run = await gcHere(`why ${blockade.ask} --fix --yes`, {
      KUBECONFIG: plane.kubeconfigPath,
      NO_COLOR: '1',
    });
    const isLeft = fix === undefined && (state === 'stuck' || state === 'unknown');
    expect(run.code, run.stderr).toBe(isLeft ? 3 : 0);
    expect(run.stderr.includes('Done: applied')).toBe(fix !== undefined);
    const after = await ask(blockade.ask);
    const without = fix === undefined ? [state, ...blockers] : ['absent'];
    const [nextState, ...left] = afterwards ?? without;
    expect([after.state, ...named(after)]).toEqual([nextState, ...left.sort()]);
  });
});

test('a CustomResourceDefinition that waits for an instance', async () => {
  const definition = await serveKind(plane, customDefinition('Toy', 'play.example.com'));
  // One whose deletion is old enough for a step.
  await plane.putObjects([
    {
      apiVersion: 'play.example.com/v1',
      kind: 'Toy',
      metadata: {
        name: 'car',
        namespace: 'live',
        deletionTimestamp: '2026-01-01T00:00:00Z',
        finalizers: ['longhorn.io'],
      },
    },
  ]);
  await plane.remove(definition);
  const found = await eventually('the terminating instance', async () => {
    const item = await ask('crd/toys.play.example.com');
    return item.blockers[0]?.cause === 'finalizer-controller-missing' ? item : undefined;
  });
  expect(named(found)).toEqual(['Toy/car finalizer-controller-missing']);
  await gcHere('why crd/toys.play.example.com --fix --yes', { KUBECONFIG: plane.kubeconfigPath });
  await eventually(
    'the definition is gone',
    async () => (await ask('crd/toys.play.example.com')).state === 'absent',
  );
});

test('the step that removes an entry of spec.finalizers keeps all else of the namespace', async () => {
  // Its program runs: no step is offered for this finalizer.
  const finalizers = ['controller.cattle.io/namespace-auth'];
  await plane.make('Namespace cattle-system');
  const template = { metadata: { labels: { app: 'rancher' } }, spec: podSpec };
  await plane.make('Deployment cattle-system/rancher', {
    spec: { selector: { matchLabels: template.metadata.labels }, template },
  });
  await plane.report('Deployment cattle-system/rancher', { replicas: 1, readyReplicas: 1 });
  const metadata = {
    ...gone,
    labels: { 'pod-security.kubernetes.io/enforce': 'restricted' },
    annotations: { 'example.com/billing': 'b-12' },
    finalizers,
  };
  await plane.putObjects([namespace('annotated', metadata)]);
  const left = async () => {
    const { metadata: of, ...rest } = await plane.get('/api/v1/namespaces/annotated');
    const { resourceVersion, managedFields, ...kept } = of;
    return { ...rest, metadata: kept };
  };
  const before = await left();
  expect(before).toMatchObject({ metadata, spec: { finalizers: ['kubernetes'] } });
  const { code, stderr } = await gcHere('why ns/annotated --fix --yes', {
    KUBECONFIG: plane.kubeconfigPath,
  });
  expect([code, await left()], stderr).toEqual([0, { ...before, spec: {} }]);
});

test('a definition whose instances cannot be listed has no step: they stay in etcd, and are served again with it', async () => {
  const definition = customDefinition('Jar', 'shelf.example.com', { versions: ['v1', 'v2'] });
  const path = await serveKind(plane, definition);
  await plane.make('shelf.example.com/v1 Jar live/honey');
  // It is stored in v1, and the API server lists what it deletes in the version that is stored now.
  const [v1, v2] = (definition.spec as { versions: object[] }).versions;
  const service = { namespace: 'live', name: 'not-there' };
  const webhook = { conversionReviewVersions: ['v1'], clientConfig: { service } };
  await plane.patch(path, {
    spec: {
      versions: [
        { ...v1, storage: false },
        { ...v2, storage: true },
      ],
      conversion: { strategy: 'Webhook', webhook },
    },
  });
  await plane.remove(path);
  const dump = join(temporary, 'dump.json');
  await eventually('the report of failed lists', async () => {
    const text = JSON.stringify(await plane.get(path));
    writeFileSync(dump, text);
    return /InstanceDeletionFailed.*conversion webhook/.test(text);
  });
  const line = 'why crd/jars.shelf.example.com';
  for (const from of ['', `--from ${dump} --complete`]) {
    const run = (flags: string) =>
      gcHere(`${line} ${from} ${flags}`, { KUBECONFIG: plane.kubeconfigPath });
    const [item] = (JSON.parse((await run('-o json')).stdout) as DiagnosisReport).items;
    expect([item?.state, item?.blockers.map(({ cause }) => cause), item?.fix]).toEqual([
      'stuck',
      ['conversion-webhook-down'],
      undefined,
    ]);
    expect((await run('--fix --yes')).code).toBe(3);
  }
  // What the step would have done.
  await plane.patch(path, { metadata: { finalizers: null } });
  await untilGone(plane, path);
  await serveKind(plane, definition);
  expect(await plane.names('/apis/shelf.example.com/v1/jars')).toEqual(['honey']);
});

test('a custom resource that reports why it cannot be deleted: a cluster, a dump and a snapshot answer alike', async () => {
  await serveKind(plane, customDefinition('Bucket', 'store.example.com'));
  const bucket = {
    apiVersion: 'store.example.com/v1',
    kind: 'Bucket',
    metadata: {
      name: 'logs',
      namespace: 'live',
      deletionTimestamp: '2026-01-01T00:00:00Z',
      finalizers: ['finalizer.keda.sh'],
    },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'NotEmpty',
          message: 'the bucket contains 3 objects',
          lastTransitionTime: '2026-01-01T00:00:09Z',
        },
      ],
    },
  };
  await plane.putObjects([bucket]);
  const template = { metadata: { labels: { app: 'keda' } }, spec: podSpec };
  await plane.make('Deployment live/keda-operator', {
    spec: { selector: { matchLabels: template.metadata.labels }, template },
  });
  await plane.report('Deployment live/keda-operator', { replicas: 1, readyReplicas: 1 });
  const [dump, saved] = [join(temporary, 'live.json'), join(temporary, 'live.json.gz')];
  const paths = [
    '/apis/store.example.com/v1/namespaces/live/buckets/logs',
    '/apis/apps/v1/namespaces/live/deployments/keda-operator',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/buckets.store.example.com',
  ];
  const items = await Promise.all(paths.map((path) => plane.get(path)));
  writeFileSync(dump, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  const env = { KUBECONFIG: plane.kubeconfigPath };
  const { code, stderr } = await gcHere(`snapshot save ${saved} -n live`, env);
  expect(code, stderr).toBe(0);
  for (const from of ['', `--from ${dump}`, `--from ${saved}`]) {
    const one = await ask(`bucket/logs -n live ${from}`);
    const { stdout } = await gcHere(`why -n live -o json ${from}`, env);
    const all: StuckDeletionsReport = JSON.parse(stdout);
    const listed = all.items.filter(({ object }) => object.kind === 'Bucket');
    expect([one.state, named(one), listed.map(({ blockers }) => blockers[0]?.cause)]).toEqual([
      'stuck',
      ['Bucket/logs reported'],
      ['reported'],
    ]);
  }
});

describe('a program that may remove a finalizer', () => whyRunningProgram(plane));
