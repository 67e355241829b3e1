/** The library: what the commands are made of, for programs. Importing it loads no Kubernetes client. */
export { type Action, type Judgement, judge } from './collectors/garbage-collector/judge.ts';
export { type ExitCode, exitCodes, GcError, isGcError } from './errors.ts';
export {
  type ClassifiedReference,
  classifyReference,
  type ReferenceClass,
} from './graph/classify-reference.ts';
export { findCycles } from './graph/cycles.ts';
export { buildGraph, type Graph } from './graph/graph.ts';
export { dependentsOf, ownersOf, type Subgraph } from './graph/subgraph.ts';
export type { ObjectRecord, OwnerReference } from './kube/object-record.ts';
export { type KubeObject, objectOf, recordOf } from './kube/record-codec.ts';
export type { ResourceType } from './kube/resource-type.ts';
export { ResourceTypes } from './kube/resource-types.ts';
export {
  type Cascade,
  type ComparedFate,
  type ComparedObject,
  type ComparedRemark,
  comparePolicies,
  type DeletionComparison,
} from './plan/compare-policies.ts';
export type { DeletionIntent, DeletionOrder, PlanContext } from './plan/intent.ts';
export type {
  Blocker,
  Fate,
  Plan,
  PlannedCluster,
  PlannedObject,
  PlannedRequest,
  PlanRemark,
  RemarkCode,
  SealedPlan,
} from './plan/plan.ts';
export { planDeletion } from './plan/plan-deletion.ts';
export { type PlanChange, type PlanDifference, planDifference } from './plan/plan-difference.ts';
export { type Format, type Report, render } from './reporters/render.ts';
export { type GraphReport, ownersReport, treeReport } from './reports/graph-report.ts';
export {
  type InvalidReferencesReport,
  invalidReferencesReport,
} from './reports/invalid-references.ts';
export { type OrphansReport, orphansReport } from './reports/orphans.ts';
export { findInvalidReferences } from './rules/find-invalid-references.ts';
export { referenceRules } from './rules/index.ts';
export type { Finding, Rule } from './rules/rule.ts';
export {
  defaultSimulationSettings,
  type SimulationSettings,
} from './settings/simulation-settings.ts';
export type { DeleteOptions, Reply, SimulatedRequest } from './simulator/request.ts';
export { parseScenario, type Scenario } from './simulator/scenario.ts';
export {
  type SimulatedEvent,
  type SimulatedReply,
  type Simulation,
  type SimulationClock,
  simulate,
} from './simulator/simulate.ts';
export type { Stuck } from './simulator/stuck-objects.ts';
export type { Actor, Step } from './simulator/timeline.ts';
export type { Undetermined } from './simulator/undetermined.ts';
export type { Coverage, CoverageProblem } from './snapshot/coverage.ts';
export type { Snapshot } from './snapshot/snapshot.ts';
export { fromFiles } from './sources/from-files.ts';
