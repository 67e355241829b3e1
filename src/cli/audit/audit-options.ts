import { existsSync, promises as fs } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { allRuleIds, manifestRuleIds, ruleIds } from '../../audit/audit.ts';
import {
  type AuditConfig,
  emptyConfig,
  type FailOn,
  knownRule,
  parseConfig,
} from '../../audit/audit-config.ts';
import { type Baseline, parseBaseline } from '../../audit/baseline.ts';
import type { Severity } from '../../audit/rules/audit-rule.ts';
import { GcError, usageError } from '../../errors.ts';
import { readDocument } from '../input/read-document.ts';
import type { AuditFlags } from './audit-flags.ts';

/** What flags and configuration say together; flags win. */
export interface ChosenAudit {
  readonly rules: ReadonlySet<string>;
  readonly severities: AuditConfig['severities'];
  readonly severity: Severity;
  readonly failOn: FailOn;
  readonly allowIncomplete: boolean;
  readonly exceptions: AuditConfig['exceptions'];
  /** Path of the baseline. */
  readonly baseline: string | undefined;
  readonly updateBaseline: boolean;
  /** Path of the configuration. */
  readonly config: string | undefined;
}

/** Reads the configuration, before anything else is read. */
export async function chooseAudit(flags: AuditFlags): Promise<ChosenAudit> {
  const path = flags['no-config'] ? undefined : (flags.config ?? findConfig(process.cwd()));
  const config =
    path === undefined
      ? emptyConfig
      : parseConfig(await readDocument(path, 'configuration'), allRuleIds);
  // A path in a file is meant from where the file is.
  const configured =
    config.baseline !== undefined && path !== undefined
      ? resolve(dirname(path), config.baseline)
      : undefined;
  const baseline = flags.baseline ?? configured;
  const updateBaseline = flags['update-baseline'] ?? false;
  if (updateBaseline && baseline === undefined) {
    throw usageError(
      'no-baseline',
      '--update-baseline does not say which file to write',
      'Name it with --baseline FILE.',
    );
  }
  return {
    rules: rulesOf(flags, config),
    severities: config.severities,
    severity: (flags.severity as Severity | undefined) ?? config.severity ?? 'info',
    failOn: (flags['fail-on'] as FailOn | undefined) ?? config.failOn ?? 'error',
    allowIncomplete: flags['allow-incomplete'] || config.allowIncomplete,
    exceptions: config.exceptions,
    baseline,
    updateBaseline,
    config: path,
  };
}

/** `--rule` runs what it names, whatever the configuration leaves out. */
function rulesOf(flags: AuditFlags, config: AuditConfig): ReadonlySet<string> {
  const applicable = flags['against-cluster'] ? manifestRuleIds : ruleIds;
  const named = flags.rule?.map((id) => knownRule(id, allRuleIds, '--rule'));
  const other = named?.find((id) => !applicable.includes(id));
  if (other !== undefined) {
    const [when, how] = flags['against-cluster'] ? ['without', 'Leave out'] : ['with', 'Add'];
    throw usageError(
      'no-rules',
      `the rule ${other} is only for an audit ${when} --against-cluster`,
      `${how} that flag. --list-rules shows which rules need it.`,
    );
  }
  const skipped = (flags['skip-rule'] ?? []).map((id) => knownRule(id, allRuleIds, '--skip-rule'));
  const off = new Set([...skipped, ...(named ? [] : config.skipRules)]);
  const rules = (named ?? config.onlyRules ?? applicable).filter(
    (id) => applicable.includes(id) && !off.has(id),
  );
  if (rules.length > 0) return new Set(rules);
  throw usageError('no-rules', 'no rule is left to run', 'Take back some of --rule, --skip-rule.');
}

const configNames = ['.kubectl-gc.yaml', '.kubectl-gc.yml', '.kubectl-gc.json'];

/**
 * The nearest configuration: in this folder or one above, up to the repository's root or the home
 * folder; else the user's own in $XDG_CONFIG_HOME/kubectl-gc/config.yaml.
 */
function findConfig(folder: string): string | undefined {
  const home = homedir();
  for (let at = folder; ; at = dirname(at)) {
    const found = configNames.map((name) => join(at, name)).find((path) => existsSync(path));
    if (found !== undefined) return found;
    if (existsSync(join(at, '.git')) || at === home || dirname(at) === at) break;
  }
  const own = join(
    process.env.XDG_CONFIG_HOME || join(home, '.config'),
    'kubectl-gc',
    'config.yaml',
  );
  return existsSync(own) ? own : undefined;
}

/** The baseline in a file; undefined without one, and where it is about to be written for the first time. */
export async function readBaseline(
  path: string | undefined,
  toBeWritten: boolean,
): Promise<Baseline | undefined> {
  if (path === undefined) return undefined;
  if (!existsSync(path)) {
    if (toBeWritten) return undefined;
    throw usageError(
      'no-baseline',
      `there is no baseline ${path}`,
      'Write one with --update-baseline.',
    );
  }
  return parseBaseline(await readDocument(path, 'baseline'), path);
}

/** Replaces the file as a whole, so that whoever interrupts it keeps the one there was. */
export async function writeBaseline(path: string, baseline: Baseline): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    await fs.writeFile(draft, `${JSON.stringify(baseline, undefined, 2)}\n`);
    await fs.rename(draft, path);
  } catch (cause) {
    await fs.rm(draft, { force: true });
    throw new GcError(`cannot write the baseline ${path}: ${(cause as Error).message}`, {
      code: 'cannot-write',
      cause,
    });
  }
}
