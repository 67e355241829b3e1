import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { validatorOf } from '../contract/valid-document.ts';
import { deny } from '../support/admission.ts';
import { askingOf } from '../support/asking.ts';
import type { Cluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { permit } from '../support/permissions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { deadPods, jobObject, namespaceObject, podObject } from './dead-pods.ts';

/** What a collector would do, done by hand; the real one cleans up the same cluster beside it. */
const threshold = 20;
/** 40 s of quarantine and the passes around it (PG-15), on a machine that is slow. */
const collected = 240_000;

const objects = deadPods();
const real = await ownControlPlane({ controllers: 'none', objects });
const collector = 'pod-garbage-collector-controller';
await real.startControllers([collector], [`--terminated-pod-gc-threshold=${threshold}`]);
const realStarted = Date.now();
const hand = await ownControlPlane({ controllers: ['garbage-collector-controller'], objects });

const backups = { KUBECTL_GC_BACKUP_DIR: temporaryFolder() };
const { run: gc } = askingOf(hand, backups);
const run = (line: string) => gc(`podgc-preview ${line}`);
/** On the control plane where no other collector runs. */
const { run: there } = askingOf(real, backups);
const forecast = (line: string) => there(`forecast ${line}`);

/** All that podgc may write. */
async function endOf(plane: Cluster): Promise<unknown[]> {
  const pods = [...(await plane.list('Pod dead-a/')), ...(await plane.list('Pod dead-b/'))];
  return pods.map(({ metadata, status }) => {
    const { conditions } = status as { conditions?: object[] };
    return {
      name: metadata.name,
      isDeleting: metadata.deletionTimestamp !== undefined,
      grace: metadata.deletionGracePeriodSeconds,
      finalizers: metadata.finalizers,
      status: {
        ...(status as object),
        conditions: conditions?.map((one) => ({ ...one, lastTransitionTime: '' })),
      },
    };
  });
}

/** The controller needs its time: what it does is looked at last. */
test('300 dead pods: the first pass with --apply, and the second', async () => {
  const line = `--threshold ${threshold} --apply --yes`;
  const first = await run(line);
  expect(first.code, first.stderr).toBe(4);
  expect(first.stderr).toMatch(/^nothing moves any more: 287 sent, 277 gone, 10 left$/m);
  expect(first.stderr).toMatch(/^Backup of 287 objects: /m);
  expect(first.stderr).toMatch(/^pod\/ended-279 in dead-a is not changed: not before /m);
  // Those that were held count from the second pass on.
  const second = await run(`${line} --no-backup`);
  expect(second.code, second.stderr).toBe(4);
  expect(second.stderr).toMatch(/^nothing moves any more: 13 sent, 3 gone, 10 left$/m);
});

test('without permission to patch pods/status it refuses before the first request', async () => {
  await hand.putObjects([
    namespaceObject('patchless'),
    podObject('patchless', 'lone', { node: 'never', phase: 'Running' }),
  ]);
  await permit(hand, 'deleter', [
    { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['delete', 'patch'] },
  ]);
  const { code, stdout, stderr } = await run('-n patchless --apply --yes --as deleter');
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toMatch(
    /^error: patch is not permitted on pods\/status "lone" in namespace "patchless"; nothing was sent$/m,
  );
  expect((await hand.get('Pod patchless/lone')).status).toEqual({ phase: 'Running' });
  await permit(hand, 'blind', [
    { apiGroups: [''], resources: ['pods', 'pods/status'], verbs: ['*'] },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] },
  ]);
  const blind = await run('-n patchless --apply --yes --as blind');
  expect([blind.code, blind.stdout]).toEqual([0, '']);
  expect(blind.stderr).toMatch(
    /^pod\/lone in patchless is not changed: whether its Node \S+ exists was not read; /m,
  );
  expect(blind.stderr).toMatch(/^Nothing is due now in what could be read\.$/m);
});

