import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import { timestampOf } from '../../src/kube/time.ts';
import type { ForecastItem, ForecastReport } from '../../src/output/documents/forecast.ts';
import { validatorOf } from '../contract/schemas.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gcHere } from '../support/run-here.ts';

/** What is foretold for half a minute is waited for, on the real controllers. */
const controllers = [
  'garbage-collector-controller',
  'pod-garbage-collector-controller',
  'ttl-after-finished-controller',
];
const namespace = 'foretold';
const hold = 'example.com/hold';
const kinds = ['/apis/batch/v1/jobs', '/api/v1/pods', '/api/v1/secrets', '/api/v1/configmaps'];
const longest = 240_000;
/** Of controllers that are busy with other tests, and of looking four times a second. */
const slack = 10_000;

let report: ForecastReport;
/** When an object was first seen in this state, by `uid state`. */
const seen = new Map<string, number>();

interface Listed {
  readonly metadata: { readonly uid: string; readonly deletionTimestamp?: string };
  readonly status?: { readonly phase?: string };
}

function object(apiVersion: string, kind: string, name: string, rest: object = {}): KubeObject {
  const { metadata = {}, ...body } = rest as { readonly metadata?: object };
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid: `foretold-${name}`, ...metadata },
    ...body,
  };
}

function ownedBy({ apiVersion, kind, metadata: { name, uid } }: KubeObject) {
  const blocking = { controller: true, blockOwnerDeletion: true };
  return { ownerReferences: [{ apiVersion, kind, name, uid, ...blocking }] };
}

/** A finished Job that its controller leaves alone, so many seconds before its time is up. */
function jobWithin(seconds: number, name: string): KubeObject {
  const selector = { job: name };
  const containers = [{ name: 'main', image: 'example.com/main:1' }];
  return object('batch/v1', 'Job', name, {
    spec: {
      managedBy: 'example.com/nobody',
      manualSelector: true,
      selector: { matchLabels: selector },
      ttlSecondsAfterFinished: 3600 + seconds,
      template: { metadata: { labels: selector }, spec: { containers, restartPolicy: 'Never' } },
    },
    status: {
      conditions: [
        {
          type: 'Complete',
          status: 'True',
          lastTransitionTime: timestampOf(Date.now() - 3_600_000),
        },
      ],
    },
  });
}

function podOf(job: KubeObject, name: string, finalizers: readonly string[] = []): KubeObject {
  return object('v1', 'Pod', name, {
    metadata: { ...ownedBy(job), finalizers },
    spec: { containers: [{ name: 'main', image: 'example.com/main:1' }] },
    status: { phase: 'Pending' },
  });
}

async function look(): Promise<void> {
  const lists = await Promise.all(
    kinds.map((path) => {
      const at = path.lastIndexOf('/');
      const list = `${path.slice(0, at)}/namespaces/${namespace}${path.slice(at)}`;
      return plane.get<{ readonly items: readonly Listed[] }>(list);
    }),
  );
  const now = Date.now();
  const note = (uid: string, state: string) => {
    if (!seen.has(`${uid} ${state}`)) seen.set(`${uid} ${state}`, now);
  };
  const there = new Map(lists.flatMap(({ items }) => items.map((one) => [one.metadata.uid, one])));
  for (const {
    object: { uid },
  } of report.items) {
    const found = there.get(uid);
    if (!found) note(uid, 'gone');
    if (!found || found.metadata.deletionTimestamp) note(uid, 'deleted');
    if (found?.status?.phase === 'Failed') note(uid, 'Failed');
  }
}

const plane = await ownControlPlane({ controllers });
beforeAll(async () => {
  await plane.make(`Namespace ${namespace}`);
  const done = jobWithin(8, 'done');
  const stuck = jobWithin(11, 'stuck');
  const worn = podOf(done, 'worn');
  const key = object('v1', 'Secret', 'key', { metadata: ownedBy(worn), type: 'Opaque' });
  const notes = object('v1', 'ConfigMap', 'notes', { metadata: ownedBy(key) });
  await plane.putObjects([done, stuck, worn, podOf(stuck, 'held', [hold]), key, notes]);
  const run = await gcHere(`forecast -n ${namespace} --within 40s -o json`, {
    KUBECONFIG: plane.kubeconfigPath,
  });
  expect(run.code, run.stderr).toBe(0);
  report = JSON.parse(run.stdout);
  const until = Date.now() + longest;
  do {
    await sleep(250);
    await look();
  } while (Date.now() < until && !isOver());
});

/** Has everything been seen that was foretold? */
function isOver(): boolean {
  const gone = report.items.filter((item) => item.gone);
  return (
    seen.has('foretold-held Failed') && gone.every(({ object: { uid } }) => seen.has(`${uid} gone`))
  );
}

test('the whole chain is forecast, in the order of time', () => {
  const validate = validatorOf('forecast');
  validate(report);
  expect(validate.errors).toBe(null);
  const chain = report.items.map(({ collector, object: { name }, follows, held }) => [
    collector,
    name,
    follows?.name,
    held === undefined,
  ]);
  expect(chain).toEqual([
    ['ttl-after-finished', 'done', undefined, true],
    ['garbage-collector', 'worn', 'done', true],
    ['garbage-collector', 'key', 'worn', true],
    ['garbage-collector', 'notes', 'key', true],
    ['ttl-after-finished', 'stuck', undefined, false],
    ['garbage-collector', 'held', 'stuck', false],
    ['pod-garbage-collector', 'held', undefined, false],
  ]);
});

/** What the deletion of an item looks like; a pod that is held is marked once more. */
function seenOf({ collector, object: { uid } }: ForecastItem): number | undefined {
  return seen.get(`${uid} ${collector === 'pod-garbage-collector' ? 'Failed' : 'deleted'}`);
}

test('each deletion happened when it was forecast', () => {
  const wrong = report.items.filter((item) => {
    const at = seenOf(item) ?? Number.NaN;
    const { notBefore, notAfter = '' } = item;
    return !(at >= Date.parse(notBefore) && at <= Date.parse(notAfter) + slack);
  });
  expect(wrong.map((item) => [item, seenOf(item)])).toEqual([]);
});

test('what was to be gone is gone, in time, and nothing else is', () => {
  const wrong = report.items.filter(({ gone, object: { uid } }) => {
    const at = seen.get(`${uid} gone`);
    if (!gone) return at !== undefined;
    const latest = Date.parse(gone.notAfter ?? '') + slack;
    return at === undefined || at < Date.parse(gone.notBefore) || at > latest;
  });
  expect(wrong).toEqual([]);
});

test('what follows did not come before what it follows', () => {
  const at = new Map(report.items.map((item) => [item.object.uid, seenOf(item) ?? Number.NaN]));
  const early = report.items.filter(
    (item) => item.follows && !((seenOf(item) ?? 0) >= (at.get(item.follows.uid) ?? Number.NaN)),
  );
  expect(early).toEqual([]);
});
