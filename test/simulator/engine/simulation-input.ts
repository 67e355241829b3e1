import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import type { SimulatedRequest } from '../../../src/simulator/api-server/request.ts';
import { readCoverageOf, type SimulationInput } from '../../../src/simulator/simulation-input.ts';
import { servedTypes, snapshotOf } from '../../support/builders.ts';
import { beginning } from '../play-out.ts';

/** An hour in which no controller runs, so that only requests change something. */
export function inputOf(
  records: readonly ObjectRecord[],
  requests: readonly SimulatedRequest[],
  changes: Partial<SimulationInput> = {},
): SimulationInput {
  return {
    types: servedTypes,
    records,
    requests,
    start: 'running',
    isEnabled: () => false,
    kubelets: false,
    confirmed: new Set(),
    minor: 36,
    known: readCoverageOf(snapshotOf(records)),
    controllers: undefined,
    controllersSince: undefined,
    now: beginning,
    duration: 3_600_000,
    ...changes,
  };
}
