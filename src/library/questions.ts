import * as audits from '../audit/audit.ts';
import { type FailOn, failLevels } from '../audit/audit-config.ts';
import { findingsOfFiles } from '../audit/unapplied-manifests.ts';
import type { PropagationPolicy } from '../controllers/garbage-collector/judge.ts';
import type { Plan } from '../deletion/plan/plan.ts';
import { planDeletion } from '../deletion/plan/plan-deletion.ts';
import { hour } from '../kube/time.ts';
import { type AuditReport, auditReport } from '../questions/audit/document.ts';
import { type ForecastReport, forecastReport } from '../questions/forecast/document.ts';
import { type OrphansReport, orphansReport } from '../questions/orphans/document.ts';
import { type GraphReport, ownersReport, treeReport } from '../questions/owners/document.ts';
import {
  playRequests,
  type SimulationReport,
  simulationReport,
} from '../questions/simulate/document.ts';
import { parseRequests } from '../questions/simulate/scenario.ts';
import {
  type GarbageCollectorHealthReport as CollectorHealthReport,
  type DiagnosisReport,
  diagnosisReport,
  garbageCollectorHealthReport,
} from '../questions/why/document.ts';
import {
  type ControllerSettings,
  defaultControllerSettings,
  withControllers,
} from '../settings/controller-settings.ts';
import { buildGraph } from '../snapshot/graph/graph.ts';
import { isolated } from '../snapshot/isolated.ts';
import { boolean, count, list, number, oneOf, type Schema, text } from '../syntax/document-part.ts';
import { answerFromSnapshot } from '../why/answer-from-snapshot.ts';
import { diagnose } from '../why/diagnose.ts';
import { garbageCollectorHealth } from '../why/garbage-collector/health.ts';
import { investigate, knownOf } from '../why/investigate.ts';
import { aDate, aDuration, checkOptions, whereSet } from './arguments.ts';
import { type ObjectName, objectsNamed, type Snapshot, whole } from './snapshots.ts';

export interface QuestionOptions {
  /** The time to count from. Default: the time of the snapshot. */
  readonly now?: Date;
  /** What differs from the defaults of kube-controller-manager v1.36; durations in milliseconds. */
  readonly settings?: Partial<ControllerSettings>;
}

const settings: Readonly<Record<keyof ControllerSettings, Schema<unknown>>> = {
  apiServerCollectsGarbage: boolean,
  cloudControllerManager: boolean,
  controllers: list(text),
  controllerStartInterval: aDuration,
  disableForceDetachOnTimeout: boolean,
  DRAWorkloadResourceClaims: boolean,
  kubelets: boolean,
  largeClusterSizeThreshold: count,
  legacyServiceAccountTokenCleanUpPeriod: aDuration,
  nodeEvictionRate: number,
  nodeMonitorGracePeriod: aDuration,
  nodeMonitorPeriod: aDuration,
  nodeStartupGracePeriod: aDuration,
  pvClaimBinderSyncPeriod: aDuration,
  secondaryNodeEvictionRate: number,
  StatefulSetRecreateStrategy: boolean,
  terminatedPodGCThreshold: count,
  unhealthyZoneThreshold: number,
  useServiceAccountCredentials: boolean,
};

const sharedOptions = { now: aDate, settings: whereSet(settings) };
const policy = oneOf('Background', 'Foreground', 'Orphan');

/** What is asked about, once it and the options have passed; `parts`: the question's own options. */
function checked(
  snapshot: Snapshot,
  options: QuestionOptions,
  parts: Readonly<Record<string, Schema<unknown>>>,
) {
  checkOptions(options, { ...sharedOptions, ...parts });
  const known = whole(snapshot);
  const now = options.now?.getTime() ?? Date.parse(known.observedAt);
  return { known, now, settings: { ...defaultControllerSettings, ...options.settings } };
}

/** Who owns these objects, up to the roots. Throws a GcError when an object is not there. */
export function owners(snapshot: Snapshot, objects: readonly ObjectName[]): GraphReport {
  const known = whole(snapshot);
  return isolated(known, (judged) =>
    ownersReport(buildGraph(judged), objectsNamed(judged, objects)),
  );
}

/** Everything below these objects. Throws a GcError when an object is not there. */
export function tree(snapshot: Snapshot, objects: readonly ObjectName[]): GraphReport {
  const known = whole(snapshot);
  return isolated(known, (judged) => treeReport(buildGraph(judged), objectsNamed(judged, objects)));
}

/** Objects whose owners do not exist, and what the garbage collector does with them. */
export function orphans(snapshot: Snapshot): OrphansReport {
  return isolated(whole(snapshot), (judged) => orphansReport(buildGraph(judged)));
}

/** One request to the API server that is played. */
export interface ScenarioRequest {
  readonly verb: 'delete' | 'deletecollection' | 'patch' | 'update' | 'create';
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  /** Left out with `deletecollection`. */
  readonly name?: string;
  /** Of a deletion. */
  readonly propagationPolicy?: PropagationPolicy;
  /** Of a deletion, in seconds. */
  readonly gracePeriodSeconds?: number;
  /** Of `deletecollection`. */
  readonly labelSelector?: string;
  /** Of a patch; `patchType` is `merge` by default. */
  readonly patch?: unknown;
  readonly patchType?: 'merge' | 'strategic' | 'json';
  /** Objects that are created, or that replace the stored ones. */
  readonly object?: Readonly<Record<string, unknown>>;
  /** How long after the answer to the request before it is sent, as in `30s`. */
  readonly after?: string;
}

