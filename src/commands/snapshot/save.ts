import type { Transform } from 'node:stream';
import { constants, crc32, createGzip, createZstdCompress } from 'node:zlib';
import { usageError } from '../../errors.ts';
import { refuseForeignFile } from '../../files/own-document.ts';
import { encodeSnapshot } from '../../files/saved-snapshot.ts';
import { openWhole } from '../../files/write-whole.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { printedText } from '../../output/printable.ts';
import { interrupted } from '../../perform/interrupted.ts';
import { decodeSettings, kubeletsNotAsked } from '../../settings/settings-facts.ts';
import { booleanFlag, ofCluster } from '../../shell/flags/flag-kinds.ts';
import { allNamespacesFlag, type CommonFlags, type ValuesOf } from '../../shell/flags/flags.ts';
import { refuseMissingNamespace } from '../../shell/input/missing-namespace.ts';
import { openFrom } from '../../shell/input/read-files.ts';
import { askedNamespace } from '../../shell/input/scope.ts';
import type { Session } from '../../shell/input/session.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { withInterruption } from '../../shell/terminal/interruption.ts';
import { warnOfGaps, writeOut } from '../../shell/terminal/streams.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

export default class SnapshotSave extends GcCommand {
  static override summary = 'Save a cluster to a file for offline use';
  static override description = [
    'What commands read is kept, so that they answer as from the cluster: metadata, the fields',
    'that controllers decide by, settings. Never the data of Secrets or ConfigMaps. The whole',
    'cluster is read unless -n is given. A name that ends in .gz or .zst is compressed; - is stdout.',
    'With --redact, names are replaced by pseudonyms, so that the file can be shown to anybody.',
  ].join(' ');
  static override usage = '<%= command.id %> FILE [-n NAMESPACE]';
  static override examples = [
    '<%= config.bin %> snapshot save cluster.json.gz',
    '<%= config.bin %> snapshot save shop.json.zst -n shop',
    '<%= config.bin %> snapshot save - | <%= config.bin %> orphans -A --from -',
    '<%= config.bin %> snapshot save public.json.gz --redact --from cluster.json.gz',
    '<%= config.bin %> snapshot save - --from examples/clusters/shop.json.gz | <%= config.bin %> snapshot info -',
    '<%= config.bin %> snapshot save - --redact --from examples/clusters/shop.json.gz > ~/public.json',
    '<%= config.bin %> snapshot save - -n shop --from examples/clusters/shop.json.gz',
  ];
  static override strict = false;
  static override flags = {
    'all-namespaces': allNamespacesFlag,
    nodes: ofCluster(booleanFlag('ask the kubelets, too: images, containers and their settings')),
    'metadata-only': booleanFlag(
      'keep metadata and nothing else: a small file, which answers fewer questions',
      { exclusive: ['nodes'] },
    ),
    force: booleanFlag('replace FILE even when it does not hold a snapshot'),
    redact: booleanFlag('replace all names by pseudonyms, of which every command finds the same'),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(SnapshotSave);
    const [path, ...more] = argv as string[];
    if (path === undefined || more.length > 0) {
      throw usageError('You must name one file to write to.', ['A - writes to stdout.']);
    }
    const save = await openSave(path, flags.force);
    const snapshot = flags.from
      ? await readAgain(flags, flags.from, this.session(flags))
      : await this.#fromCluster(flags);
    await refuseMissingNamespace({ flags, session: this.session(flags), snapshot });
    warnOfGaps(problemsOfSnapshot(snapshot));
    if (flags.redact) {
      // It knows the words of every rule of audit.
      const { redactSnapshot } = await import('../../shell/redact/redact-snapshot.ts');
      await save(redactSnapshot(snapshot));
    } else await save(snapshot);
    const where = path === '-' ? 'stdout' : path;
    const { length } = snapshot.records;
    this.remark(`Saved ${length} ${length === 1 ? 'object' : 'objects'} to ${where}.`);
  }

  async #fromCluster(flags: SaveFlags): Promise<Snapshot> {
    const { readToSave } = await import('./read-evidence.ts');
    return readToSave(await this.session(flags).cluster(), askedNamespace(flags), flags);
  }
}

