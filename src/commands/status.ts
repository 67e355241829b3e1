import { exitCodes } from '../errors.ts';
import { documentFormats } from '../questions/render.ts';
import { booleanFlag } from '../shell/flags/flag-kinds.ts';
import { outputFlag, wholeScopeFlags } from '../shell/flags/flags.ts';
import { GcCommand } from '../shell/oclif/gc-command.ts';
import { askStatus } from '../shell/questions/ask-status.ts';
import { writeOut } from '../shell/terminal/streams.ts';

export default class Status extends GcCommand {
  static override summary = 'Show what is stuck, wrong or about to be deleted';
  static override description = [
    'Stuck deletions and what blocks them; what is deleted within the next hour, and by which controller;',
    'wrong owner references; whether the garbage collector works; what could not be read. Each',
    'part ends with the command that prints all of it. It only reads.',
  ].join(' ');
  static override usage = '<%= command.id %> [-n NAMESPACE] [--exit-code]';
  static override examples = [
    '<%= config.bin %> status',
    '<%= config.bin %> status --from examples/clusters/shop.json.gz',
    '<%= config.bin %> status -n shop -o yaml --from examples/clusters/shop.json.gz',
    '<%= config.bin %> status --exit-code --from examples/clusters/shop.json.gz',
  ];
  static override flags = {
    'all-namespaces': wholeScopeFlags['all-namespaces'],
    'exit-code': booleanFlag('exit with 1 where something is stuck or wrong, or could not be read'),
    output: outputFlag(documentFormats, 'table'),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Status);
    const print = this.printer(flags, documentFormats);
    const { report, snapshot } = await askStatus(flags, this.session(flags));
    const isScreen = print.format === 'table' || print.format === 'wide';
    // What was not read is on the screen.
    if (isScreen) await writeOut(await print.textOf(report, snapshot));
    else await print(report, snapshot);
    if (flags['exit-code'] && report.verdict !== 'ok') this.endWith(exitCodes.findings);
  }
}
