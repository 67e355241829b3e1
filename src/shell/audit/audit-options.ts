import { existsSync, promises as fs } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { type AuditVerdict, allRuleIds, manifestRuleIds, ruleIds } from '../../audit/audit.ts';
import {
  type AuditConfig,
  acceptedBy,
  emptyConfig,
  type FailOn,
  failLevels,
  knownRule,
  parseConfig,
} from '../../audit/audit-config.ts';
import { type Baseline, parseBaseline } from '../../audit/baseline.ts';
import { type Severity, severities } from '../../audit/rule.ts';
import { type ExitCode, exitCodes, GcError, usageError } from '../../errors.ts';
import { homeDirectory } from '../../files/home-directory.ts';
import { booleanFlag, flagsIn, repeatedFlag, textFlag } from '../flags/flag-kinds.ts';
import type { ValuesOf } from '../flags/flags.ts';
import { readDocument } from '../input/read-document.ts';

export const auditFlags = {
  ...flagsIn('RULES', {
    rule: repeatedFlag('RULE', 'only this rule', { delimiter: ',' }),
    'skip-rule': repeatedFlag('RULE', 'all rules but this one', { delimiter: ',' }),
    'list-rules': booleanFlag('list every rule, and stop (-o name: the names alone)', {
      exclusive: ['explain'],
    }),
    explain: textFlag('RULE', 'explain this rule, and stop'),
    severity: textFlag(undefined, 'only findings of this severity or a higher one', {
      options: [...severities],
    }),
    config: textFlag(
      'FILE',
      'a configuration instead of the .kubectl-gc.yaml of this folder or one above',
    ),
    'no-config': booleanFlag('no configuration', { exclusive: ['config'] }),
    settings: textFlag('FILE', "the controllers' settings, instead of those read from the cluster"),
  }),
  ...flagsIn('VERDICT', {
    'fail-on': textFlag(undefined, 'the least severity that makes it exit 1 (default: error)', {
      options: [...failLevels],
    }),
    baseline: textFlag('FILE', 'file of findings that do not count'),
    'update-baseline': booleanFlag('write the findings into the --baseline file'),
    'allow-incomplete': booleanFlag('do not fail because something could not be read'),
  }),
  ...flagsIn('MANIFESTS', {
    render: booleanFlag(
      'with --from FOLDER: render its charts and kustomizations with helm and kustomize',
      { dependsOn: ['from'] },
    ),
    'against-cluster': booleanFlag(
      'objects of --from that would be collected if applied to this cluster',
      { dependsOn: ['from'] },
    ),
    against: repeatedFlag(
      'PATH',
      'only what is pruned when the manifests of PATH become those of --from, and its dependents',
      {
        dependsOn: ['from'],
        exclusive: [
          'against-cluster',
          'baseline',
          'explain',
          'list-rules',
          'render',
          'rule',
          'skip-rule',
          'severity',
          'update-baseline',
        ],
      },
    ),
    snapshot: textFlag(
      'FILE',
      'with --against: the saved snapshot of the cluster in which it is pruned',
      { dependsOn: ['against'] },
    ),
  }),
};

export type AuditFlags = ValuesOf<typeof auditFlags>;

/** What flags and configuration say together; flags win. */
export type ChosenAudit = Awaited<ReturnType<typeof chooseAudit>>;

/** Reads the configuration, before anything else is read. */
export async function chooseAudit(flags: AuditFlags) {
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
  if (updateBaseline && baseline === configured && configured !== undefined && path !== undefined) {
    await refuseOutside(configured, dirname(path));
  }
  if (updateBaseline && baseline === undefined) {
    throw usageError(
      '--update-baseline does not say which file to write: no configuration names one',
      ['Name it with --baseline FILE.'],
    );
  }
  const rules = rulesOf(flags, config);
  const applicable = applicableRules(flags);
  const skippedRules = applicable.filter((id) => !rules.has(id));
  const wanted = config.onlyRules ?? [];
  const off = [...(flags['skip-rule'] ?? []), ...config.skipRules];
  return {
    rules,
    /** What the configuration chooses, and is for another kind of audit. */
    inapplicableRules: wanted.filter((id) => !applicable.includes(id) && !off.includes(id)),
    severities: config.severities,
    severity: (flags.severity as Severity | undefined) ?? config.severity ?? 'info',
    failOn: (flags['fail-on'] as FailOn | undefined) ?? config.failOn ?? 'error',
    allowIncomplete: flags['allow-incomplete'] || config.allowIncomplete,
    exceptions: acceptedBy(config),
    baseline,
    updateBaseline,
    configuration: path === undefined ? undefined : { path, skippedRules },
    againstCluster: flags['against-cluster'] ?? false,
  };
}

