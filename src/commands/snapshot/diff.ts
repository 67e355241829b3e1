import { exitCodes, isGcError, usageError } from '../../errors.ts';
import type { ComparedPart } from '../../history/compare/compare-snapshots.ts';
import { pagedListFormats } from '../../questions/render.ts';
import { type Compared, snapshotDiff } from '../../questions/snapshot/diff-document.ts';
import { notComparedLines, snapshotDiffSummary } from '../../questions/snapshot/diff-text.ts';
import { booleanFlag, repeatedFlag, textFlag } from '../../shell/flags/flag-kinds.ts';
import {
  auditLogFlag,
  type CommonFlags,
  listingFlags,
  outputFlag,
  scopeFlags,
} from '../../shell/flags/flags.ts';
import {
  missingNamespace,
  refuseMissingNamespace,
  warnOfLostNamespace,
} from '../../shell/input/missing-namespace.ts';
import { readAuditLog } from '../../shell/input/read-audit-log.ts';
import { openFiles } from '../../shell/input/read-files.ts';
import { readCluster } from '../../shell/input/read-question.ts';
import {
  type AllNamespaces,
  askedNamespace,
  isInNamespace,
  kindsOf,
  type Selectors,
  selectorsOf,
} from '../../shell/input/scope.ts';
import type { Session } from '../../shell/input/session.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { settingsFinder } from '../../shell/settings/find-settings.ts';
import { settingsInFiles } from '../../shell/settings/settings-in-files.ts';
import { isolated } from '../../snapshot/isolated.ts';

export default class SnapshotDiff extends GcCommand {
  static override summary = 'Compare two snapshots and explain each deletion';
  static override description = [
    'Shows what came, went, was recreated and changed: a line for each owner, with what happened',
    'below it, and with -o wide a line for each object.',
    'Prints by which rule a controller deleted an object. Without a second file, the first is',
    'compared with the cluster as it is now.',
  ].join(' ');
  static override usage = '<%= command.id %> FILE [FILE] [--kind TYPE]... [-n NAMESPACE]';
  static override examples = [
    '<%= config.bin %> snapshot diff monday.json.gz tuesday.json.gz',
    '<%= config.bin %> snapshot diff before.json.gz -n shop --exit-code',
    '<%= config.bin %> snapshot diff examples/clusters/shop.json.gz examples/clusters/shop-later.json.gz -n shop',
    '<%= config.bin %> snapshot diff examples/clusters/shop.json.gz examples/clusters/shop-later.json.gz -o wide',
    '<%= config.bin %> snapshot diff examples/clusters/shop.json.gz examples/clusters/shop-later.json.gz',
  ];
  static override strict = false;
  static override flags = {
    ...scopeFlags,
    kind: repeatedFlag('TYPE', 'only objects of these kinds, as in pods,jobs', { delimiter: ',' }),
    'exit-code': booleanFlag(
      'exit with 1 when something changed, and 3 when not all could be compared',
    ),
    'audit-log': auditLogFlag,
    settings: textFlag(
      'FILE',
      "the controllers' settings, as YAML, where they are not the defaults",
    ),
    ...listingFlags,
    output: outputFlag(pagedListFormats, 'table'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(SnapshotDiff);
    const print = this.printer({ ...flags, filename: argv as string[] }, pagedListFormats);
    selectorsOf(flags);
    const { earlier, later } = comparedInputs(argv as string[], flags.from ?? []);
    const session = this.session(flags);
    const settingsOf = await settingsFinder(flags);
    const before = await openCompared(flags, [earlier]);
    const after = await (later.length > 0 ? openCompared(flags, later) : openNow(flags, session));
    const part = comparedPart(flags, [after, before]);
    const isMissing = (await missingNamespace({ flags, ...before })) !== undefined;
    if (isMissing) await refuseMissingNamespace({ flags, ...after });
    else warnOfLostNamespace({ flags, ...after });
    // How controllers were configured: as the first snapshot says, else the second, which may be the cluster.
    const { snapshot } = [before, after].find((one) => one.snapshot.settings) ?? after;
    const isSaved = flags.settings === undefined && snapshot.origin.kind !== 'cluster';
    const found = isSaved ? settingsInFiles(snapshot) : settingsOf(session);
    const since = Date.parse(before.snapshot.observedAt);
    const namespace = askedNamespace(flags);
    const log = await readAuditLog(flags['audit-log'], { output: flags.output, namespace, since });
    const { settings } = await found;
    const diff = isolated(after.snapshot, (now) =>
      isolated(before.snapshot, (then) =>
        snapshotDiff(
          { ...before, snapshot: then },
          { ...after, snapshot: now },
          part,
          settings,
          log?.requests,
        ),
      ),
    );
    const records = [...before.snapshot.records, ...after.snapshot.records];
    const looked = { coverage: diff.coverage, namespace, records };
    const summary =
      diff.items.length === 0
        ? this.nothing('changes', looked)
        : this.summary(flags, snapshotDiffSummary(diff));
    const remarks = [...diff.remarks, ...notComparedLines(diff), ...summary];
    const taken = { observedAt: after.snapshot.observedAt, records };
    // What was not read may have changed: that is no answer. What files leave out was not asked about.
    const isCompared =
      diff.notCompared.length === 0 &&
      diff.coverage.problems.every(({ reason }) => reason === 'not-in-input');
    const unchanged = isCompared ? exitCodes.ok : exitCodes.failed;
    const ended = diff.items.length > 0 ? exitCodes.findings : unchanged;
    const exitCode = flags['exit-code'] ? ended : exitCodes.ok;
    await this.answer({ flags, print }, async () => ({ report: diff, taken, remarks, exitCode }));
  }
}

type CompareFlags = CommonFlags &
  AllNamespaces &
  Selectors & { readonly kind?: readonly string[] | undefined };

/** The files that a command line names; without later ones, the cluster is. Wrong ones are refused before anything is read. */
function comparedInputs(args: readonly string[], from: readonly string[]) {
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
  return { earlier, later };
}

async function openNow(flags: CompareFlags, session: Session): Promise<Compared> {
  const snapshot = await readCluster(await session.cluster(), {
    namespace: askedNamespace(flags),
    facts: true,
  });
  const { origin } = snapshot;
  return { snapshot, server: origin.kind === 'cluster' ? origin.server : undefined };
}

async function openCompared(flags: CommonFlags, paths: readonly string[]): Promise<Compared> {
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
function comparedPart(flags: CompareFlags, snapshots: readonly Compared[]): ComparedPart {
  const matches = selectorsOf(flags);
  const namespace = askedNamespace(flags);
  const kinds = flags.kind && new Set(flags.kind.flatMap((name) => [...kindIn(name, snapshots)]));
  return {
    kinds,
    namespace,
    matches: (record) =>
      (namespace === undefined || isInNamespace(record, namespace)) && matches(record),
  };
}

function kindIn(name: string, [first, ...others]: readonly Compared[]): ReadonlySet<string> {
  try {
    return (first && kindsOf([name], first.snapshot.types, undefined)) ?? new Set();
  } catch (error) {
    if (others.length === 0 || !isGcError(error) || error.code !== 'unknown-type') throw error;
    return kindIn(name, others);
  }
}
