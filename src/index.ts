/** The library: what the commands are made of, for programs. Importing it loads no Kubernetes client. */

export { findInvalidReferences } from './audit/invalid-references.ts';
export type { Finding, Rule } from './audit/rules/reference-rule.ts';
export { referenceRules } from './audit/rules/reference-rules.ts';
export { type Action, type Judgement, judge } from './controllers/garbage-collector/judge.ts';
export {
  defaultSimulationSettings,
  type SimulationSettings,
} from './controllers/settings/controller-settings.ts';
export {
  type Cascade,
  type ComparedFate,
  type ComparedObject,
  type ComparedRemark,
  comparePolicies,
  type DeletionComparison,
} from './deletion/plan/compare-policies.ts';
export type {
  Blocker,
  DeletionIntent,
  DeletionOrder,
  Fate,
  Plan,
  PlanContext,
  PlannedCluster,
  PlannedObject,
  PlannedRequest,
  PlanRefusal,
  PlanRemark,
  RemarkCode,
  SealedPlan,
} from './deletion/plan/plan.ts';
export { planDeletion } from './deletion/plan/plan-deletion.ts';
export {
  type PlanChange,
  type PlanDifference,
  planDifference,
} from './deletion/plan/plan-difference.ts';
export { type ExitCode, exitCodes, GcError, isGcError } from './errors.ts';
export { fromFiles } from './files/from-files.ts';
export type { ObjectRecord, OwnerReference } from './kube/object-record.ts';
export { type KubeObject, objectOf, recordOf } from './kube/record-codec.ts';
export type { ResourceType } from './kube/resource-type.ts';
export { ResourceTypes } from './kube/resource-types.ts';
export {
  type InvalidReferencesReport,
  invalidReferencesReport,
} from './output/documents/invalid-references.ts';
export { type OrphansReport, orphansReport } from './output/documents/orphans.ts';
export { type GraphReport, ownersReport, treeReport } from './output/documents/owners-and-tree.ts';
export { type Format, type Report, render } from './output/render.ts';
export type { DeleteOptions, Reply, SimulatedRequest } from './simulator/api-server/request.ts';
export type { Actor, Step } from './simulator/engine/timeline.ts';
export type { Undetermined } from './simulator/engine/undetermined.ts';
export { parseScenario, type Scenario } from './simulator/scenario.ts';
export {
  type SimulatedEvent,
  type SimulatedReply,
  type Simulation,
  type SimulationClock,
  simulate,
} from './simulator/simulate.ts';
export type { Stuck } from './simulator/stuck-objects.ts';
export type { Coverage, CoverageProblem } from './snapshot/coverage.ts';
export {
  type ClassifiedReference,
  classifyReference,
  type ReferenceClass,
} from './snapshot/graph/classify-reference.ts';
export { findCycles } from './snapshot/graph/cycles.ts';
export { buildGraph, type Graph } from './snapshot/graph/graph.ts';
export { dependentsOf, ownersOf, type Subgraph } from './snapshot/graph/subgraph.ts';
export type { Snapshot } from './snapshot/snapshot.ts';
