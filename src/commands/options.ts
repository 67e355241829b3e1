import { GcCommand } from '../shell/oclif/gc-command.ts';
import { optionsPage } from '../shell/oclif/help.ts';
import { writeOut } from '../shell/terminal/streams.ts';

export default class Options extends GcCommand {
  static override summary = 'List the flags of all commands.';
  static override description =
    'Most are those of kubectl, with its meaning. The help of a command lists its own flags.';
  static override usage = '<%= command.id %>';
  static override examples = [
    '<%= config.bin %> options',
    '<%= config.bin %> tree namespace/shop --context production --request-timeout 30s',
    '<%= config.bin %> audit -A --as jane --as-group system:masters --no-color',
  ];

  async run(): Promise<void> {
    await this.parse(Options);
    await writeOut(await optionsPage(this.config));
  }
}
