import type { ControllerSettings } from '../../controllers/settings/controller-settings.ts';
import { isGcError, usageError } from '../../errors.ts';
import type { Compared } from '../../output/documents/snapshot-diff.ts';
import type { CommonFlags } from '../../shell/flags/flags.ts';
import { openFiles } from '../../shell/input/read-files.ts';
import { onlyOf, readCluster } from '../../shell/input/read-question.ts';
import {
  type AllNamespaces,
  isInNamespace,
  kindsOf,
  namespaceOf,
  type Selectors,
  selectorsOf,
} from '../../shell/input/scope.ts';
import type { Session } from '../../shell/input/session.ts';
import {
  findControllerSettings,
  savedControllerSettings,
} from '../../shell/settings/open-settings.ts';
import type { ComparedPart } from '../../snapshot/compare/compare-snapshots.ts';

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
    throw usageError('You must name a snapshot to compare with.', [
      'Name a second one, too, or it is compared with the cluster as it is now.',
    ]);
  }
  const later = [...more, ...from];
  if (more.length > 1 || (more.length > 0 && from.length > 0)) {
    throw usageError(
      `two snapshots can be compared, and ${1 + later.length} were named: ${[earlier, ...later].join(' ')}`,
      ['Kinds are named with --kind.'],
    );
  }
  if ([earlier, ...later].filter((path) => path === '-').length > 1) {
    throw usageError('standard input ("-") can be read only once');
  }
  return { earlier, later };
}

interface Opened {
  readonly before: Compared;
  readonly after: Compared;
}

/** Reads both: files, or a file and the cluster. */
export async function openCompared(
  { earlier, later }: ComparedInputs,
  flags: CompareFlags,
  session: Session,
): Promise<Opened> {
  const before = await openSaved(flags, [earlier]);
  if (later.length > 0) return { before, after: await openSaved(flags, later) };
  const cluster = await session.cluster();
  const snapshot = await readCluster(cluster, {
    namespaces: onlyOf({ namespace: namespaceOf(flags) }),
    facts: true,
  });
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

/** How controllers were configured: as the first snapshot says, else the second, which may be the cluster. */
export async function settingsOf(
  { before, after }: Opened,
  flags: CommonFlags,
  session: Session,
): Promise<ControllerSettings> {
  const { snapshot } = [before, after].find((one) => one.snapshot.evidence?.settings) ?? after;
  const { settings } =
    snapshot.origin.kind === 'cluster'
      ? await findControllerSettings(flags, session)
      : savedControllerSettings(snapshot);
  return settings;
}

/** What `--kind`, `-n` and `-l` ask for; a kind may be served at one of the two times only. */
export function comparedPart(flags: CompareFlags, { before, after }: Opened): ComparedPart {
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
