import { describe, expect, test } from 'vitest';
import { viewOf } from '../../../src/controllers/cluster-view.ts';
import type { ControllerId } from '../../../src/controllers/controller.ts';
import { memoryFromLease } from '../../../src/controllers/decision.ts';
import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { type ForecastItem, forecastReport } from '../../../src/questions/forecast/document.ts';
import { type PodGcItem, podGcPreview } from '../../../src/questions/podgc-preview/document.ts';
import {
  type ControllerSettings,
  defaultControllerSettings,
} from '../../../src/settings/controller-settings.ts';
import { collectorCluster } from '../../differential/collector-cluster/index.ts';
import { builderOf, servedRecords, snapshotOf } from '../../support/builders.ts';

const now = Date.parse('2026-02-01T00:00:00Z');
const id: ControllerId = 'pod-garbage-collector';
const times = (item: PodGcItem | ForecastItem) => {
  const { notBefore, notAfter, patch, finalizers, confidence, because, rule } = item;
  return { notBefore, notAfter, patch, finalizers, confidence, because, rule };
};

/** What both documents say of pod garbage collection, by uid. */
function toldOf(seed: number, leaderFor: number | undefined, some: Partial<ControllerSettings>) {
  const objects = servedRecords(collectorCluster(seed, now), 'uid-');
  const leader = leaderFor === undefined ? [] : [leaderSince(now - leaderFor * 1000)];
  const observedAt = new Date(now).toISOString();
  const snapshot = snapshotOf([...objects, ...leader], { observedAt });
  const settings = { ...defaultControllerSettings, ...some };
  const memory = memoryFromLease(viewOf(snapshot), now);
  const preview = podGcPreview(snapshot, { now, settings, source: 'flag', memory });
  const forecast = forecastReport(snapshot, { now, within: 120_000, settings });
  const items = forecast.items.filter(({ collector }) => collector === id);
  const others = forecast.items.filter(({ collector }) => collector !== id);
  return {
    preview: new Map(preview.items.map((item) => [item.object.uid, times(item)])),
    forecast: new Map(items.map((item) => [item.object.uid, times(item)])),
    touched: new Set(others.map(({ object }) => object.uid)),
  };
}

function leaderSince(time: number): ObjectRecord {
  return builderOf('coordination.k8s.io/v1', 'Lease')('kube-controller-manager', {
    namespace: 'kube-system',
    facts: {
      acquireTime: new Date(time).toISOString(),
      renewTime: new Date(now).toISOString(),
      leaseDurationSeconds: 15,
    },
  });
}

describe.each([1, 2])('random cluster %i', (seed) => {
  test.each([
    [undefined, 0],
    [undefined, 2],
    [10, 2],
    [3600, 6],
  ])(
    'leading for %s seconds, threshold %i: podgc-preview and forecast agree on every pod',
    (leaderFor, terminatedPodGCThreshold) => {
      const controllers = ['pod-garbage-collector-controller'];
      const settings = { controllers, kubelets: false, terminatedPodGCThreshold };
      const { preview, forecast } = toldOf(seed, leaderFor, settings);
      expect(forecast).toEqual(preview);
      expect(preview.size).toBeGreaterThan(10);
    },
  );

  test('beside all other controllers, too, the forecast says it of every pod that no other one comes to', () => {
    const settings = { terminatedPodGCThreshold: 0 };
    const { preview, forecast, touched } = toldOf(seed, 10, settings);
    const uids = [...preview.keys()].filter((uid) => !touched.has(uid));
    expect(uids.map((uid) => [uid, forecast.get(uid)])).toEqual(
      uids.map((uid) => [uid, preview.get(uid)]),
    );
    expect(uids.length).toBeGreaterThan(10);
  });
});
