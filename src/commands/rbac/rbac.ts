import * as Args from '@oclif/core/args';
import { usageError } from '../../errors.ts';
import { formatOf } from '../../output/render.ts';
import { renderItems } from '../../output/tables/table.ts';
import {
  commandOf,
  type Need,
  needsOf,
  permissions,
  splitResource,
} from '../../shell/command-permissions.ts';
import { repeatedFlag, textFlag } from '../../shell/flags/flag-kinds.ts';
import { type CommonFlags, outputFlag, type ValuesOf } from '../../shell/flags/flags.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { printManifests } from '../../shell/terminal/manifests.ts';
import { documentLook, writeOut } from '../../shell/terminal/streams.ts';
import { roleManifests } from './role-manifests.ts';

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
    with: repeatedFlag('OPTION', 'and what it needs for this; -o table shows what there is'),
    'service-account': textFlag('NAMESPACE/NAME', 'bind the roles to this ServiceAccount'),
    output: outputFlag(['yaml', 'json', 'table'], 'yaml'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(Rbac);
    await printRoles(commandOf(argv as string[]), flags);
  }
}

type RbacFlags = CommonFlags & ValuesOf<typeof Rbac.flags> & { readonly output: string };

/** Prints what one command, or each of them, must be permitted: as manifests or as a table. */
async function printRoles(
  { command, kinds }: { readonly command: string | undefined; readonly kinds: readonly string[] },
  flags: RbacFlags,
): Promise<void> {
  const format = formatOf(flags.output, ['yaml', 'json', 'table']);
  const { with: options = [], namespace, 'service-account': serviceAccount } = flags;
  if (command === undefined || format === 'table') {
    const shown = command === undefined ? Object.keys(permissions) : [command];
    if (command !== undefined) needsOf(command, options);
    return writeOut(tableOf(shown, flags));
  }
  const needs = needsOf(command, options);
  if (namespace !== undefined && permissions[command]?.isWhole) {
    throw usageError(
      `${command} is about the whole cluster: roles in one namespace are not enough`,
      ['Leave out -n.'],
    );
  }
  if (kinds.length > 0 && needs.every(({ on }) => on !== 'named')) {
    throw usageError(`${command} needs the same whichever kinds it is about: ${kinds.join(' ')}`, [
      'Leave out the kinds.',
    ]);
  }
  const words = kinds.flatMap((kind) => kind.split(','));
  const manifests = roleManifests({ command, needs, kinds: words, namespace, serviceAccount });
  await printManifests(manifests, format);
}

interface Row {
  readonly command: string;
  readonly option: string;
  readonly needs: readonly Need[];
  readonly flags: string;
}

function tableOf(commands: readonly string[], flags: RbacFlags): string {
  const rows = commands.flatMap((command) => {
    const { needs = [], with: more = {} } = permissions[command] ?? {};
    return [
      { command, option: '', needs, flags: '' },
      ...Object.entries(more).map(([option, one]) => ({ command, option, ...one })),
    ];
  });
  return renderItems<Row>(
    rows,
    [
      ['COMMAND', ({ command }) => command],
      ['WITH', ({ option }) => option],
      ['FOR', ({ flags: told }) => told],
      ['NEEDS', ({ needs }) => needs.map(needInWords).join('; ')],
    ],
    { ...documentLook('table', flags), now: 0 },
  );
}

/** `get leases/kube-controller-manager`: groups stand in the manifests. */
function needInWords({ verbs, on, names }: Need): string {
  const plurals = typeof on === 'string' ? on : on.map((one) => splitResource(one).resource).join();
  return `${verbs.join()} ${plurals}${names ? `/${names.join()}` : ''}`;
}
