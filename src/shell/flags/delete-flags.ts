import * as Flags from '@oclif/core/flags';
import { allNamespacesFlag, optionalValue, repeatable, selectorFlags } from './flags.ts';

const safety = 'SAFETY';
const plan = 'PLAN';
const cleanUp = 'CLEAN UP';

/** kubectl's flags of delete, with its meaning. */
const kubectlFlags = {
  'all-namespaces': allNamespacesFlag,
  all: Flags.boolean({ summary: 'every object of the types that are named' }),
  ...selectorFlags,
  filename: Flags.string({
    helpValue: 'FILE',
    char: 'f',
    summary: 'the objects of a file, folder, pattern, URL or - for stdin; may be repeated',
    ...repeatable,
  }),
  kustomize: Flags.string({
    helpValue: 'DIR',
    char: 'k',
    summary: 'the objects of a kustomization folder',
  }),
  recursive: Flags.boolean({ char: 'R', summary: 'with -f: also the folders inside' }),
  cascade: optionalValue(
    Flags.string({
      summary: 'what becomes of dependents; background by default',
      helpValue: 'background|foreground|orphan',
    }),
    { bare: 'background', following: '^(background|foreground|orphan)$' },
  ),
  'dry-run': optionalValue(
    Flags.string({
      summary: 'send nothing, or have the server rehearse',
      helpValue: 'none|client|server',
    }),
    { bare: 'unchanged', following: '^(client|server)$' },
  ),
  force: Flags.boolean({ summary: 'with grace period 0: remove without waiting for the kubelet' }),
  'grace-period': Flags.string({
    summary: 'seconds that objects get to terminate; 0 only with --force',
    helpValue: 'SECONDS',
  }),
  now: optionalValue(
    Flags.string({
      summary: 'as --grace-period=1; with a value, the time to count from (--from)',
      helpValue: '[=TIME]',
    }),
    { bare: 'true', following: '^\\d{4}-\\d{2}-\\d{2}[Tt]' },
  ),
  'ignore-not-found': optionalValue(
    Flags.string({
      summary: 'what is not there counts as deleted; default with --all and selectors',
      helpValue: 'true|false',
    }),
    { bare: 'true' },
  ),
  interactive: Flags.boolean({ char: 'i', summary: "kubectl's question, before anything is sent" }),
  timeout: Flags.string({
    helpValue: 'DURATION',
    summary: 'how long to wait at most, as in 5m; 0 waits on',
  }),
  wait: optionalValue(
    Flags.string({
      summary:
        'wait until all that is planned is gone; object: only for the named objects; false: for nothing',
      helpValue: 'true|false|object|tree',
    }),
    { bare: 'true' },
  ),
  raw: Flags.string({ summary: 'DELETE this path of the server', helpValue: 'URI' }),
  output: Flags.string({
    char: 'o',
    summary: 'name prints names only; json and yaml print events, or with --preview the plan',
    helpValue: 'name|table|wide|json|yaml|svg|html',
  }),
};

/** `--backup-recipient`, wherever a backup is written. */
export const recipient = {
  summary: 'encrypt the backup to this age recipient; may be repeated',
  helpValue: 'RECIPIENT',
  ...repeatable,
} as const;

/** What a deletion has on top of kubectl's. */
const ownFlags = {
  evicted: Flags.boolean({ helpGroup: cleanUp, summary: 'only pods that were evicted' }),
  finished: Flags.boolean({
    helpGroup: cleanUp,
    summary: 'only pods and jobs that have succeeded or failed, evicted pods among them',
  }),
  'older-than': Flags.string({
    helpGroup: cleanUp,
    summary: 'only what ended so long ago, as in 1d or 12h',
    helpValue: 'DURATION',
  }),
  preview: Flags.boolean({ helpGroup: plan, summary: 'show what would happen, and stop' }),
  compare: Flags.boolean({
    helpGroup: plan,
    summary: 'show background, foreground and orphan side by side, and stop',
  }),
  plan: Flags.string({
    helpGroup: plan,
    summary: 'write the plan to this file, and stop; without objects: perform the plan in it',
    helpValue: 'FILE',
  }),
  yes: Flags.boolean({
    char: 'y',
    helpGroup: safety,
    summary: 'do not ask, even if some kinds could not be read',
  }),
  'max-deletes': Flags.string({
    helpGroup: safety,
    summary: 'refuse when more objects than this would be deleted',
    helpValue: 'N',
  }),
  'allow-protected': Flags.boolean({
    helpGroup: safety,
    summary: "also in kube-system, kube-public, kube-node-lease, and default's namespace object",
  }),
  'allow-incomplete': Flags.boolean({
    helpGroup: safety,
    summary: 'also when nothing is known of what goes along: it could not be read',
  }),
  backup: Flags.string({
    helpGroup: safety,
    summary: 'where to keep what is deleted; on by default for more than one object',
    helpValue: 'DIR',
  }),
  'backup-recipient': Flags.string({ helpGroup: safety, ...recipient }),
  'no-backup': Flags.boolean({ helpGroup: safety, summary: 'keep no backup' }),
};

export const deleteFlags = { ...kubectlFlags, ...ownFlags };
