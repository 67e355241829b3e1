import type { Graph } from '../graph/graph.ts';
import type { ObjectRecord } from '../kube/object-record.ts';

/** How bad it is: `error` loses or blocks something, `warning` will, `info` wastes. */
export type Severity = 'error' | 'warning' | 'info';

/** `likely`: the evidence leaves room for another reading. */
export type Confidence = 'certain' | 'likely';

export interface Fix {
  /** What to do, in words. */
  readonly summary: string;
  /** The command that does it, or that shows what to decide by. */
  readonly command?: string;
}

/** One thing that is wrong; what is left out is the rule's own. */
export interface AuditViolation {
  readonly object: ObjectRecord;
  /** What is the matter, with the figures. */
  readonly message: string;
  readonly fix: Fix;
  readonly related?: readonly ObjectRecord[];
  readonly severity?: Severity;
  readonly confidence?: Confidence;
  readonly consequence?: string;
}

/** What a rule looks at. */
export interface AuditView {
  readonly graph: Graph;
  /** Epoch milliseconds. */
  readonly now: number;
  /** kube-controller-manager's --terminated-pod-gc-threshold. */
  readonly terminatedPodGCThreshold: number;
  /** The objects of a resource such as `jobs.batch`; of a subject of the rule, those that it can decide about. */
  of(resource: string): readonly ObjectRecord[];
}

/** Something wrong in a cluster besides its references. The id is its file, its test and its page. */
export interface AuditRule {
  readonly id: string;
  readonly title: string;
  readonly severity: Severity;
  /** What comes of it, in Kubernetes' words. */
  readonly consequence: string;
  /** The resources of the objects that it reports, such as `jobs.batch`. */
  readonly subjects: readonly string[];
  /** Resources that must have been read, where the subject is or in the whole cluster, for it to decide. */
  readonly needs?: readonly string[];
  /** Does it look at spec and status of its subjects? */
  readonly readsFacts: boolean;
  check(view: AuditView): AuditViolation[];
}
