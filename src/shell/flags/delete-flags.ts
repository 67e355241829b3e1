import {
  booleanFlag,
  dryRunFlag,
  flagsIn,
  numberFlag,
  repeatedFlag,
  textFlag,
} from './flag-kinds.ts';
import { scopeFlags } from './flags.ts';

const kubectlFlags = {
  all: booleanFlag('every object of the types that are named'),
  ...scopeFlags,
  filename: repeatedFlag('FILE', 'objects that a file, folder, URL or - (stdin) names', {
    char: 'f',
  }),
  kustomize: textFlag('DIR', 'the objects of a kustomization folder', {
    char: 'k',
    exclusive: ['filename', 'recursive'],
  }),
  recursive: booleanFlag('with -f: also folders inside', { char: 'R' }),
  cascade: textFlag(
    'background|foreground|orphan',
    'propagation policy for dependents; background by default',
    { bare: 'background', following: '^(background|foreground|orphan)$' },
  ),
  'dry-run': dryRunFlag('send nothing, or have the server rehearse', { bare: 'unchanged' }),
  force: booleanFlag('with grace period 0: remove without waiting for the kubelet'),
  'grace-period': numberFlag(
    'SECONDS',
    'seconds that objects get to terminate; 0 only with --force',
  ),
  now: textFlag(
    '[=TIME]',
    'grace period of 1s, as --grace-period=1; with a value, the time to count from (--from)',
    {
      bare: 'true',
      following: '^\\d{4}-\\d{2}-\\d{2}[Tt]',
    },
  ),
  'ignore-not-found': textFlag(
    'true|false',
    'success for objects that do not exist; default with --all and selectors',
    { bare: 'true' },
  ),
  interactive: booleanFlag("kubectl's question, before anything is sent", { char: 'i' }),
  timeout: textFlag('DURATION', 'longest time to wait, as in 5m; 0 waits without limit'),
  wait: textFlag(
    'true|false|object|tree',
    'objects to wait for: all that are planned, only the named ones (object), or none (false)',
    { bare: 'true' },
  ),
  // What promises more than one bare request can keep, or is about something else.
  raw: textFlag('URI', 'DELETE this path of the server', {
    exclusive: [
      ...['backup', 'backup-recipient', 'compare', 'dry-run', 'from', 'interactive', 'max-deletes'],
      ...['output', 'plan', 'preview', 'recursive'],
    ],
  }),
  output: textFlag(
    'name|table|wide|json|yaml|svg|html',
    'name prints names only; json and yaml print events, or with --preview the plan',
    { char: 'o' },
  ),
};

/** `--backup-recipient`, wherever a backup is written. */
export const recipientFlag = repeatedFlag('RECIPIENT', 'encrypt the backup to this age recipient');

const ownFlags = {
  ...flagsIn('CLEAN UP', {
    evicted: booleanFlag('only pods that were evicted'),
    finished: booleanFlag('only ended pods and jobs, evicted pods among them'),
    'older-than': textFlag('DURATION', 'only objects that finished at least this long ago'),
  }),
  ...flagsIn('PLAN', {
    preview: booleanFlag('show what would happen, and stop'),
    compare: booleanFlag('show background, foreground and orphan side by side, and stop'),
    plan: textFlag(
      'FILE',
      'write the plan to this file, and stop; without objects: perform the plan in it',
    ),
  }),
  ...flagsIn('SAFETY', {
    yes: booleanFlag('skip confirmation, even if some resource types could not be listed', {
      char: 'y',
    }),
    'max-deletes': numberFlag('N', 'refuse when more objects than this would be deleted', {
      min: 0,
    }),
    'allow-protected': booleanFlag(
      "also in kube-system, kube-public, kube-node-lease, and default's namespace object",
    ),
    'allow-incomplete': booleanFlag('delete even if dependents could not be determined'),
    backup: textFlag(
      'DIR',
      'folder for a backup of the deleted objects; on by default for more than one object',
    ),
    'backup-recipient': recipientFlag,
    'no-backup': booleanFlag('keep no backup'),
  }),
};

export const deleteFlags = { ...kubectlFlags, ...ownFlags };
