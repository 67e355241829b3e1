import { addressOf, type ShellCommand, shellCommand } from '../command-line/shell-command.ts';
import type { ClusterView } from '../controllers/cluster-view.ts';
import { builtInTypes } from '../kube/built-in-types.ts';
import { bareRecord, type ObjectRecord, type OwnerReference } from '../kube/object-record.ts';
import { groupResourceOf, type ResourceType } from '../kube/resource-type.ts';
import type { ControllerSettings } from '../settings/controller-settings.ts';
import type { Graph } from '../snapshot/graph/graph.ts';
import type { Cause, Link } from '../why/chain.ts';

/** How bad it is: `error` loses or blocks something, `warning` will, `info` wastes. */
export type Severity = 'error' | 'warning' | 'info';

/** `likely`: the evidence leaves room for another reading. */
export type Confidence = 'certain' | 'likely';

export interface Fix {
  /** What to do, in words. */
  readonly summary: string;
  /** The command that does it, or that shows what to decide by. */
  readonly command?: ShellCommand;
}

/** One fault; fields that are left out come from the rule. */
export interface Violation {
  readonly object: ObjectRecord;
  /** The owner reference that it is about. */
  readonly reference?: OwnerReference | undefined;
  /** What is wrong, with the figures. */
  readonly message: string;
  /** Of a deletion that does not end: the cause that `why` names. */
  readonly cause?: Cause | undefined;
  /** The same: what is wrong without the figures that differ from object to object. */
  readonly reason?: string | undefined;
  readonly fix: Fix;
  readonly related?: readonly ObjectRecord[];
  readonly severity?: Severity;
  readonly confidence?: Confidence;
  readonly consequence?: string;
  /** The controller's rule behind it, such as GC-22.13; empty where there is none. */
  readonly kubernetesRule?: string;
}

/** What a rule looks at. */
export interface RuleInput {
  readonly graph: Graph;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The same objects as controllers see them: without manifests that were never applied. */
  readonly cluster: ClusterView;
  readonly settings: ControllerSettings;
  /** Where the settings are from: upstream's defaults are a guess. */
  readonly settingsFrom: 'default' | 'read';
  /** What the cluster itself was asked about objects that are being deleted; the others are judged by what was read. */
  readonly deletions?: ReadonlyMap<ObjectRecord, Link> | undefined;
  /** The objects of a resource such as `jobs.batch`; of a subject of the rule, those that it can decide about. */
  of(resource: string): readonly ObjectRecord[];
  /** Records that the rule cannot decide about an object. */
  cannotTell(record: ObjectRecord, reason: string): void;
}

/** Something that may be wrong. The id is its page and its test. */
export interface Rule {
  readonly id: string;
  readonly title: string;
  /** `depends`: each violation has its own. */
  readonly severity: Severity | 'depends';
  /** What comes of it, in Kubernetes' words. */
  readonly consequence: string;
  /** What to do about what it finds: how the section on its page begins. */
  readonly advice: string;
  /**
   * The resources of the objects that it reports, such as `jobs.batch`: `View.of` gives those that it can decide about.
   * Unset for a rule about all kinds.
   */
  readonly subjects?: readonly string[];
  /** Does it look at spec and status of its subjects? */
  readonly readsFacts?: boolean;
  check(view: RuleInput): Violation[];
}

/** The parts of a rule that looks at spec and status of the objects of one resource, one after the other. */
export function eachOf(
  resource: string,
  violationOf: (record: ObjectRecord, view: RuleInput) => Violation | undefined,
): Pick<Rule, 'subjects' | 'readsFacts' | 'check'> {
  return {
    subjects: [resource],
    readsFacts: true,
    check: (view) => view.of(resource).flatMap((record) => violationOf(record, view) ?? []),
  };
}

/** Were all objects of a resource in a namespace read ('': everywhere)? If not, the rule cannot decide about the record. */
export function wasRead(
  { cluster, cannotTell }: RuleInput,
  record: ObjectRecord,
  resource: string,
  namespace = record.namespace,
): boolean {
  if (cluster.covers(resource, namespace, '')) return true;
  cannotTell(record, `${resource}${namespace === '' ? '' : ` in ${namespace}`} were not read`);
  return false;
}

/** What a rule found. */
export interface Finding extends Required<Omit<Violation, 'reference' | 'cause' | 'reason'>> {
  readonly rule: string;
  readonly reference: OwnerReference | undefined;
  readonly cause?: Cause | undefined;
  readonly reason?: string | undefined;
}

export interface AuditFinding extends Finding {
  /** The same for the same fault from run to run, also when uids change; unique in one audit. */
  readonly fingerprint: string;
}

export const severities: readonly Severity[] = ['error', 'warning', 'info'];

export function isAtLeast(severity: Severity, least: Severity): boolean {
  return severities.indexOf(severity) <= severities.indexOf(least);
}

/** The cluster-scoped object of a built-in resource, or, where it was not read, no more than its name. */
export function objectNamed(graph: Graph, resource: string, name: string): ObjectRecord {
  const type = typeOf(graph, resource);
  return graph.at(type, '', name) ?? bareRecord({ type, namespace: '', name });
}

function typeOf({ snapshot: { types } }: Graph, resource: string): ResourceType {
  const type =
    types.versions(resource)[0] ??
    builtInTypes.find((builtIn) => groupResourceOf(builtIn) === resource);
  if (!type) throw new Error(`${resource} is no built-in resource`);
  return type;
}

/** Changes an object with a JSON patch, which tests what it relies on. */
export function patchCommandOf(
  record: ObjectRecord,
  patch: readonly Readonly<Record<string, unknown>>[],
): ShellCommand {
  return shellCommand`kubectl patch ${addressOf(record)} --type=json -p ${JSON.stringify(patch)}`;
}
