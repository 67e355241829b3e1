import * as Flags from '@oclif/core/flags';
import { recipientFlag } from '../../shell/flags/delete-flags.ts';
import { booleanFlag, ofCluster } from '../../shell/flags/flag-kinds.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';

export default class Mcp extends GcCommand {
  static override summary = 'Serve these commands to AI agents (MCP)';
  static override description = [
    'Speaks the Model Context Protocol on stdin and stdout, until stdin ends. Tools: status, why, owners, tree,',
    'preview_delete, forecast, audit, restore_list. It only reads, and sends no dry run either. With --allow-delete',
    'there is one more, delete, which performs a plan that was shown in the last ten minutes and no other.',
  ].join(' ');
  static override usage =
    '<%= command.id %> [--context CONTEXT] [--allow-delete [--max-deletes N]]';
  static override examples = [
    '<%= config.bin %> mcp < /dev/null',
    '<%= config.bin %> mcp --allow-delete --max-deletes 20 < /dev/null',
    '<%= config.bin %> mcp --from examples/clusters/shop.json.gz < /dev/null',
  ];
  static override flags = {
    'allow-delete': ofCluster(booleanFlag('also delete, by a plan that was shown before')),
    'max-deletes': Flags.integer({
      summary: 'largest number of objects that one deletion may delete',
      helpValue: 'N',
      min: 0,
      default: 100,
    }),
    'backup-recipient': recipientFlag,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Mcp);
    const { 'allow-delete': allowsDelete, 'max-deletes': most, 'backup-recipient': to } = flags;
    const given = { 'max-deletes': most, 'backup-recipient': to };
    this.endTelling();
    const { serveTools } = await import('./server.ts');
    await serveTools(flags, this.config.version, given, allowsDelete);
  }
}
