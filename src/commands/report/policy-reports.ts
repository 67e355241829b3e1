import type { Severity } from '../../audit/rule.ts';
import type { AuditItem } from '../../questions/audit/document.ts';
import { sentenceOf, unreadSentences } from '../../questions/audit/formats/finding-text.ts';
import { problemsOf } from './report-metrics.ts';
import type { ClusterReport, ReportApi } from './take-look.ts';

/** Who wrote a report, or a result of one. */
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

const category = 'Garbage collection';
/** The policy of results about what could not be read. */
const unreadPolicy = 'unread';
const mostGaps = 100;
const longestMessage = 1000;
/** A larger report might not fit into etcd. */
const mostResults = 500;

/**
 * The reports to write: one for each namespace, and for the cluster one about cluster-scoped objects, about what is in
 * namespaces that take no new objects, and about what could not be read. `earlier`: the results that were written before,
 * by namespace. A finding that was known keeps the time at which it was first found; one that was not found again is kept
 * as `skip` where the audit could not judge it. The one about the cluster is in no namespace; `content` has no metadata.
 */
export function policyReports(
  { apiVersion }: ReportApi,
  look: Pick<ClusterReport, 'audit' | 'forecast' | 'isOpen' | 'isJudged'>,
  earlier: ReadonlyMap<string, readonly PolicyResult[]>,
) {
  const { audit, isOpen, isJudged } = look;
  const timestamp = { seconds: Math.floor(Date.parse(audit.at) / 1000), nanos: 0 };
  const gaps = new Set([
    ...problemsOf(look).map(({ message }) => message),
    ...unreadSentences(audit),
  ]);
  const found = Map.groupBy(
    audit.items.filter(({ status }) => status === 'new'),
    ({ object: { namespace } }) => (isOpen(namespace) ? namespace : ''),
  );
  // What is waived by now is no more, whatever was read.
  const seen = new Set<string | undefined>(audit.items.map(({ fingerprint }) => fingerprint));
  const namespaces = new Set([...found.keys(), ...(gaps.size > 0 ? [''] : []), ...earlier.keys()]);
  return [...namespaces].flatMap((namespace) => {
    const before = earlier.get(namespace) ?? [];
    const firstFound = new Map(
      before.map((one) => [one.properties.fingerprint, one.timestamp] as const),
    );
    const now = [
      ...(found.get(namespace) ?? []).map(policyResult),
      ...(namespace === '' ? [...gaps].slice(0, mostGaps).map(gapResult) : []),
    ].map((one) => ({
      ...one,
      timestamp: firstFound.get(one.properties.fingerprint) ?? timestamp,
    }));
    const kept = before
      .filter(
        ({ policy, properties: { fingerprint } }) =>
          policy !== unreadPolicy && !seen.has(fingerprint) && !isJudged(policy),
      )
      .map((one) => ({ ...one, result: 'skip' as const, scored: false }));
    const isOpenReport = apiVersion.startsWith('openreports.io/');
    return inParts([...now, ...kept]).map((results, index) => {
      const summary = { pass: 0, fail: 0, warn: 0, error: 0, skip: 0 };
      for (const { result } of results) summary[result] += 1;
      const name = index === 0 ? source : `${source}-${index + 1}`;
      return { namespace, name, content: { ...(isOpenReport && { source }), summary, results } };
    });
  });
}

function inParts(results: readonly PolicyResult[]): PolicyResult[][] {
  return [
    ...Map.groupBy(results.entries(), ([index]) => Math.floor(index / mostResults)).values(),
  ].map((part) => part.map(([, result]) => result));
}

/** `fail` is scored, as policies that are not met are; what is below an error is a `warn`. */
const policyLevels: Readonly<Record<Severity, readonly ['fail' | 'warn', string]>> = {
  error: ['fail', 'high'],
  warning: ['warn', 'medium'],
  info: ['warn', 'info'],
};

function policyResult(item: AuditItem): Omit<PolicyResult, 'timestamp'> {
  const { rule, severity, object, fix, fingerprint, confidence } = item;
  const [result, level] = policyLevels[severity];
  const { namespace, uid, ...rest } = object;
  return {
    ...{ source, policy: rule, category, severity: level, result, scored: result === 'fail' },
    resources: [{ ...rest, ...(namespace && { namespace }), ...(uid && { uid }) }],
    message: shortMessage(sentenceOf(item)),
    properties: {
      fingerprint,
      confidence,
      fix: shortMessage(fix.summary),
      ...(fix.command !== undefined && { command: shortMessage(fix.command) }),
    },
  };
}

function gapResult(gap: string): Omit<PolicyResult, 'timestamp'> {
  const message = shortMessage(gap);
  const properties = { fingerprint: `${unreadPolicy}: ${message}` };
  return {
    source,
    policy: unreadPolicy,
    category,
    result: 'error',
    scored: false,
    message,
    properties,
  };
}

function shortMessage(text: string): string {
  return text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text;
}
