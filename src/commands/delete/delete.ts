import { type ExitCode, exitCodes, isGcError } from '../../errors.ts';
import { deleteFlags } from '../../shell/flags/delete-flags.ts';
import {
  checkOutput,
  type DeleteFlags,
  type DeleteOptions,
  deleteOptionsOf,
} from '../../shell/flags/delete-options.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import type { Deletion } from '../../shell/plan/planning.ts';
import { orInterrupted, withInterruption } from '../../shell/terminal/interruption.ts';
import type { Outcome } from './outcome.ts';
import { readCommandLine } from './targets/resolve-targets.ts';
import { severalFaults } from './targets/target-arguments.ts';
import { isSavedPlan } from './targets/targets-of-files.ts';

export default class Delete extends GcCommand {
  static override summary = 'Delete objects as kubectl does: preview, back up, follow to the end.';
  static override description = [
    'Takes every flag of kubectl delete with its meaning, and prints its lines. On a',
    'terminal it first shows all that would be deleted, and asks. Every request is bound to the',
    'uid of the object that was seen, and the whole tree is followed until it is gone.',
  ].join(' ');
  static override usage =
    '<%= command.id %> ([-f FILENAME] | [-k DIRECTORY] | TYPE [(NAME | -l label | --all)])';
  static override examples = [
    '<%= config.bin %> delete deployment/web -n shop --preview',
    '<%= config.bin %> delete deployment web -n shop --cascade=foreground',
    '<%= config.bin %> delete -f web.yaml --max-deletes 20 --yes',
    '<%= config.bin %> delete namespace/shop --plan shop.plan.json',
    '<%= config.bin %> delete --plan shop.plan.json --yes',
    '<%= config.bin %> delete statefulset/orders-db -n payments --compare --from examples/clusters/shop.json.gz',
  ];
  static override aliases = ['cascade-delete'];
  static override strict = false;
  static override flags = deleteFlags;

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Delete);
    const args = argv as string[];
    const options = deleteOptionsOf(flags);
    for (const warning of options.warnings) this.remark(warning);
    this.endWith(await this.#perform(args, flags, options));
  }

  async #perform(args: string[], flags: DeleteFlags, options: DeleteOptions): Promise<ExitCode> {
    if (flags.raw) {
      const { checkRaw, deleteRaw } = await import('./delete-raw.ts');
      checkRaw(flags, options);
      const isDone = await deleteRaw(args, flags, this.session(flags));
      return isDone ? exitCodes.ok : exitCodes.failed;
    }
    checkOutput(flags);
    if (flags['backup-recipient']) {
      const { backupEncrypter } = await import('../../shell/backup-keys.ts');
      await backupEncrypter(flags['backup-recipient']);
    }
    try {
      const session = this.session(flags);
      const outcome = await withInterruption((interruption) =>
        this.#outcomeOf(args, {
          session,
          flags,
          options,
          interruption,
          ...(flags.preview && !flags.compare && { withoutPreview: this.#withoutPreview(flags) }),
        }),
      );
      for (const line of [...linesIn(outcome.lines()), ...outcome.details]) this.remark(line);
      return outcome.exitCode();
    } catch (error) {
      if (!isGcError(error) || error.code !== severalFaults) throw error;
      for (const line of linesIn([error.message])) this.remark(line);
      return error.exitCode;
    }
  }

  #withoutPreview(flags: DeleteFlags): string {
    return this.again(flags, (args) => args.filter((arg) => !/^--preview(=|$)/.test(arg)));
  }

  async #outcomeOf(args: string[], deletion: Deletion): Promise<Outcome> {
    const { session, flags, options, interruption } = deletion;
    if (isSavedPlan(args, flags)) {
      const { performSavedPlan } = await import('./saved-plan.ts');
      return performSavedPlan(flags.plan, deletion);
    }
    const commandLine = await orInterrupted(readCommandLine(args, flags), deletion.interruption);
    if (flags.from) {
      const { deleteOffline } = await import('./delete-offline.ts');
      return deleteOffline(commandLine, flags.from, flags, options);
    }
    const { deleteLive } = await import('./delete-live.ts');
    const cluster = await orInterrupted(session.cluster(), interruption);
    return deleteLive(commandLine, { ...deletion, cluster });
  }
}

/** kubectl's own messages may have several lines; each is cleaned by itself when it is written. */
function linesIn(messages: readonly string[]): string[] {
  return messages.flatMap((message) => message.split('\n'));
}