export interface SimulateOptions extends QuestionOptions {
  /** How far the clock may run, in milliseconds. Default: one hour. */
  readonly duration?: number;
  /** `running` (default): controllers had settled before the first request. */
  readonly start?: 'running' | 'after-requests';
}

/**
 * Plays requests on a snapshot: what is answered, what controllers do then, and what is left. The
 * same input always gives the same result. Throws a GcError for a request that is malformed.
 */
export function simulate(
  snapshot: Snapshot,
  requests: readonly ScenarioRequest[],
  options: SimulateOptions = {},
): SimulationReport {
  const { duration, start } = options;
  const parts = { duration: aDuration, start: oneOf('running', 'after-requests') };
  const { known, now, settings } = checked(snapshot, options, parts);
  const clock = { now, ...(duration !== undefined && { duration }), ...(start && { start }) };
  const asked = parseRequests(requests, 'requests');
  return isolated(known, (judged) =>
    simulationReport(judged, playRequests(judged, asked, settings, clock)),
  );
}

export interface PlanOptions extends QuestionOptions {
  /** Default: `Background`. */
  readonly propagationPolicy?: PropagationPolicy;
  /** Seconds that pods are given. Default: their own. */
  readonly gracePeriodSeconds?: number;
}

/**
 * What deleting these objects would send, and everything that follows from it. Throws a GcError when
 * an object is not there.
 */
export function plan(
  snapshot: Snapshot,
  objects: readonly ObjectName[],
  options: PlanOptions = {},
): Plan {
  const { propagationPolicy = 'Background', gracePeriodSeconds } = options;
  const parts = { propagationPolicy: policy, gracePeriodSeconds: count };
  const { known, now } = checked(snapshot, options, parts);
  const intent = {
    policy: propagationPolicy,
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
  };
  const server = known.origin.kind === 'cluster' ? known.origin.server : '';
  const context = { now, settings: options.settings ?? {}, cluster: { server, uid: '' } };
  return isolated(known, (judged) =>
    planDeletion(judged, { ...intent, targets: objectsNamed(judged, objects) }, context),
  );
}

export interface AuditOptions extends QuestionOptions {
  /** Ids of the rules to run. Default: all. */
  readonly rules?: readonly string[];
  /** From which severity on a finding fails the audit. Default: `error`. */
  readonly failOn?: FailOn;
}

/** Checks a snapshot by the rules. `verdict` says whether it passes, fails or was not read in full. */
export function audit(snapshot: Snapshot, options: AuditOptions = {}): AuditReport {
  const parts = { rules: list(oneOf(...audits.ruleIds)), failOn: oneOf(...failLevels) };
  const { known, now, settings } = checked(snapshot, options, parts);
  const { rules = audits.ruleIds, failOn = 'error' } = options;
  const chosen = {
    rules: new Set(rules),
    severities: {},
    severity: 'info',
    failOn,
    allowIncomplete: false,
    exceptions: [],
    baseline: undefined,
    now,
    settings,
    settingsFrom: options.settings ? 'read' : 'default',
    scope: () => true,
  } as const;
  return isolated(known, (judged) => {
    const graph = buildGraph(withControllers(judged, settings));
    return auditReport(graph, findingsOfFiles(audits.audit(graph, chosen)), chosen);
  });
}

export interface ForecastOptions extends QuestionOptions {
  /** Milliseconds from now on. Default: 24 hours. */
  readonly within?: number;
}

/** What all controllers will do, and when, as far as the snapshot shows. */
export function forecast(snapshot: Snapshot, options: ForecastOptions = {}): ForecastReport {
  const { known, now, settings } = checked(snapshot, options, { within: aDuration });
  const within = options.within ?? 24 * hour;
  return isolated(known, (judged) => forecastReport(judged, { now, within, settings }));
}

/**
 * What blocks these objects, link by link, as far as the snapshot shows. Throws a GcError if an
 * object does not exist.
 */
export async function why(
  snapshot: Snapshot,
  objects: readonly ObjectName[],
  options: Pick<QuestionOptions, 'now'> = {},
): Promise<DiagnosisReport> {
  const { known, now } = checked(snapshot, options, {});
  const subjects = objectsNamed(known, objects);
  const { finding } = await investigate(
    knownOf(known, now),
    (inquiry) => subjects.map((subject) => ({ chain: diagnose(inquiry, subject) })),
    answerFromSnapshot(known),
  );
  return diagnosisReport(finding, known.coverage.problems);
}

/**
 * Whether the garbage collector works, as far as the snapshot shows: that it should have deleted objects by now shows on a cluster
 * alone.
 */
export async function collectorHealth(
  snapshot: Snapshot,
  options: Pick<QuestionOptions, 'now'> = {},
): Promise<CollectorHealthReport> {
  const { known, now } = checked(snapshot, options, {});
  const answer = answerFromSnapshot(known);
  const { finding } = await investigate(knownOf(known, now), garbageCollectorHealth, answer);
  return garbageCollectorHealthReport(finding, undefined);
}
