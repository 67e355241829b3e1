import { printedText } from '../output/printable.ts';
import { GcCommand } from '../shell/oclif/gc-command.ts';
import { optionsPage } from '../shell/oclif/help.ts';
import { writeOut } from '../shell/terminal/streams.ts';

export default class Options extends GcCommand {
  static override summary = 'List the flags that every command accepts';
  static override description =
    'Most are those of kubectl, with its meaning. The help of a command lists its own flags.';
  static override usage = '<%= command.id %>';
  static override examples = [
    '<%= config.bin %> options',
    '<%= config.bin %> status --no-color --from examples/clusters/shop.json.gz',
    '<%= config.bin %> forecast --now 2026-12-24T18:00:00Z --from examples/clusters/shop.json.gz',
  ];

  async run(): Promise<void> {
    await this.parse(Options);
    await writeOut(printedText(optionsPage(this.config.root), { colour: true }));
  }
}
