import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { commandOf, permissions } from '../../shell/command-permissions.ts';
import { outputFlag, repeatable } from '../../shell/flags/flags.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { printRoles } from './print-roles.ts';

export default class Rbac extends GcCommand {
  static override summary = 'Which roles permit a command what it needs, and nothing else?';
  static override description = [
    'Nothing is asked of a cluster. The roles permit what the command needs and nothing else; only the',
    'commands that change something get a verb that does. TYPEs are the kinds that the command is about;',
    'without them the roles name every kind that Kubernetes brings. Without COMMAND: what all of them need.',
  ].join(' ');
  static override usage =
    '<%= command.id %> [COMMAND [TYPE...]] [--with OPTION]... [-n NAMESPACE] [--service-account NAMESPACE/NAME]';
  static override examples = [
    '<%= config.bin %> rbac audit',
    '<%= config.bin %> rbac report --with wgpolicyk8s.io --service-account monitoring/gc',
    '<%= config.bin %> rbac delete deployments -n shop',
  ];
  static override strict = false;
  static override args = {
    command: Args.string({
      description: 'the command that is to be permitted',
      options: [...new Set(Object.keys(permissions).map((name) => name.split(' ')[0] ?? ''))],
    }),
  };
  static override flags = {
    with: Flags.string({
      summary: 'and what it needs for this; -o table shows what there is; may be repeated',
      helpValue: 'OPTION',
      ...repeatable,
    }),
    'service-account': Flags.string({
      summary: 'bind the roles to this ServiceAccount',
      helpValue: 'NAMESPACE/NAME',
    }),
    output: outputFlag(['yaml', 'json', 'table'], 'yaml'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Rbac);
    await printRoles(commandOf(argv as string[]), flags);
  }
}
