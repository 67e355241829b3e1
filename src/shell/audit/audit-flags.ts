import * as Flags from '@oclif/core/flags';
import { failLevels } from '../../audit/audit-config.ts';
import { severities } from '../../audit/rule.ts';
import { repeatable, type ValuesOf } from '../flags/flags.ts';

const choice = 'RULES';
const verdict = 'VERDICT';
const manifests = 'MANIFESTS';

/** What an audit looks for, and what it makes of it. */
export const auditFlags = {
  rule: Flags.string({
    helpValue: 'RULE',
    helpGroup: choice,
    summary: 'only this rule; may be repeated',
    ...repeatable,
  }),
  'skip-rule': Flags.string({
    helpValue: 'RULE',
    helpGroup: choice,
    summary: 'not this rule; may be repeated',
    ...repeatable,
  }),
  'list-rules': Flags.boolean({
    helpGroup: choice,
    summary: 'list every rule, and stop (-o name: the names alone)',
    exclusive: ['explain'],
  }),
  explain: Flags.string({
    helpGroup: choice,
    summary: 'explain this rule, and stop',
    helpValue: 'RULE',
  }),
  severity: Flags.string({
    helpGroup: choice,
    summary: 'only findings of this severity or a higher one',
    options: [...severities],
  }),
  config: Flags.string({
    helpGroup: choice,
    summary: 'a configuration instead of the .kubectl-gc.yaml of this folder or one above',
    helpValue: 'FILE',
  }),
  'no-config': Flags.boolean({
    helpGroup: choice,
    summary: 'no configuration',
    exclusive: ['config'],
  }),
  settings: Flags.string({
    helpGroup: choice,
    summary: "the controllers' settings, instead of those read from the cluster",
    helpValue: 'FILE',
  }),
  'fail-on': Flags.string({
    helpGroup: verdict,
    summary: 'the least severity that makes it exit 1 (default: error)',
    options: [...failLevels],
  }),
  baseline: Flags.string({
    helpGroup: verdict,
    summary: 'findings that this file holds do not count',
    helpValue: 'FILE',
  }),
  'update-baseline': Flags.boolean({
    helpGroup: verdict,
    summary: 'write the findings into the --baseline file',
  }),
  'allow-incomplete': Flags.boolean({
    helpGroup: verdict,
    summary: 'do not fail because something could not be read',
  }),
  render: Flags.boolean({
    helpGroup: manifests,
    summary: 'with --from FOLDER: render its charts and kustomizations with helm and kustomize',
    dependsOn: ['from'],
  }),
  'against-cluster': Flags.boolean({
    helpGroup: manifests,
    summary: 'would the objects of --from be collected if applied to this cluster?',
    dependsOn: ['from'],
  }),
  against: Flags.string({
    helpGroup: manifests,
    summary:
      'what is pruned when the manifests of PATH become those of --from, and what goes with it; may be repeated',
    helpValue: 'PATH',
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
    ...repeatable,
  }),
  snapshot: Flags.string({
    helpGroup: manifests,
    summary: 'with --against: the saved snapshot of the cluster in which it is pruned',
    helpValue: 'FILE',
    dependsOn: ['against'],
  }),
};

/** Their values, after parsing. */
export type AuditFlags = ValuesOf<typeof auditFlags>;
