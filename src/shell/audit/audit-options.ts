import { existsSync } from 'node:fs';
import {
  type AuditOptions,
  type AuditVerdict,
  knownRule,
  manifestRuleIds,
  ruleIds,
} from '../../audit/audit.ts';
import { type Baseline, parseBaseline } from '../../audit/baseline.ts';
import type { FailOn, Severity } from '../../audit/rule.ts';
import { type ExitCode, exitCodes, GcError, usageError } from '../../errors.ts';
import { writeWhole } from '../../files/write-whole.ts';
import { readDocument } from '../input/read-document.ts';
import type { AuditFlags } from './audit-flags.ts';

/** What flags say. */
export interface ChosenAudit
  extends Pick<AuditOptions, 'rules' | 'severity' | 'failOn' | 'allowIncomplete'> {
  /** Path of the baseline. */
  readonly baseline: string | undefined;
  readonly updateBaseline: boolean;
}

/** Refuses what does not go together, before anything is read. */
export function chooseAudit(flags: AuditFlags): ChosenAudit {
  const { baseline } = flags;
  const updateBaseline = flags['update-baseline'] ?? false;
  if (updateBaseline && baseline === undefined) {
    throw usageError('--update-baseline does not say which file to write', [
      'Name it with --baseline FILE.',
    ]);
  }
  return {
    rules: rulesOf(flags),
    severity: (flags.severity as Severity | undefined) ?? 'info',
    failOn: (flags['fail-on'] as FailOn | undefined) ?? 'error',
    allowIncomplete: flags['allow-incomplete'] ?? false,
    baseline,
    updateBaseline,
  };
}

function applicableRules(flags: AuditFlags): readonly string[] {
  return flags['against-cluster'] ? manifestRuleIds : ruleIds;
}

function rulesOf(flags: AuditFlags): ReadonlySet<string> {
  const applicable = applicableRules(flags);
  const named = eachOf(flags.rule)?.map((id) => knownRule(id, '--rule'));
  const other = named?.find((id) => !applicable.includes(id));
  if (other !== undefined) {
    const [when, how] = flags['against-cluster'] ? ['without', 'Leave out'] : ['with', 'Add'];
    throw usageError(`the rule ${other} is only for an audit ${when} --against-cluster`, [
      `${how} that flag. --list-rules shows which rules need it.`,
    ]);
  }
  const skipped = (eachOf(flags['skip-rule']) ?? []).map((id) => knownRule(id, '--skip-rule'));
  const rules = (named ?? applicable).filter((id) => !skipped.includes(id));
  if (rules.length > 0) return new Set(rules);
  throw usageError('no rule is left to run', ['Leave out some of --rule, --skip-rule.']);
}

/** The baseline in a file; undefined without one, and where it is about to be written for the first time. */
export async function readBaseline(
  path: string | undefined,
  toBeWritten: boolean,
): Promise<Baseline | undefined> {
  if (path === undefined) return undefined;
  if (!existsSync(path)) {
    if (toBeWritten) return undefined;
    throw new GcError(`there is no baseline ${path}`, {
      code: 'no-baseline',
      suggestions: ['Write one with --update-baseline.'],
    });
  }
  return parseBaseline(await readDocument(path, 'baseline'), path);
}

/** An entry of a baseline names no cluster: what is known of one would hide the same in all others. */
export function refuseBaseline({ baseline }: ChosenAudit): void {
  if (baseline === undefined) return;
  throw usageError(`a baseline is for one cluster, and --context names several: ${baseline}`, [
    'Audit each cluster with a baseline of its own.',
  ]);
}

export async function writeBaseline(path: string, baseline: Baseline): Promise<void> {
  const text = `${JSON.stringify(baseline, undefined, 2)}\n`;
  await writeWhole(path, text, { what: 'the baseline' });
}

export const exitCodeOfVerdict: Readonly<Record<AuditVerdict, ExitCode>> = {
  passed: exitCodes.ok,
  failed: exitCodes.findings,
  incomplete: exitCodes.failed,
};

/** `a,b` names two. */
function eachOf(given: readonly string[] | undefined): string[] | undefined {
  return given?.flatMap((names) => names.split(','));
}
