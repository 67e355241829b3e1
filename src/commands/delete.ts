import { deleteFlags } from '../cli/delete/delete-flags.ts';
import { deleteLive } from '../cli/delete/delete-live.ts';
import { deleteOptionsOf } from '../cli/delete/delete-options.ts';
import { checkRaw, deleteRaw } from '../cli/delete/delete-raw.ts';
import { readCommandLine } from '../cli/delete/resolve-targets.ts';
import { GcCommand } from '../cli/gc-command.ts';
import { openCluster } from '../cli/input.ts';
import { exitCodes } from '../errors.ts';

export default class Delete extends GcCommand {
  static override summary =
    'Delete objects as kubectl does, previewed, backed up and followed to the end.';
  static override description = [
    'Takes every flag of kubectl delete with its meaning, and prints its lines. On a',
    'terminal it shows all that goes along first, and asks. Every request is bound to the',
    'uid of the object that was seen, and the whole tree is followed until it is gone.',
  ].join(' ');
  static override usage =
    'delete ([-f FILENAME] | [-k DIRECTORY] | TYPE [(NAME | -l label | --all)])';
  static override examples = [
    '<%= config.bin %> delete deployment/web -n shop --preview',
    '<%= config.bin %> delete deployment web -n shop --cascade=foreground',
    '<%= config.bin %> delete -f web.yaml --max-deletes 20 --yes',
    '<%= config.bin %> delete namespace/shop --plan shop.plan.json',
    '<%= config.bin %> delete --plan shop.plan.json --yes',
  ];
  static override aliases = ['cascade-delete'];
  static override strict = false;
  static override flags = deleteFlags;

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Delete);
    const options = deleteOptionsOf(flags);
    for (const warning of options.warnings) this.remark(warning);
    if (flags.raw !== undefined && flags.raw !== '') {
      checkRaw(flags);
      if (!(await deleteRaw(flags))) this.exit(exitCodes.failed);
      return;
    }
    const commandLine = await readCommandLine(argv as string[], flags);
    const cluster = await openCluster(flags);
    try {
      const outcome = await deleteLive(commandLine, cluster, flags, options);
      for (const line of outcome.lines()) this.remark(line);
      if (outcome.exitCode() !== exitCodes.ok) this.exit(outcome.exitCode());
    } finally {
      cluster.client.close();
    }
  }
}
