import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plan } from '../../src/deletion/plan/plan.ts';
import { disappearingIn } from '../../src/deletion/plan/plan-totals.ts';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { type Backup, backupIndexFile } from '../../src/restore/backup/backup.ts';
import { askingOf } from '../support/asking.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Jobs that lose pods by a deletion, and what the Job controller and others delete by that. */
const plane = await ownControlPlane({
  controllers: ['*', '-node-lifecycle-controller', '-taint-eviction-controller'],
});
const { run, json } = askingOf(plane);
const folder = temporaryFolder();
/** Pods on it are ended by the kubelet that this test plays; the one on `lost` is silent. */
const livingNode = 'stays';

/** How the kubelet reports that a pod has ended which is being deleted, by its namespace. */
const endings = new Map<string, string>();
const stopped = new AbortController();
const kubelet = playKubelet();
afterAll(async () => {
  stopped.abort();
  await kubelet;
});

beforeAll(async () => {
  for (const [name, status] of [
    ['lost', 'Unknown'],
    [livingNode, 'True'],
  ]) {
    await plane.make(`Node ${name}`);
    await plane.report(`Node ${name}`, { conditions: [{ type: 'Ready', status }] });
  }
});

const referenceTo = ({ apiVersion, kind, metadata: { name, uid } }: KubeObject) => ({
  apiVersion,
  kind,
  name,
  uid,
});

interface Pod extends KubeObject {
  readonly spec: { readonly nodeName?: string };
}

async function playKubelet(): Promise<void> {
  while (!stopped.signal.aborted) {
    for (const { metadata, spec } of await plane.list<Pod>('/api/v1/pods')) {
      const phase = endings.get(`${metadata.namespace}`);
      if (spec.nodeName !== livingNode || !metadata.deletionTimestamp || !phase) continue;
      const path = `Pod ${metadata.namespace}/${metadata.name}`;
      await plane.merge(`/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/status`, {
        status: { phase },
      });
      await plane.remove(path, { gracePeriodSeconds: 0 });
    }
    await sleep(200);
  }
}

interface SetUp {
  readonly spec: object;
  /** The first of its pods is on this Node; all others run on `stays`. */
  readonly firstOn?: string;
  readonly count?: number;
  readonly metadata?: object;
}

/** Makes a Job with pods that run, and a ConfigMap that it owns; resolves with the names of the pods. */
async function makeJob(
  namespace: string,
  { spec, firstOn = livingNode, count = 2, metadata = {} }: SetUp,
) {
  const containers = [{ name: 'main', image: 'example.com/main' }];
  const podSpec = { restartPolicy: 'Never', automountServiceAccountToken: false, containers };
  const size = { parallelism: count, completions: count };
  const job = await plane.make(`Job ${namespace}/import`, {
    metadata,
    spec: { ...size, ...spec, template: { spec: podSpec } },
  });
  const ownerReferences = [referenceTo(job)];
  await plane.make(`ConfigMap ${namespace}/made`, { metadata: { ownerReferences } });
  const pods = await eventually(`the pods of ${namespace}`, async () => {
    const names = await plane.names(`Pod ${namespace}/`);
    return names.length === count && names;
  });
  for (const [at, name] of pods.entries()) {
    const target = { apiVersion: 'v1', kind: 'Node', name: at === 0 ? firstOn : livingNode };
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    await plane.create(`${path}/binding`, { metadata: { name }, target });
    await plane.report(path, { phase: 'Running' });
  }
  await eventually(`${namespace} has seen its pods`, async () => {
    const { status } = await plane.get(`Job ${namespace}/import`);
    return (status as { active?: number }).active === count;
  });
  return pods;
}

/** `Job import`, `Pod on lost`, by uid. */
async function objectsIn(namespaces: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const namespace of namespaces) {
    for (const kind of ['Pod', 'Job', 'CronJob', 'ConfigMap']) {
      for (const { metadata, spec } of await plane.list<Pod>(`${kind} ${namespace}/`)) {
        const name = kind === 'Pod' ? `on ${spec.nodeName}` : metadata.name;
        if (name !== 'kube-root-ca.crt') {
          found.set(`${metadata.uid}`, `${namespace}: ${kind} ${name}`);
        }
      }
    }
  }
  return found;
}

/**
 * Deletes, and waits until so much is gone. Resolves with what of the objects that there were is gone, what of that was not
 * counted or not saved, and the names of those of which the plan did not know whether they are deleted.
 */
