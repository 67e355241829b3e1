import { isGcError, usageError } from '../../errors.ts';
import type { Compared } from '../../output/documents/snapshot-diff.ts';
import type { ComparedPart } from '../../snapshot/compare/compare-snapshots.ts';
import type { CommonFlags } from '../flags/flags.ts';
import { listCluster, openFiles, within } from '../input/input.ts';
import {
  type AllNamespaces,
  isInNamespace,
  kindsOf,
  namespaceOf,
  type Selectors,
  selectorsOf,
} from '../input/scope.ts';
import type { Session } from '../input/session.ts';

type CompareFlags = CommonFlags &
  AllNamespaces &
  Selectors & { readonly kind?: readonly string[] | undefined };

/** What is to be compared with what. */
interface ComparedInputs {
  readonly earlier: string;
  /** Empty: the cluster. */
  readonly later: readonly string[];
}

/** The two files that a command line names; wrong ones are refused before anything is read. */
export function comparedInputs(args: readonly string[], from: readonly string[]): ComparedInputs {
  const [earlier, ...more] = args;
  if (earlier === undefined) {
    throw usageError(
      'no-file',
      'You must name a snapshot to compare with.',
      'Name a second one, too, or it is compared with the cluster as it is now.',
    );
  }
  const later = [...more, ...from];
  if (more.length > 1 || (more.length > 0 && from.length > 0)) {
    throw usageError(
      'too-many-files',
      `two snapshots can be compared, and ${1 + later.length} were named: ${[earlier, ...later].join(' ')}`,
      'Kinds are named with --kind.',
    );
  }
  if ([earlier, ...later].filter((path) => path === '-').length > 1) {
    throw usageError('stdin-twice', 'standard input ("-") can be read only once');
  }
  return { earlier, later };
}

/** Reads both: files, or a file and the cluster. */
export async function openCompared(
  { earlier, later }: ComparedInputs,
  flags: CompareFlags,
  session: Session,
): Promise<{ readonly before: Compared; readonly after: Compared }> {
  const before = await openSaved(flags, [earlier]);
  if (later.length > 0) return { before, after: await openSaved(flags, later) };
  const cluster = await session.cluster();
  const snapshot = await listCluster(cluster, within(namespaceOf(flags)), { facts: true });
  const { origin } = snapshot;
  const server = origin.kind === 'cluster' ? origin.server : undefined;
  return { before, after: { snapshot, server } };
}

async function openSaved(flags: CommonFlags, paths: readonly string[]): Promise<Compared> {
  const servers = new Set<string>();
  const snapshot = await openFiles(flags, paths, {
    onSavedSnapshot: ({ origin }) => {
      if (origin.kind === 'cluster') servers.add(origin.server);
    },
  });
  const [server, other] = servers;
  return { snapshot, server: other === undefined ? server : undefined };
}

/** What `--kind`, `-n` and `-l` ask for; a kind may be served at one of the two times only. */
export function comparedPart(
  flags: CompareFlags,
  { before, after }: { readonly before: Compared; readonly after: Compared },
): ComparedPart {
  const matches = selectorsOf(flags);
  const namespace = namespaceOf(flags);
  const named = flags.kind?.flatMap((names) => names.split(',')) ?? [];
  const found = named.flatMap((name) => [...kindIn(name, [after, before])]);
  const kinds = named.length === 0 ? undefined : new Set(found);
  return {
    kinds,
    namespace,
    matches: (record) =>
      (namespace === undefined || isInNamespace(record, namespace)) && matches(record),
  };
}

function kindIn(name: string, [first, ...others]: readonly Compared[]): ReadonlySet<string> {
  try {
    return (first && kindsOf([name], first.snapshot.types)) ?? new Set();
  } catch (error) {
    if (others.length === 0 || !isGcError(error) || error.code !== 'unknown-type') throw error;
    return kindIn(name, others);
  }
}