/**
 * A configuration may come with a repository that one only looks at, so what it names is written in
 * its own folder or below, links resolved; `--baseline` names any file.
 */
async function refuseOutside(baseline: string, folder: string): Promise<void> {
  const real = (path: string) => fs.realpath(path).catch(() => path);
  const file = existsSync(baseline)
    ? await real(baseline)
    : join(await real(dirname(baseline)), basename(baseline));
  const way = relative(await real(folder), file);
  if (!way.startsWith('..') && !isAbsolute(way)) return;
  throw usageError(
    `--update-baseline does not write ${baseline}, which is outside of the folder of the configuration`,
    ['Name the file with --baseline FILE to write it anyway.'],
  );
}

function applicableRules(flags: AuditFlags): readonly string[] {
  return flags['against-cluster'] ? manifestRuleIds : ruleIds;
}

/** `--rule` runs what it names, whatever the configuration leaves out. */
function rulesOf(flags: AuditFlags, config: AuditConfig): ReadonlySet<string> {
  const applicable = applicableRules(flags);
  const named = flags.rule?.map((id) => knownRule(id, allRuleIds, '--rule'));
  const other = named?.find((id) => !applicable.includes(id));
  if (other !== undefined) {
    const [when, how] = flags['against-cluster'] ? ['without', 'Leave out'] : ['with', 'Add'];
    throw usageError(`the rule ${other} is only for an audit ${when} --against-cluster`, [
      `${how} that flag. --list-rules shows which rules need it.`,
    ]);
  }
  const skipped = (flags['skip-rule'] ?? []).map((id) => knownRule(id, allRuleIds, '--skip-rule'));
  const off = new Set([...skipped, ...(named ? [] : config.skipRules)]);
  const rules = (named ?? config.onlyRules ?? applicable).filter(
    (id) => applicable.includes(id) && !off.has(id),
  );
  if (rules.length > 0) return new Set(rules);
  throw usageError('no rule is left to run: an audit without rules finds nothing', [
    'Leave out some of --rule, --skip-rule.',
  ]);
}

const configName = '.kubectl-gc.yaml';

/** The nearest configuration: in this folder or one above, up to the repository's root or the home folder. */
function findConfig(folder: string): string | undefined {
  const home = homeDirectory();
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, configName);
    if (existsSync(path)) return path;
    if (existsSync(join(at, '.git')) || at === home || dirname(at) === at) return undefined;
  }
}

/** The baseline in a file; undefined without one, and where it is about to be written for the first time. */
export async function readBaseline(
  path: string | undefined,
  toBeWritten: boolean,
): Promise<Baseline | undefined> {
  if (path === undefined) return undefined;
  if (!existsSync(path)) {
    if (toBeWritten) return undefined;
    throw new GcError(`there is no baseline ${path}, so each finding would count as new`, {
      code: 'no-baseline',
      suggestions: ['Write one with --update-baseline.'],
    });
  }
  return parseBaseline(await readDocument(path, 'baseline'), path);
}

/** An entry of a baseline names no cluster: an entry for one cluster would hide the same finding in all others. */
export function refuseBaseline({ baseline }: ChosenAudit): void {
  if (baseline === undefined) return;
  throw usageError(`a baseline is for one cluster, and --context names several: ${baseline}`, [
    'Audit each cluster with its own baseline; --no-config ignores a configuration that names one.',
  ]);
}

export const exitCodeOfVerdict: Readonly<Record<AuditVerdict, ExitCode>> = {
  passed: exitCodes.ok,
  failed: exitCodes.findings,
  incomplete: exitCodes.failed,
};
