import type { ObjectRecord } from '../../../src/kube/object-record.ts';
import { apiVersionOf } from '../../../src/kube/resource-type.ts';
import { parseRequests } from '../../../src/questions/simulate/scenario.ts';
import { simulate } from '../../../src/simulator/simulate.ts';
import type { Simulation } from '../../../src/simulator/simulation.ts';
import { snapshotOf } from '../../support/builders.ts';

/** A request as a scenario has it. */
export type Request = Readonly<Record<string, unknown>>;

const now = Date.parse('2026-02-01T00:00:00Z');

/** What an API server makes of requests without any controller or kubelet. */
export function serveAlone(records: readonly ObjectRecord[], ...requests: Request[]): Simulation {
  return simulate(
    snapshotOf(records),
    parseRequests(requests, 'requests'),
    { controllers: [], kubelets: false },
    { now },
  );
}

export function on(record: ObjectRecord, verb: string, more: Request = {}): Request {
  const { type, namespace, name } = record;
  return { verb, apiVersion: apiVersionOf(type), kind: type.kind, namespace, name, ...more };
}
