import { viewOf } from '../../src/controllers/cluster-view.ts';
import type {
  Controller,
  ControllerId,
  ControllerMemory,
  Decision,
} from '../../src/controllers/controller.ts';
import { decideAll } from '../../src/controllers/decision.ts';
import { expiredLeases } from '../../src/controllers/nodes/apiserver-lease.ts';
import { allControllers } from '../../src/controllers/registry.ts';
import { knownNodeOf } from '../../src/kube/pod-use.ts';
import { recordOf } from '../../src/kube/record-codec.ts';
import {
  type ControllerSettings,
  defaultControllerSettings,
} from '../../src/settings/controller-settings.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import type { PlayedCluster } from './collector-play.ts';

const hour = 3_600_000;
const quarantine = 40_000;

/** What is known of the controllers' memory, and how late they may be for reasons that are the test's own. */
export interface Knowledge {
  readonly known: 'nothing' | 'the start' | 'the last passes';
  readonly memory: ControllerMemory | undefined;
}

export function settingsOf({ threshold, controllers }: PlayedCluster): ControllerSettings {
  return { ...defaultControllerSettings, terminatedPodGCThreshold: threshold, controllers };
}

/** Those that ran, by their controllers; the API server's always does. */
export function running({ controllers }: PlayedCluster): readonly Controller[] {
  return allControllers.filter(
    (collector) =>
      collector.controllers.some((name) => controllers.includes(name)) ||
      collector.id === 'apiserver-lease',
  );
}

/** The same cluster, with ever more known of what only the controllers know. */
export function knowledgeOf({ before, startedAt, podGcStartedAt }: PlayedCluster): Knowledge[] {
  const nodes = new Set(
    before.records.filter(({ type }) => type.kind === 'Node').map(({ name }) => name),
  );
  const missing = before.records
    .filter(({ type }) => type.kind === 'Pod')
    .map((record) => knownNodeOf(record) ?? '')
    .filter((name) => name !== '' && !nodes.has(name));
  return [
    { known: 'nothing', memory: undefined },
    { known: 'the start', memory: { startedAt } },
    {
      known: 'the last passes',
      memory: {
        startedAt,
        lastPasses: new Map<ControllerId, number>([
          ['pod-garbage-collector', podGcStartedAt - 20_000],
          ['csr-cleaner', startedAt - hour],
          ['podcertificaterequest-cleaner', startedAt - hour / 12],
        ]),
        quarantine: new Map(missing.map((name) => [name, podGcStartedAt + quarantine])),
      },
    },
  ];
}

/** What one collector makes of the cluster before the controllers ran. */
export function forecastOf(
  played: PlayedCluster,
  collector: Controller,
  { known, memory }: Knowledge,
): readonly Decision[] {
  if (collector.id === 'apiserver-lease') {
    // The one that lives has no Lease among what was made.
    return expiredLeases(viewOf(madeSnapshot(played)), played.madeAt, new Set());
  }
  // Their first pass sees nothing, unless the controllers wait before they start (CSR-2).
  const isBlind = known === 'the start' && collector.id.endsWith('-cleaner');
  const told = isBlind ? undefined : memory;
  return decideAll(collector, viewOf(played.before), settingsOf(played), played.startedAt, told);
}

/** Before the API server began: it removes Leases at once. */
function madeSnapshot({ made, before }: PlayedCluster): Snapshot {
  const records = made.flatMap((object) => {
    const type = before.types.find(object.apiVersion, object.kind);
    return type
      ? [recordOf({ ...object, metadata: { uid: 'made', ...object.metadata } }, type)]
      : [];
  });
  return { ...before, records };
}
