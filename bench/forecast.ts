import { builtInTypes } from '../src/kube/built-in-types.ts';
import { type KubeObject, recordOf } from '../src/kube/record-codec.ts';
import type { ResourceType } from '../src/kube/resource-type.ts';
import { ResourceTypes } from '../src/kube/resource-types.ts';
import { timestampOf } from '../src/kube/time.ts';
import { forecastReport } from '../src/questions/forecast/document.ts';
import { defaultControllerSettings } from '../src/settings/controller-settings.ts';
import { simulate } from '../src/simulator/simulate.ts';
import type { Snapshot } from '../src/snapshot/snapshot.ts';
import { dueCluster } from './due-cluster.ts';

/**
 * How long a forecast of a week takes on a cluster where every collector has something to do, all week
 * long, and what the simulation takes of it.
 *
 *   node bench/forecast.ts [OBJECTS...]
 */
const types = new ResourceTypes(builtInTypes, { exhaustive: true });
const now = Date.parse('2026-02-01T00:00:00Z');
const week = 7 * 86_400_000;
const sizes = process.argv.slice(2).map(Number);

console.log('objects\titems\tsteps\tCPU s\tof it the simulation\tpeak MiB');
for (const size of sizes.length > 0 ? sizes : [1_000, 10_000, 100_000]) {
  const snapshot = snapshotOf(dueCluster(size, now));
  const options = { now, within: week, settings: defaultControllerSettings };
  const [simulation, played] = timed(() =>
    simulate(snapshot, [], options.settings, { now, duration: week, forecast: true }),
  );
  const [report, whole] = timed(() => forecastReport(snapshot, options));
  const row = [snapshot.records.length, report.items.length, simulation.steps.length];
  const peak = process.resourceUsage().maxRSS / 1024;
  console.log([...row, whole.toFixed(2), played.toFixed(2), peak.toFixed(0)].join('\t'));
}

/** What `work` makes, and the processor time that it takes, in seconds. */
function timed<T>(work: () => T): readonly [T, number] {
  const before = process.cpuUsage();
  const made = work();
  const { user, system } = process.cpuUsage(before);
  return [made, (user + system) / 1e6];
}

function snapshotOf(objects: readonly KubeObject[]): Snapshot {
  const records = objects.map((object) => {
    const type = types.find(object.apiVersion ?? '', object.kind ?? '') as ResourceType;
    return recordOf(object, type);
  });
  const resources = new Set(
    types.all.map(({ group, resource }) => (group === '' ? resource : `${resource}.${group}`)),
  );
  return {
    records,
    types,
    coverage: {
      read: [...resources].map((resource) => ({ resource })),
      asked: [],
      problems: [],
    },
    observedAt: timestampOf(now),
    serverVersion: 'v1.36.3',
    origin: { kind: 'cluster', server: 'https://bench' },
  };
}