async function whatGoes(line: string, namespaces: readonly string[], count: number) {
  const before = await objectsIn(namespaces);
  const { objects } = await json<Plan>(`delete ${line} --preview`);
  const backup = join(folder, `${namespaces[0]}`);
  const { stderr } = await run(`delete ${line} --yes --timeout 120s --backup ${backup}`);
  const gone = await eventually(`the end of ${count} objects: ${stderr}`, async () => {
    const left = await objectsIn(namespaces);
    const uids = [...before.keys()].filter((uid) => !left.has(uid));
    return uids.length >= count && uids;
  });
  const namesOf = (uids: readonly string[]) => uids.map((uid) => before.get(uid) ?? uid).sort();
  const counted = new Set(disappearingIn({ objects }).map(({ uid }) => uid));
  const index = JSON.parse(readFileSync(join(backup, backupIndexFile), 'utf8')) as Backup;
  const saved = new Set(index.objects.flatMap(({ uid, file }) => (file ? [uid] : [])));
  return {
    gone: namesOf(gone),
    missing: namesOf(gone.filter((uid) => !counted.has(uid) || !saved.has(uid))),
    open: namesOf(objects.flatMap(({ uid, fate }) => (fate === 'unknown' ? [uid] : []))),
  };
}

const whole = ['ConfigMap made', 'Job import', 'Pod on lost', 'Pod on stays'];
const soon = { ttlSecondsAfterFinished: 1 };
const disrupted = (action: string) => ({
  podFailurePolicy: {
    rules: [{ action, onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
  },
});
const indexed = { completionMode: 'Indexed', backoffLimitPerIndex: 0 };

/** What a Job is like that loses a pod with its Node, and what is deleted by that. */
const byNode: Readonly<Record<string, readonly [SetUp, readonly string[]]>> = {
  limit: [{ spec: { backoffLimit: 0, ...soon } }, whole],
  'no-ttl': [{ spec: { backoffLimit: 0 } }, ['Pod on lost', 'Pod on stays']],
  within: [{ spec: { backoffLimit: 1, ...soon } }, ['Pod on lost']],
  replaced: [{ spec: { backoffLimit: 0, podReplacementPolicy: 'Failed', ...soon } }, whole],
  failing: [{ spec: { ...disrupted('FailJob'), ...soon } }, whole],
  ignoring: [{ spec: { ...disrupted('Ignore'), backoffLimit: 0, ...soon } }, ['Pod on lost']],
  indexes: [{ spec: { ...indexed, maxFailedIndexes: 0, ...soon } }, whole],
  'one-index': [{ spec: { ...indexed, ...soon }, count: 1 }, whole.slice(0, 3)],
  history: [{ spec: { backoffLimit: 0 } }, whole],
};

test('what is deleted because Jobs lose a pod with its Node was counted and saved', async () => {
  const namespaces = Object.keys(byNode);
  for (const namespace of namespaces) {
    await plane.make(`Namespace ${namespace}`);
    endings.set(namespace, 'Failed');
  }
  const jobTemplate = {
    spec: {
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } },
    },
  };
  const cronJob = await plane.make('CronJob history/nightly', {
    spec: { schedule: '0 0 1 1 *', suspend: true, failedJobsHistoryLimit: 0, jobTemplate },
  });
  const metadata = { ownerReferences: [{ ...referenceTo(cronJob), controller: true }] };
  for (const [namespace, [how]] of Object.entries(byNode)) {
    await makeJob(namespace, {
      ...how,
      firstOn: 'lost',
      ...(namespace === 'history' && { metadata }),
    });
  }
  const expected = Object.entries(byNode).flatMap(([namespace, [, gone]]) =>
    gone.map((name) => `${namespace}: ${name}`),
  );
  const { gone, missing } = await whatGoes('node/lost', namespaces, expected.length);
  expect({ gone, missing }).toEqual({ gone: expected.sort(), missing: [] });
});

test('a Job deletes its other pods and is deleted when the pod that it loses meets its successPolicy', async () => {
  const namespace = 'success';
  await plane.make(`Namespace ${namespace}`);
  endings.set(namespace, 'Succeeded');
  const [first] = await makeJob(namespace, {
    count: 3,
    spec: {
      completionMode: 'Indexed',
      successPolicy: { rules: [{ succeededIndexes: '0' }] },
      podReplacementPolicy: 'Failed',
      ...soon,
    },
  });
  const all = ['ConfigMap made', 'Job import', 'Pod on stays', 'Pod on stays', 'Pod on stays'];
  const others = ['ConfigMap made', 'Job import', 'Pod on stays', 'Pod on stays'];
  const named = (names: readonly string[]) => names.map((name) => `${namespace}: ${name}`);
  const { gone, missing, open } = await whatGoes(`pod/${first} -n ${namespace}`, [namespace], 5);
  expect({ gone, missing, open }).toEqual({ gone: named(all), missing: [], open: named(others) });
});

test('a Job that is deleted with one of its pods may delete the others before they are orphaned', async () => {
  const namespace = 'orphans';
  await plane.make(`Namespace ${namespace}`);
  endings.set(namespace, 'Failed');
  const [first] = await makeJob(namespace, { count: 4, spec: { backoffLimit: 0 } });
  const line = `pod/${first} job/import -n ${namespace} --cascade=orphan`;
  const { missing, open } = await whatGoes(line, [namespace], 2);
  const others = Array.from({ length: 3 }, () => `${namespace}: Pod on stays`);
  expect({ missing, open }).toEqual({ missing: [], open: others });
});
