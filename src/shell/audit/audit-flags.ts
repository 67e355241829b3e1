import { failLevels } from '../../audit/audit-config.ts';
import { severities } from '../../audit/rule.ts';
import { booleanFlag, flagsWith, repeatedFlag, textFlag } from '../flags/flag-kinds.ts';
import type { ValuesOf } from '../flags/flags.ts';

export const auditFlags = {
  ...flagsWith(
    { helpGroup: 'RULES' },
    {
      rule: repeatedFlag('RULE', 'only this rule'),
      'skip-rule': repeatedFlag('RULE', 'not this rule'),
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
      settings: textFlag(
        'FILE',
        "the controllers' settings, instead of those read from the cluster",
      ),
    },
  ),
  ...flagsWith(
    { helpGroup: 'VERDICT' },
    {
      'fail-on': textFlag(undefined, 'the least severity that makes it exit 1 (default: error)', {
        options: [...failLevels],
      }),
      baseline: textFlag('FILE', 'findings that this file holds do not count'),
      'update-baseline': booleanFlag('write the findings into the --baseline file'),
      'allow-incomplete': booleanFlag('do not fail because something could not be read'),
    },
  ),
  ...flagsWith(
    { helpGroup: 'MANIFESTS' },
    {
      render: booleanFlag(
        'with --from FOLDER: render its charts and kustomizations with helm and kustomize',
        { dependsOn: ['from'] },
      ),
      'against-cluster': booleanFlag(
        'would the objects of --from be collected if applied to this cluster?',
        { dependsOn: ['from'] },
      ),
      against: repeatedFlag(
        'PATH',
        'what is pruned when the manifests of PATH become those of --from, and what goes with it',
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
    },
  ),
};

export type AuditFlags = ValuesOf<typeof auditFlags>;