type SaveFlags = CommonFlags & ValuesOf<typeof SnapshotSave.flags>;

/** What files hold, as far as a reading of the cluster would have seen it. */
async function readAgain(
  flags: SaveFlags,
  paths: readonly string[],
  session: Session,
): Promise<Snapshot> {
  const whole = await openFrom(flags, paths, session);
  const { evidence: _, ...others } = whole;
  const snapshot = flags['metadata-only']
    ? { ...others, records: whole.records.map((record) => ({ ...record, facts: undefined })) }
    : { ...whole, ...evidenceIn(whole) };
  const namespace = askedNamespace(flags);
  return namespace === undefined ? snapshot : inNamespace(snapshot, namespace);
}

/** What was saved besides objects. Records of pods keep no command line, so the flags of kube-controller-manager are saved apart. */
function evidenceIn({ evidence, settings, observedAt }: Snapshot): Pick<Snapshot, 'evidence'> {
  if (evidence?.settings || !settings) return {};
  return { evidence: { ...evidence, settings: { ...settings, observedAt } } };
}

/** What could not be read, of objects and of all else that was asked for. */
function problemsOfSnapshot({ coverage, evidence }: Snapshot): readonly CoverageProblem[] {
  const problems = evidence?.settings ? decodeSettings(evidence.settings).problems : [];
  return [...coverage.problems, ...problems.filter(({ message }) => message !== kubeletsNotAsked)];
}

type SaveSnapshot = (snapshot: Snapshot) => Promise<void>;

/**
 * Makes sure that a file can be written, before a cluster is read for it. The answer writes a
 * snapshot as it is encoded; a file appears whole or not at all. A file that is no snapshot is replaced
 * only with `force`.
 */
async function openSave(path: string, force: boolean): Promise<SaveSnapshot> {
  if (path === '-') {
    return async (snapshot) => {
      for (const text of encodeSnapshot(snapshot, crc32)) await writeOut(printedText(text));
    };
  }
  const write = await openWhole(path, {
    mode: 0o600,
    suggestions: ['Nothing was saved. Name a file in a folder you may write to.'],
  });
  if (!force) await refuseForeignFile(path, 'Snapshot', replaceable);
  return (snapshot) =>
    withInterruption(async (signal) => {
      const how = { through: compressorFor(path), signal };
      await write(encodeSnapshot(snapshot, crc32), how).catch((error: unknown) => {
        throw signal.aborted ? interrupted(`Nothing was saved to ${path}.`) : error;
      });
    });
}

const replaceable = 'Nothing was saved. Name another file, or replace this one with --force.';

/** So many bytes may wait to be compressed, while more is encoded. */
const pieces = { highWaterMark: 1024 * 1024, chunkSize: 64 * 1024 };
/** Objects are so much alike that the other levels take longer and make no smaller file. */
const zstd = { ...pieces, params: { [constants.ZSTD_c_compressionLevel]: 1 } };

function compressorFor(path: string): Transform | undefined {
  if (path.endsWith('.gz')) return createGzip(pieces);
  if (path.endsWith('.zst')) return createZstdCompress(zstd);
  return undefined;
}

/** What a reading of this namespace alone would have seen: its objects, and all cluster-scoped ones. */
function inNamespace(snapshot: Snapshot, namespace: string): Snapshot {
  const { records, types, coverage } = snapshot;
  const namespaced = new Set(types.all.filter((type) => type.namespaced).map(groupResourceOf));
  return {
    ...snapshot,
    records: records.filter((record) => !record.type.namespaced || record.namespace === namespace),
    coverage: {
      read: coverage.read.flatMap(({ resource, namespaces }) => {
        if (!namespaced.has(resource)) return [{ resource }];
        if (namespaces && !namespaces.includes(namespace)) return [];
        return [{ resource, namespaces: [namespace] }];
      }),
      asked: coverage.asked.filter(
        (object) => object.namespace === '' || object.namespace === namespace,
      ),
      problems: coverage.problems.filter(
        (problem) => problem.namespace === undefined || problem.namespace === namespace,
      ),
    },
  };
}
