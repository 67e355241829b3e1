/**
 * The library: snapshots, and the questions that the commands answer, for programs. Reports are the
 * documents that the commands print with `-o json`. Importing it loads no Kubernetes client.
 *
 * @packageDocumentation
 */

export type { PropagationPolicy } from './controllers/garbage-collector/judge.ts';
export type { Plan, PlannedObject, PlannedRequest } from './deletion/plan/plan.ts';
export { type ExitCode, GcError, isGcError } from './errors.ts';
export type { ObjectRecord, OwnerReference } from './kube/object-record.ts';
export type { ObjectReference } from './kube/object-reference.ts';
export type { KubeObject } from './kube/record-codec.ts';
export type { ResourceType } from './kube/resource-type.ts';
export type { ConnectOptions } from './library/connection.ts';
export { type RunControllersOptions, runControllers } from './library/controllers.ts';
export {
  type AuditOptions,
  audit,
  collectorHealth,
  type ForecastOptions,
  forecast,
  orphans,
  owners,
  type PlanOptions,
  plan,
  type QuestionOptions,
  type ScenarioRequest,
  type SimulateOptions,
  simulate,
  tree,
  why,
} from './library/questions.ts';
export {
  type FromClusterOptions,
  type FromFilesOptions,
  fromCluster,
  fromFiles,
  type ObjectName,
  type Snapshot,
} from './library/snapshots.ts';
export type { AuditItem, AuditReport } from './questions/audit/document.ts';
export type { ForecastItem, ForecastReport } from './questions/forecast/document.ts';
export type { Orphan, OrphansReport } from './questions/orphans/document.ts';
export type { GraphReport } from './questions/owners/document.ts';
export type { SimulationReport } from './questions/simulate/document.ts';
export type {
  DiagnosisReport,
  GarbageCollectorHealthReport as CollectorHealthReport,
} from './questions/why/document.ts';
export type {
  RunnableController,
  RunningControllers,
  RunOptions,
  Settled,
  StillDeleting,
} from './runner/run-controllers.ts';
export type { Step } from './simulator/engine/timeline.ts';
export type { Coverage, CoverageProblem } from './snapshot/coverage.ts';
