import type { Rule } from '../../src/audit/rule.ts';
import { runRules } from '../../src/audit/run-rules.ts';
import { nowhere, printedCommand } from '../../src/command-line/shell-command.ts';
import type { ObjectRecord } from '../../src/kube/object-record.ts';
import {
  type ControllerSettings,
  defaultControllerSettings,
  withControllers,
} from '../../src/settings/controller-settings.ts';
import { buildGraph } from '../../src/snapshot/graph/graph.ts';
import { type SnapshotOptions, snapshotOf } from './builders.ts';

export interface ShortViolation {
  readonly at: string;
  readonly message: string;
  /** The fix: its command, or its words where it has none. */
  readonly command: string;
  readonly related?: readonly string[];
  /** Only where it is not the rule's own. */
  readonly severity?: string;
  readonly confidence?: string;
  readonly consequence?: string;
}

export interface ShortGap {
  readonly notChecked: number;
  readonly because: string;
}

/** What one rule says about objects, and about which it could not decide. */
export function violationsOf(
  rule: Rule,
  records: readonly ObjectRecord[],
  options: SnapshotOptions & {
    readonly settings?: Partial<ControllerSettings>;
  } = {},
): (ShortViolation | ShortGap)[] {
  const { settings: given, ...rest } = options;
  const settings = { ...defaultControllerSettings, ...given };
  const snapshot = withControllers(snapshotOf(records, rest), settings);
  const { findings, notChecked } = runRules([rule], {
    graph: buildGraph(snapshot),
    now: Date.parse(snapshot.observedAt),
    settings,
    settingsFrom: given ? 'read' : 'default',
    scope: () => true,
  });
  return [
    ...findings.map(({ object, message, fix, related, severity, confidence, consequence }) => ({
      at: nameOf(object),
      message,
      command: fix.command ? printedCommand(fix.command, nowhere) : fix.summary,
      ...(related.length > 0 && { related: related.map(nameOf) }),
      ...(severity !== rule.severity && { severity }),
      ...(confidence !== 'certain' && { confidence }),
      ...(consequence !== rule.consequence && { consequence }),
    })),
    ...notChecked.map(({ objects, because }) => ({ notChecked: objects, because })),
  ];
}

function nameOf({ type, name }: ObjectRecord): string {
  return `${type.kind} ${name}`;
}