test('a pod that does not take its status is shown with the error, and left alone', async () => {
  const expression = "object.metadata.name != 'frozen'";
  const about = { operation: 'UPDATE', resource: 'pods/status' };
  await deny(hand, 'frozen', { ...about, expression, message: 'it is frozen' });
  await hand.putObjects([
    namespaceObject('icy'),
    podObject('icy', 'frozen', { node: 'never', phase: 'Running' }),
    podObject('icy', 'free', { node: 'never', phase: 'Running' }),
  ]);
  await eventually('the policy in force', async () => {
    const path = '/api/v1/namespaces/icy/pods/frozen/status?dryRun=All';
    return (await hand.merge(path, { status: { phase: 'Failed' } })).status === 422;
  });
  const rehearsed = await run('-n icy --apply --dry-run=server');
  expect([rehearsed.code, rehearsed.stdout], rehearsed.stderr).toEqual([
    3,
    'pod "free" force deleted from icy namespace (server dry run)\n',
  ]);
  expect(rehearsed.stderr).toMatch(/^Nothing was changed \(--dry-run=server\)\.$/m);
  expect(await hand.names('Pod icy/')).toEqual(['free', 'frozen']);
  const { code, stdout, stderr } = await run('-n icy --apply --yes -o json');
  expect(code, stderr).toBe(4);
  expect(stderr).toMatch(
    /^pod\/frozen in icy is not changed: the server refuses the status .*it is frozen$/m,
  );
  const validate = validatorOf('progress-event');
  const lines = stdout.trimEnd().split('\n');
  const events = lines.map((line) => JSON.parse(line));
  for (const event of events) {
    validate(event);
    expect(validate.errors, JSON.stringify(event)).toBe(null);
  }
  const types = events.map(({ type }) => type).filter((type) => type !== 'observed');
  expect(types).toEqual(['planned', 'left-alone', 'sent', 'done']);
  expect(await hand.names('Pod icy/')).toEqual(['frozen']);
});

test('forecast: finished Jobs whose time is up, and not those whose time is to come', async () => {
  await real.putObjects([
    namespaceObject('jobs'),
    jobObject('jobs', 'past', 60),
    jobObject('jobs', 'later', 7200),
  ]);
  const line = '--collector ttl-after-finished -n jobs --apply --yes --wait=false';
  const rehearsed = await forecast(`${line} --dry-run=server`);
  expect([rehearsed.code, rehearsed.stdout], rehearsed.stderr).toEqual([
    0,
    'job.batch "past" deleted from jobs namespace (server dry run)\n',
  ]);
  const { code, stdout, stderr } = await forecast(line);
  expect([code, stdout], stderr).toEqual([0, 'job.batch "past" deleted from jobs namespace\n']);
  expect(stderr).toMatch(/^job\.batch\/later in jobs is not changed: not before /m);
  // As the controller asks for it: in the foreground.
  const left = await real.list('Job jobs/');
  expect(left.map(({ metadata: { name, finalizers } }) => [name, finalizers])).toEqual([
    ['later', undefined],
    ['past', ['foregroundDeletion']],
  ]);
});

test('forecast: what has lost its owner goes, and what has another owner loses a reference', async () => {
  const referenceTo = (name: string, uid: unknown) => {
    return { apiVersion: 'v1', kind: 'ConfigMap', name, uid };
  };
  await real.putObjects([namespaceObject('owners')]);
  const owner = await real.make('ConfigMap owners/there');
  const there = referenceTo('there', owner.metadata.uid);
  const gone = referenceTo('gone', 'gone-uid');
  for (const [name, ownerReferences] of Object.entries({
    ...{ alone: [gone], shared: [gone, there], kept: [there] },
  }))
    await real.make(`ConfigMap owners/${name}`, { metadata: { ownerReferences } });
  const line = '--collector garbage-collector -n owners --apply --yes';
  const { code, stdout, stderr } = await forecast(line);
  expect([code, stdout.split('\n').sort()], stderr).toEqual([
    0,
    ['', 'configmap "alone" deleted from owners namespace', 'configmap/shared patched'],
  ]);
  const left = await real.list('ConfigMap owners/');
  expect(left.map(({ metadata }) => [metadata.name, metadata.ownerReferences])).toEqual([
    ['kept', [there]],
    ['shared', [there]],
    ['there', undefined],
  ]);
});

test('objects deleted with --apply ended as those that the controller deleted', async () => {
  const byHand = await endOf(hand);
  let controlled = await endOf(real);
  while (!isDeepStrictEqual(controlled, byHand) && Date.now() < realStarted + collected) {
    await sleep(500);
    controlled = await endOf(real);
  }
  expect(controlled).toEqual(byHand);
});
