import { nowhere, printedCommand, shellCommand } from '../../../command-line/shell-command.ts';
import { fullNameOf } from '../../../kube/object-reference.ts';
import { jsonText } from '../../../syntax/json-text.ts';
import type { AuditItem, AuditReport } from '../document.ts';
import { locationOf, sentenceOf, unreadSentences } from './finding-text.ts';
import { rulePageUrl } from './rule-page.ts';

const sarifLevels = { error: 'error', warning: 'warning', info: 'note' } as const;

/** SARIF 2.1.0, for code scanning. Findings that do not count are there, marked as suppressed or unchanged. */
export function auditSarif(report: AuditReport): string {
  const log = {
    $schema:
      'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [runOf(report)],
  };
  return `${jsonText(log, 2)}\n`;
}

function runOf(report: AuditReport) {
  const ids = report.rules.map(({ id }) => id);
  return {
    tool: {
      driver: {
        name: 'kubectl-gc',
        rules: report.rules.map(ruleOf),
      },
    },
    invocations: [
      {
        executionSuccessful: report.verdict !== 'incomplete',
        endTimeUtc: report.at,
        toolExecutionNotifications: unreadSentences(report).map((text) => ({
          level: 'warning',
          message: { text },
        })),
      },
    ],
    results: report.items.map((item) => sarifResult(item, ids.indexOf(item.rule))),
  };
}

/** Kubernetes' own page on what all rules are about: for a rule without its own address. */
const kubernetesPage = 'https://kubernetes.io/docs/concepts/architecture/garbage-collection/';

function ruleOf({ id, title }: AuditReport['rules'][number]) {
  const help = `${title}. What it finds, why it matters and how to fix it:`;
  const command = printedCommand(shellCommand`kubectl gc audit --explain ${id}`, nowhere);
  return {
    id,
    name: id,
    shortDescription: { text: title },
    fullDescription: { text: `${title}.` },
    help: {
      text: `${help} ${command}`,
      markdown: `**${id}**: ${help} \`${command}\``,
    },
    helpUri: rulePageUrl(id) ?? kubernetesPage,
    properties: { tags: ['kubernetes', 'garbage-collection'] },
  };
}

function sarifResult(item: AuditItem, ruleIndex: number) {
  const { path, line, isFile } = locationOf(item);
  const { fix, waiver, status, object } = item;
  return {
    ruleId: item.rule,
    ruleIndex,
    level: sarifLevels[item.severity],
    message: {
      text: `${fullNameOf(item.object)}: ${sentenceOf(item)}. Fix: ${fix.command ?? fix.summary}`,
    },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: isFile ? encodeURI(path.toWellFormed()) : path },
          region: { startLine: line },
        },
        logicalLocations: [
          {
            name: object.name,
            fullyQualifiedName: [object.namespace, object.kind, object.name]
              .filter((part) => part !== '')
              .join('/'),
            kind: 'resource',
          },
        ],
      },
    ],
    partialFingerprints: { 'kubectl-gc/v1': item.fingerprint },
    baselineState: status === 'baseline' ? 'unchanged' : 'new',
    ...(waiver && {
      suppressions: [
        {
          kind: waiver.by === 'annotation' ? 'inSource' : 'external',
          justification: waiver.reason,
        },
      ],
    }),
    properties: { confidence: item.confidence, consequence: item.consequence },
  };
}
