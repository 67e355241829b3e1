import { usageError } from '../../errors.ts';
import { groupResourceOf, printedKindOf, type ResourceType } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import { inNamespace, shellCommand } from '../../kube/shell-command.ts';
import type { Deletion } from '../loop/planning.ts';
import { orInterrupted } from '../terminal/interruption.ts';
import { writeErr } from '../terminal/streams.ts';
import { deleteLive } from './delete-live.ts';
import { type DeleteFlags, deleteOptionsOf } from './delete-options.ts';
import { type NamedByPath, type RawUri, rawUriOf } from './delete-raw.ts';
import type { Outcome } from './outcome.ts';
import type { NamedThings } from './targets/target-arguments.ts';

/**
 * `--raw` with a flag that a bare request cannot honour: what the URI names is planned and deleted as
 * if arguments named it. Refuses every URI that names something else, or says more.
 */
export async function planRaw(
  args: readonly string[],
  flag: string,
  deletion: Deletion,
): Promise<Outcome> {
  refuseOtherNames(args, flag, deletion.flags);
  const uri = rawUriOf(deletion.flags.raw ?? '');
  const named = objectsOf(uri, flag);
  const flags = flagsFor(named, selectorsOf(uri, named, flag), deletion.flags);
  const options = deleteOptionsOf(flags);
  const cluster = await orInterrupted(deletion.session.cluster(), deletion.interruption);
  const type = typeOf(named, cluster.types);
  writeErr(`Note: --raw with ${flag} is planned as ${asDelete(named, type, flags)}`);
  const commandLine = { named: argumentsFor(named), manifests: [] };
  return deleteLive(commandLine, { ...deletion, cluster, flags, options });
}

/** kubectl ignores them next to `--raw`; a plan would have to leave them out. */
function refuseOtherNames(args: readonly string[], flag: string, flags: DeleteFlags): void {
  const { filename = [], kustomize = '' } = flags;
  const names = ['all', 'all-namespaces', 'selector', 'field-selector'] as const;
  const other =
    args.length > 0
      ? args.join(' ')
      : kustomize !== ''
        ? '--kustomize'
        : names.map((name) => (flags[name] ? `--${name}` : '')).find(Boolean);
  if (other !== undefined) {
    throw usageError(
      'raw-and-names',
      `with --raw and ${flag} the URI alone says what to delete: ${other} cannot be given too`,
      'Leave out one or the other.',
    );
  }
  if (filename.length > 0) {
    throw usageError(
      'raw-body',
      `${flag} cannot be honoured with --raw and --filename: what the body of a request says is not planned`,
      'Leave out --filename, and say it with flags: --cascade, --grace-period.',
    );
  }
}

function objectsOf({ path, named }: RawUri, flag: string): NamedByPath {
  if (named && !named.isBelow) return named;
  throw usageError(
    'raw-without-objects',
    `${flag} cannot be honoured: ${path} names no object and no collection of objects`,
    `Name the objects instead: kubectl gc delete TYPE/NAME ${flag}.`,
  );
}

type Selectors = Pick<DeleteFlags, 'selector' | 'field-selector'>;

/** What a parameter of the URI is called among the flags. */
const flagsOfParameters: Readonly<Record<string, string>> = {
  propagationPolicy: '--cascade',
  orphanDependents: '--cascade',
  gracePeriodSeconds: '--grace-period',
  dryRun: '--dry-run=server',
};

/** The server reads selectors of collections only. */
function selectorsOf({ query }: RawUri, { name }: NamedByPath, flag: string): Selectors {
  const isRead = (key: string) =>
    name === undefined &&
    (key === 'labelSelector' || key === 'fieldSelector') &&
    query.getAll(key).length === 1;
  const unread = [...query.keys()].find((key) => !isRead(key));
  if (unread === undefined) {
    return {
      selector: query.get('labelSelector')?.trim() ?? '',
      'field-selector': query.get('fieldSelector')?.trim() ?? '',
    };
  }
  const instead = flagsOfParameters[unread];
  throw usageError(
    'raw-parameter',
    `${flag} cannot be honoured: ${unread} in the URI is not planned, only one labelSelector and one fieldSelector of a collection are`,
    instead === undefined ? 'Leave it out.' : `Leave it out, and say it with ${instead}.`,
  );
}

function flagsFor(
  { namespace, name }: NamedByPath,
  selectors: Selectors,
  flags: DeleteFlags,
): DeleteFlags {
  const { namespace: given = '' } = flags;
  if (given !== '' && namespace !== '' && given !== namespace) {
    throw usageError(
      'raw-namespace',
      `the namespace of the URI "${namespace}" does not match the namespace "${given}"`,
      `Leave out --namespace, or say --namespace=${namespace}.`,
    );
  }
  const selects = selectors.selector !== '' || selectors['field-selector'] !== '';
  return {
    ...flags,
    ...selectors,
    raw: undefined,
    namespace: namespace || undefined,
    all: name === undefined && !selects,
  };
}

/** The version is the one of the URI, not the one the server prefers. */
function argumentsFor({ group, version, resource, name }: NamedByPath): NamedThings {
  const type = `${resource}.${version}.${group}`;
  return name === undefined
    ? { by: 'selector', types: type }
    : { by: 'pairs', pairs: [{ type, name }] };
}

/** The kind that the URI names; throws where the server would not delete that way. */
function typeOf(
  { group, version, resource, namespace, name }: NamedByPath,
  types: ResourceTypes,
): ResourceType {
  const type = types.all.find(
    (each) => each.group === group && each.version === version && each.resource === resource,
  );
  const where = group === '' ? version : `${group}/${version}`;
  if (!type) {
    const unasked = types.failed.filter((failed) => failed.group === group);
    throw usageError(
      'unknown-type',
      `the server doesn't have a resource type "${resource}" in ${where}`,
      ...unasked.map(({ message }) => message),
    );
  }
  const fault =
    type.namespaced && namespace === ''
      ? `${resource} are in namespaces, and the URI names none`
      : !type.namespaced && namespace !== ''
        ? `${resource} are in no namespace, and the URI names one`
        : name === undefined && !type.verbs.includes('deletecollection')
          ? `the server deletes ${resource} one by one only, and the URI names a collection`
          : undefined;
  if (fault === undefined) return type;
  throw usageError('wrong-raw', `--raw cannot be planned: ${fault}`, 'Name one object in the URI.');
}

/** The command line that does the same without `--raw`. */
function asDelete({ namespace, name }: NamedByPath, type: ResourceType, flags: DeleteFlags) {
  const { selector = '', 'field-selector': fields = '', cascade = 'background' } = flags;
  const what =
    name === undefined
      ? [
          groupResourceOf(type),
          ...(flags.all ? ['--all'] : []),
          ...(selector === '' ? [] : ['-l', selector]),
          ...(fields === '' ? [] : ['--field-selector', fields]),
        ]
      : `${printedKindOf(type)}/${name}`;
  return shellCommand`kubectl gc delete ${what} ${inNamespace({ namespace })} --cascade=${cascade}`;
}
