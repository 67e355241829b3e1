import { failsAudit } from '../../../audit/audit.ts';
import type { FailOn } from '../../../audit/audit-config.ts';
import { fullNameOf } from '../../../kube/object-reference.ts';
import { escapeMarkup as escaped } from '../../../output/printable.ts';
import type { AuditItem, AuditReport } from '../document.ts';
import { locationOf, sentenceOf, unreadSentences } from './finding-text.ts';

interface Case {
  readonly kind: 'passed' | 'failure' | 'skipped' | 'error';
  readonly xml: string;
}

/**
 * JUnit XML: a suite for each rule, a case for each finding. Only what fails the audit is a failure: what is
 * less severe than --fail-on is skipped. What was not read is an error in a separate suite.
 */
export function auditJunit(report: AuditReport): string {
  const suites = report.rules.map(({ id, title }): [name: string, cases: readonly Case[]] => {
    const items = report.items.filter(({ rule }) => rule === id);
    const none: Case = { kind: 'passed', xml: `${opened(id, title)}/>` };
    return [id, items.length > 0 ? items.map((item) => caseOf(item, report.failOn)) : [none]];
  });
  const gaps = report.verdict === 'incomplete' ? unreadSentences(report) : [];
  if (gaps.length > 0) suites.push(['coverage', gaps.map(gapCase)]);
  const head = `time="0" timestamp="${report.at.replace(/Z$/, '')}" hostname="kubectl-gc"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="kubectl gc audit" ${countAttributes(suites.flatMap(([, cases]) => cases))}>`,
    ...suites.flatMap(([name, cases]) => [
      `  <testsuite name="${escaped(name)}" ${countAttributes(cases)} skipped="${countCases(cases, 'skipped')}" ${head}>`,
      ...cases.map(({ xml }) => `    ${xml}`),
      '  </testsuite>',
    ]),
    '</testsuites>\n',
  ].join('\n');
}

function countCases(cases: readonly Case[], kind: Case['kind']): number {
  return cases.filter((each) => each.kind === kind).length;
}

function countAttributes(cases: readonly Case[]): string {
  return `tests="${cases.length}" failures="${countCases(cases, 'failure')}" errors="${countCases(cases, 'error')}"`;
}

function caseOf(item: AuditItem, failOn: FailOn): Case {
  const place = locationOf(item);
  const start = opened(item.rule, fullNameOf(item.object));
  const skipped = (...why: string[]): Case => ({
    kind: 'skipped',
    xml: `${start}><skipped>${why.map(escaped).join('\n')}</skipped></testcase>`,
  });
  if (item.status !== 'new') {
    return skipped(item.waiver ? `waived: ${item.waiver.reason}` : 'in the baseline');
  }
  const at = place.isFile ? `${place.path}:${place.line}` : '';
  const text = [at, sentenceOf(item), `Fix: ${item.fix.summary}`, item.fix.command ?? ''].filter(
    (part) => part !== '',
  );
  if (!failsAudit(item.severity, failOn)) {
    return skipped(`${item.severity}: not counted with --fail-on ${failOn}`, ...text);
  }
  return {
    kind: 'failure',
    xml: `${start}><failure type="${item.severity}" message="${escaped(item.message)}">${text.map(escaped).join('\n')}</failure></testcase>`,
  };
}

function gapCase(text: string): Case {
  const xml = `${opened('coverage', text)}><error type="incomplete" message="${escaped(text)}"/></testcase>`;
  return { kind: 'error', xml };
}

function opened(rule: string, name: string): string {
  return `<testcase classname="kubectl-gc.${escaped(rule)}" name="${escaped(name)}" time="0"`;
}
