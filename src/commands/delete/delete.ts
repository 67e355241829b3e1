import { reviewingOnce } from '../../cluster/write/access-reviews.ts';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { orInterrupted } from '../../perform/interrupted.ts';
import { backupEncrypter } from '../../restore/backup/encryption.ts';
import { deleteFlags } from '../../shell/flags/delete-flags.ts';
import {
  checkedDeleteOptions,
  checkOutput,
  type DeleteFlags,
  type DeleteOptions,
  selectsEnded,
  wantsDocument,
} from '../../shell/flags/delete-options.ts';
import { whileAsking } from '../../shell/input/while-asking.ts';
import { GcCommand, refuseStdinTwice } from '../../shell/oclif/gc-command.ts';
import type { Deletion } from '../../shell/plan/planning.ts';
import { refuseUnasked } from '../../shell/terminal/confirm.ts';
import { withInterruption } from '../../shell/terminal/interruption.ts';
import type { DeleteOutcome } from './outcome.ts';
import { endedSelectorOf } from './targets/ended-selector.ts';
import { askAhead, readCommandLine } from './targets/resolve-targets.ts';
import { type CommandLine, isSavedPlan } from './targets/target-arguments.ts';

export default class Delete extends GcCommand {
  static override summary = 'Delete objects with a preview and a backup';
  static override description = [
    'Takes every flag of kubectl delete with its meaning, and prints its lines. On a',
    'terminal it first shows all that would be deleted, and asks. Every request is bound to the',
    'uid of the object in the preview, and the command waits until the whole tree is deleted.',
  ].join(' ');
  static override usage = [
    '<%= command.id %> (TYPE/NAME... | TYPE -l SELECTOR | -f FILE) [--preview]',
    '<%= command.id %> pods (--evicted | --finished) [--older-than DURATION]',
  ];
  static override examples = [
    '<%= config.bin %> delete deployment/web -n shop --preview',
    '<%= config.bin %> delete deployment web -n shop --cascade=foreground',
    '<%= config.bin %> delete pods --evicted --older-than 1d -n shop --preview',
    '<%= config.bin %> delete -f web.yaml --max-deletes 20 --yes',
    '<%= config.bin %> delete namespace/shop --plan shop.plan.json',
    '<%= config.bin %> delete --plan shop.plan.json --yes',
    '<%= config.bin %> delete deploy/web -n shop --preview --from examples/clusters/shop.json.gz',
    '<%= config.bin %> delete ns/payments --preview --from examples/clusters/shop.json.gz',
    '<%= config.bin %> delete sts/orders-db -n payments --compare --from examples/clusters/shop.json.gz',
  ];
  static override strict = false;
  static override flags = deleteFlags;

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Delete);
    const args = argv as string[];
    const options = checkedDeleteOptions(flags);
    endedSelectorOf(flags);
    const shows = wantsDocument(flags) || flags.plan !== undefined || options.dryRun !== 'none';
    if (selectsEnded(flags) && !shows && !flags.from) {
      refuseUnasked(
        flags.yes,
        'nothing was sent: there is no terminal to ask on',
        'Add --yes to clean up, or --preview to see what would be deleted.',
      );
    }
    for (const warning of options.warnings) this.remark(warning);
    this.endWith(await this.#perform(args, flags, options));
  }

  async #perform(args: string[], flags: DeleteFlags, options: DeleteOptions): Promise<ExitCode> {
    if (flags.raw) {
      const { checkRaw, deleteRaw } = await import('./delete-raw.ts');
      checkRaw(flags);
      const isDone = await deleteRaw(args, flags, this.session(flags));
      return isDone ? exitCodes.ok : exitCodes.failed;
    }
    checkOutput(flags);
    const filename = flags.filename?.flatMap((names) => names.split(','));
    refuseStdinTwice({ ...flags, ...(filename && { filename }) });
    if (flags['backup-recipient']) await backupEncrypter(flags['backup-recipient']);
    const outcome = await withInterruption((signal) =>
      this.#outcomeOf(args, flags, options, signal),
    );
    for (const line of [...outcome.lines(), ...outcome.details]) this.remark(line);
    return outcome.exitCode();
  }

  async #outcomeOf(
    args: string[],
    flags: DeleteFlags,
    options: DeleteOptions,
    signal: AbortSignal,
  ): Promise<DeleteOutcome> {
    if (isSavedPlan(args, flags)) {
      const { savedPlan, performSavedPlan } = await import('./saved-plan.ts');
      const plan = await savedPlan(flags.plan, flags, options, signal);
      return performSavedPlan(plan, flags.plan, await this.#opened(flags, options, signal));
    }
    const named = await orInterrupted(readCommandLine(args, flags), signal);
    if (flags.from) {
      const { deleteOffline } = await import('./delete-offline.ts');
      return deleteOffline(named, flags.from, flags, options);
    }
    const connecting = this.session(flags).client(true);
    // Else nothing is read before somebody has answered, or at all.
    const isRead = !flags.interactive && options.dryRun === 'none';
    const [ahead, opened, { deleteOnCluster }] = await Promise.all([
      connecting.then((client) => (isRead ? askAhead(client, named, flags) : undefined)),
      this.#opened(flags, options, signal, named),
      whileAsking(() => import('./delete-on-cluster.ts')),
    ]);
    return deleteOnCluster(named, opened, ahead);
  }

  async #opened(
    flags: DeleteFlags,
    options: DeleteOptions,
    signal: AbortSignal,
    named?: CommandLine,
  ): Promise<Deletion> {
    const opened = await orInterrupted(this.session(flags).cluster(), signal);
    const cluster = { ...opened, client: reviewingOnce(opened.client) };
    const withoutPreview =
      flags.preview && !flags.compare && named?.by !== 'release'
        ? this.again(flags, (argv) => argv.filter((arg) => !/^--preview(=|$)/.test(arg)))
        : undefined;
    return { cluster, flags, options, signal, withoutPreview };
  }
}
