import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ForecastReport } from '../../src/questions/forecast/document.ts';
import { askingOf } from '../support/asking.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { showManager } from '../support/control-plane-pod.ts';
import { eventually } from '../support/eventually.ts';
import { playedMinor } from '../support/played-minor.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const set = 'StatefulSet default/db';
const gate = '--feature-gates=StatefulSetRecreateStrategy=true';
/** The gate is on by default from v1.38 on. */
const gateOff = '--feature-gates=StatefulSetRecreateStrategy=false';
const working = ['statefulset-controller'];

describe.runIf(playedMinor >= 37)('a StatefulSet with the strategy Recreate (STS-6)', () => {
  const folder = temporaryFolder();
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane({ controllers: 'none', apiServerArgs: [gate] });
  });
  afterAll(() => plane.stop());
  const uids = async () => {
    const items = await plane.list('Pod default/');
    return items.map(({ metadata }) => `${metadata.name} ${metadata.uid}`).sort();
  };
  const templateOf = (image: string) => ({
    metadata: { labels: { app: 'db' } },
    spec: { containers: [{ name: 'db', image }] },
  });
  /** What is forecast of pods: `db-0 unknown`. */
  const forecast = async () => {
    const { json } = askingOf(plane);
    const { items } = await json<ForecastReport>(
      'forecast -A --collector statefulset-pvc-retention',
    );
    return items
      .filter(({ rule }) => rule === 'STS-6')
      .map(({ object, confidence }) => `${object.name} ${confidence}`)
      .sort();
  };
  const untilReplaced = (before: readonly string[]) =>
    eventually('all pods are others', async () => {
      const now = await uids();
      return now.length === 3 && now.every((one) => !before.includes(one)) ? now : undefined;
    });
  const changeTemplate = (image: string) =>
    plane.patch(set, { spec: { template: templateOf(image) } });

  test('replaces all pods immediately when its template changes, as simulated and forecast', async () => {
    await plane.startControllers(working, [gate]);
    await plane.make(set, {
      spec: {
        replicas: 3,
        serviceName: 'db',
        podManagementPolicy: 'Parallel',
        updateStrategy: { type: 'Recreate' },
        selector: { matchLabels: { app: 'db' } },
        template: templateOf('example.com/db:1'),
      },
    });
    const first = await untilReplaced([]);
    await eventually('the set is observed', async () => {
      const { status } = await plane.get<{ status: { updateRevision?: string } }>(set);
      return status.updateRevision;
    });
    expect(await forecast()).toEqual([]);
    const scenario = join(folder, 'scenario.json');
    const patch = { spec: { template: templateOf('example.com/db:2') } };
    const target = { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace: 'default', name: 'db' };
    const requests = [{ verb: 'patch', ...target, patch }];
    const head = { apiVersion: 'kubectl-gc/v1', kind: 'Scenario' };
    writeFileSync(scenario, JSON.stringify({ ...head, requests }));
    const { steps } = await askingOf(plane).json<{
      readonly steps: readonly { readonly object: { readonly name: string }; rule: string }[];
    }>(`simulate --scenario ${scenario}`);
    const gone = steps.flatMap(({ rule, object }) => (rule === 'STS-6' ? [object.name] : []));
    expect(gone.sort()).toEqual(['db-0', 'db-1', 'db-2']);
    await changeTemplate('example.com/db:2');
    const second = await untilReplaced(first);

    await plane.stopControllers();
    await changeTemplate('example.com/db:3');
    // Whether the template has changed is the controller's to find out.
    expect(await forecast()).toEqual(['db-0 unknown', 'db-1 unknown', 'db-2 unknown']);
    await plane.startControllers(working, [gate]);
    await untilReplaced(second);
  });

  test('is skipped by a controller without the feature gate', async () => {
    await plane.stopControllers();
    await showManager(plane, [gateOff]);
    const before = await uids();
    await changeTemplate('example.com/db:4');
    expect(await forecast()).toEqual([]);
    await plane.startControllers(working, [gateOff]);
    await eventually('the controller says so', async () => {
      const items = await plane.list<{ message?: string }>('Event default/');
      const words = 'uses Recreate strategy but feature gate StatefulSetRecreateStrategy';
      return items.find(({ message = '' }) => message.includes(words));
    });
    await sleep(1000);
    expect(await uids()).toEqual(before);
  });
});
