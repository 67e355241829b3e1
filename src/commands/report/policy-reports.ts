import type { Severity } from '../../audit/rule.ts';
import { gapsOf, sentenceOf } from '../../output/audit-formats/finding-text.ts';
import type { AuditItem, AuditReport } from '../../output/documents/audit.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';

/** The two APIs of policy reports: the one of Kubernetes' policy working group, and its successor. */
export const reportApis = {
  'wgpolicyk8s.io': {
    apiVersion: 'wgpolicyk8s.io/v1alpha2',
    kind: 'PolicyReport',
    clusterKind: 'ClusterPolicyReport',
  },
  'openreports.io': {
    apiVersion: 'openreports.io/v1alpha1',
    kind: 'Report',
    clusterKind: 'ClusterReport',
  },
} as const;

export type ReportApi = (typeof reportApis)[keyof typeof reportApis];

/** Who wrote a report, a result of one, or an Event. */
export const source = 'kubectl-gc';

/** One result of a report; the same fields in both APIs. */
export interface PolicyResult {
  readonly source: string;
  readonly policy: string;
  readonly category: string;
  readonly severity?: string;
  readonly result: 'fail' | 'warn' | 'error' | 'skip';
  readonly scored: boolean;
  /** When it was first found. */
  readonly timestamp: { readonly seconds: number; readonly nanos: number };
  readonly resources?: readonly object[];
  readonly message: string;
  readonly properties: Readonly<Record<string, string>>;
}

/** What of earlier results an audit can judge. */
export interface Earlier {
  /** The results that were written before, by the namespace they are in. */
  readonly results: readonly PolicyResult[];
  /** May an earlier result of this rule that was not found again be dropped? */
  readonly isJudged: (rule: string) => boolean;
  /** Fingerprints of what was found, in whatever state. */
  readonly found: ReadonlySet<string>;
}

/**
 * The results by namespace, under '' for cluster-scoped objects and where `isOpen` says that a namespace
 * takes no new objects; there also stands what could not be read.
 */
export function policyResults(
  report: AuditReport,
  problems: readonly CoverageProblem[],
  isOpen: (namespace: string) => boolean,
): Map<string, PolicyResult[]> {
  const seconds = Math.floor(Date.parse(report.at) / 1000);
  const timestamp = { seconds, nanos: 0 };
  const byNamespace = new Map<string, PolicyResult[]>();
  const add = (namespace: string, result: PolicyResult) => {
    const known = byNamespace.get(namespace);
    if (known) known.push(result);
    else byNamespace.set(namespace, [result]);
  };
  for (const item of report.items) {
    if (item.status !== 'new') continue;
    const { namespace } = item.object;
    add(namespace !== '' && isOpen(namespace) ? namespace : '', { ...resultOf(item), timestamp });
  }
  const gaps = new Set([...problems.map(({ message }) => message), ...gapsOf(report)]);
  for (const message of [...gaps].slice(0, mostGaps)) {
    add('', {
      ...{ source, policy: unread, category, result: 'error', scored: false, timestamp },
      ...{ message: cut(message), properties: { fingerprint: `${unread}: ${cut(message)}` } },
    });
  }
  return byNamespace;
}

const category = 'Garbage collection';
/** The policy of results about what could not be read. */
const unread = 'unread';
const mostGaps = 100;
const longestText = 1000;

/** `fail` is scored, as policies that are not met are; what is below an error is a `warn`. */
const levels: Readonly<Record<Severity, readonly ['fail' | 'warn', string]>> = {
  error: ['fail', 'high'],
  warning: ['warn', 'medium'],
  info: ['warn', 'info'],
};

function resultOf(item: AuditItem): Omit<PolicyResult, 'timestamp'> {
  const { rule, severity, object, fix, fingerprint, confidence } = item;
  const [result, level] = levels[severity];
  const { namespace, uid, ...rest } = object;
  return {
    source,
    policy: rule,
    category,
    severity: level,
    result,
    scored: result === 'fail',
    resources: [{ ...rest, ...(namespace && { namespace }), ...(uid && { uid }) }],
    message: cut(sentenceOf(item)),
    properties: {
      fingerprint,
      confidence,
      fix: cut(fix.summary),
      ...(fix.command !== undefined && { command: cut(fix.command) }),
    },
  };
}

function cut(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}

/**
 * The results to write where earlier ones stand: a finding that was known keeps the time at which it was first
 * found; one that was not found again is kept as `skip` where the audit could not judge it.
 */
export function withEarlier(
  results: readonly PolicyResult[],
  { results: before, isJudged, found }: Earlier,
): PolicyResult[] {
  const known = new Map(before.map((one) => [one.properties.fingerprint, one]));
  const kept = before.filter(
    ({ policy, properties: { fingerprint = '' } }) =>
      policy !== unread && !found.has(fingerprint) && !isJudged(policy),
  );
  return [
    ...results.map((one) => {
      const earlier = known.get(one.properties.fingerprint);
      return earlier ? { ...one, timestamp: earlier.timestamp } : one;
    }),
    ...kept.map((one) => ({ ...one, result: 'skip' as const, scored: false })),
  ];
}

/** A larger report might not fit into etcd. */
const mostResults = 500;

/** The content of the reports of one place, without their metadata. */
export function reportsOf({ apiVersion }: ReportApi, results: readonly PolicyResult[]) {
  const parts = Array.from({ length: Math.ceil(results.length / mostResults) }, (_, index) =>
    results.slice(index * mostResults, (index + 1) * mostResults),
  );
  return parts.map((part) => {
    const summary = { pass: 0, fail: 0, warn: 0, error: 0, skip: 0 };
    for (const { result } of part) summary[result] += 1;
    const isOpenReport = apiVersion.startsWith('openreports.io/');
    return { ...(isOpenReport && { source }), summary, results: part };
  });
}
