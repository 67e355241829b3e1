import { usageError } from '../../errors.ts';
import { jsonText } from '../../output/printable.ts';
import { formatOf } from '../../output/render.ts';
import { renderItems } from '../../output/tables/table.ts';
import { renderYaml } from '../../output/yaml.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { documentLook, writeOut } from '../terminal/streams.ts';
import { type Need, needsOf, permissions } from './command-permissions.ts';
import { roleManifests } from './role-manifests.ts';

type Flags = CommonFlags & {
  readonly output: string;
  readonly with?: readonly string[] | undefined;
  readonly 'service-account'?: string | undefined;
};

/** Prints what one command, or each of them, must be permitted: as manifests or as a table. */
export async function printRoles(
  { command, kinds }: { readonly command: string | undefined; readonly kinds: readonly string[] },
  flags: Flags,
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
      'whole-cluster',
      `${command} is about the whole cluster: roles in one namespace are not enough`,
      'Leave out -n.',
    );
  }
  if (kinds.length > 0 && needs.every(({ on }) => on !== 'named')) {
    throw usageError(
      'unexpected-argument',
      `${command} needs the same whichever kinds it is about: ${kinds.join(' ')}`,
      'Leave out the kinds.',
    );
  }
  const words = kinds.flatMap((kind) => kind.split(','));
  const manifests = roleManifests({ command, needs, kinds: words, namespace, serviceAccount });
  await writeOut(
    format === 'json'
      ? `${jsonText({ apiVersion: 'v1', kind: 'List', items: manifests }, 2)}\n`
      : manifests.map(renderYaml).join('---\n'),
  );
}

interface Row {
  readonly command: string;
  readonly option: string;
  readonly flags: string;
  readonly need: Need;
}

function tableOf(commands: readonly string[], flags: Flags): string {
  const rows = commands.flatMap((command) => {
    const { needs = [], with: more = {} } = permissions[command] ?? {};
    return [
      ...needs.map((need) => ({ command, option: '', flags: '', need })),
      ...Object.entries(more).flatMap(([option, { flags: told, needs: others }]) =>
        others.map((need) => ({ command, option, flags: told, need })),
      ),
    ];
  });
  return renderItems<Row>(
    rows,
    [
      ['COMMAND', ({ command }) => command],
      ['WITH', ({ option }) => option],
      ['VERBS', ({ need }) => need.verbs.join(',')],
      ['ON', ({ need }) => placeOf(need)],
      ['REASON', ({ need, flags: told }) => (told === '' ? need.why : `${told}: ${need.why}`)],
    ],
    { ...documentLook('table', flags), now: 0 },
  );
}

function placeOf({ on, names }: Need): string {
  const kinds = typeof on === 'string' ? on : on.join(',');
  return names ? `${kinds}/${names.join(',')}` : kinds;
}
