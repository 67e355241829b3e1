import { clusterIdentity } from '../../cluster/cluster-identity.ts';
import { shellCommand, suggested } from '../../command-line/shell-command.ts';
import type { Target } from '../../command-line/type-argument.ts';
import type { PlannedCluster } from '../../deletion/plan/plan.ts';
import { GcError, usageError } from '../../errors.ts';
import { inWords, locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import { apiVersionOf, groupResourceOf, type ResourceType } from '../../kube/resource-type.ts';
import { ResourceTypes } from '../../kube/resource-types.ts';
import { backupRoot } from '../../restore/backup/backup-directory.ts';
import { backupDecrypter } from '../../restore/backup/encryption.ts';
import { backupFolder } from '../../restore/backup/list-backups.ts';
import { readBackup } from '../../restore/backup/read-backup.ts';
import { readDump } from '../../restore/backup/read-dump.ts';
import type { SavedObject } from '../../restore/backup/saved-object.ts';
import { RestoreTarget } from '../../restore/perform/restore-target.ts';
import { type LiveObjects, liveInSnapshot } from '../../restore/plan/live-objects.ts';
import { narrow } from '../../restore/plan/narrow.ts';
import { placesToLook, planRestoration } from '../../restore/plan/plan-restoration.ts';
import type { Restoration } from '../../restore/plan/restoration.ts';
import { judgeAsSaved } from '../../restore/relink/judge-restored.ts';
import { OwnerLookup } from '../../restore/relink/relink.ts';
import { openFiles, refuseEmptyPaths } from '../../shell/input/read-files.ts';
import { oneNamespaceInFiles, parseArguments } from '../../shell/input/scope.ts';
import type { OpenedCluster } from '../../shell/input/session.ts';
import { withProgress } from '../../shell/terminal/progress.ts';
import { writeErr, writeWhole } from '../../shell/terminal/streams.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import type { RestoreFlags } from './restore-options.ts';

/** Compares what was saved with what is in the cluster, and decides about each object. */
export async function planLive(
  opened: OpenedSaved,
  { types, namespace, lookUp }: Compared,
  asked: readonly string[],
  flags: RestoreFlags,
) {
  const all = inClusterTerms(opened.saved, types, namespace);
  // A kind whose definition was deleted is not served.
  const unserved = all.map(({ type }) => type).filter((type) => !isIn(types, type));
  const known = new ResourceTypes([...types.all, ...unserved], types);
  const { targets, notes } = parseArguments(asked, known);
  for (const note of notes) writeErr(`Note: ${note}`);
  const lookup = new OwnerLookup(types, all);
  const isBackup = opened.source.kind === 'backup';
  const { namespace: within, 'without-owners': withoutOwners } = flags;
  const isPart = targets.length > 0 || (isBackup && within !== undefined);
  const part = { targets, namespace: within, withoutOwners };
  const saved = isPart ? narrow(all, part, lookup) : all;
  if (saved.length === 0 && isPart) {
    const what = targets.length === 0 ? 'no objects' : 'no object of that name';
    const where = within === undefined ? '' : ` in namespace ${within}`;
    throw usageError(`the backup contains ${what}${where}`, ['Omit the name to see its content.']);
  }
  for (const line of namesakes(saved, targets)) writeErr(`Note: ${line}`);
  if (saved.length === 0) {
    throw new GcError('there is no object to restore in it: nothing was sent', {
      code: 'empty-backup',
      suggestions: [suggested('To list all backups', shellCommand`kubectl gc backups`)],
    });
  }
  const places = placesToLook(saved, lookup);
  const live = await lookUp(places, lookup);
  const planned = planRestoration(saved, live, types, {
    deleted: isBackup,
    sameCluster: isBackup && !flags['other-cluster'],
    finished: flags.finished,
    withoutOwners,
    emptyVolumes: flags['empty-volumes'],
    all,
    // A fix has released such objects, and is undone.
    terminating: flags.terminating || opened.isOfFix === true,
    isOfFix: opened.isOfFix,
  });
  const asSaved = isBackup ? undefined : judgeAsSaved(saved, places, live, types, lookup);
  const problems = live.problems().map((message) => ({ reason: 'unavailable' as const, message }));
  return {
    live,
    planned: planned.map((one) => {
      const judged = asSaved?.get(locationKey(one.saved));
      return judged ? { ...one, asSaved: judged } : one;
    }),
    problems: [...opened.problems, ...problems],
  };
}

function isIn(types: ResourceTypes, type: ResourceType): boolean {
  return types.find(apiVersionOf(type), type.kind) !== undefined;
}

/** Where a name that was asked for is in several namespaces, and all of them are restored. */
function namesakes(saved: readonly SavedObject[], targets: readonly Target[]): string[] {
  return targets.flatMap(({ type, name }) => {
    const resource = groupResourceOf(type);
    const found = saved.filter(
      (one) => one.name === name && groupResourceOf(one.type) === resource,
    );
    const namespaces = [...new Set(found.map(({ namespace }) => namespace))];
    if (namespaces.length < 2) return [];
    return `${type.singular}/${name} is in ${namespaces.length} namespaces: ${namespaces.join(', ')}. Choose one with -n.`;
  });
}

/** A backup belongs to the cluster it was made of: in another one its names may mean other things. */
export function refuseOtherCluster(
  saved: PlannedCluster | undefined,
  here: PlannedCluster,
  flags: RestoreFlags,
): void {
  if (!saved || flags['other-cluster']) return;
  const isKnown = saved.uid !== '' && here.uid !== '';
  if (isKnown ? saved.uid === here.uid : saved.server === here.server) return;
  throw usageError(
    `the backup is of the cluster ${saved.server} (uid ${saved.uid || 'unknown'}), and this is ${here.server} (uid ${here.uid || 'unknown'})`,
    ['Choose the cluster with --context, or add --other-cluster if this is meant.'],
  );
}

/**
 * The saved objects with their kinds as this cluster serves them: files alone do not say what a
 * kind is called in paths, nor whether it is namespaced. `namespace` is for manifests without one.
 * @internal
 */
export function inClusterTerms(
  saved: readonly SavedObject[],
  types: ResourceTypes,
  namespace: string,
): SavedObject[] {
  return saved.map((object) => {
    const { manifest, type } = object;
    const apiVersion = manifest?.apiVersion;
    const served = apiVersion === undefined ? undefined : types.find(apiVersion, type.kind);
    const own = served ?? type;
    const within = own.namespaced ? object.namespace || namespace : '';
    if (!manifest || within === object.namespace)
      return { ...object, type: own, namespace: within };
    const { namespace: _, ...metadata } = manifest.metadata;
    const placed = own.namespaced ? { ...metadata, namespace: within } : metadata;
    return { ...object, type: own, namespace: within, manifest: { ...manifest, metadata: placed } };
  });
}

/** What is to be restored, before any cluster is asked. */
interface OpenedSaved {
  readonly source: Restoration['source'];
  readonly saved: readonly SavedObject[];
  readonly problems: readonly CoverageProblem[];
  /** It was saved before a fix. */
  readonly isOfFix?: boolean;
  /** Where it was saved; undefined when files do not say. */
  readonly cluster: PlannedCluster | undefined;
}

/** Reads a backup folder, or with `--from` other people's manifests. */
export async function openBackup(
  {
    directory: named,
    targets,
  }: { readonly directory: string | undefined; readonly targets: readonly string[] },
  flags: RestoreFlags,
): Promise<OpenedSaved> {
  if (named === undefined) {
    return openDump(flags.from ?? [], targets.length === 0 ? flags.namespace : undefined);
  }
  const directory = await backupFolder(named, backupRoot());
  if (named === 'latest') writeWhole(`The latest backup is ${directory}`);
  const { createdAt, ...read } = await readBackup(directory, {
    acceptEdited: flags['accept-edited'],
    decrypter: () => backupDecrypter(flags.identity),
  });
  return { source: { kind: 'backup', paths: [directory], createdAt }, ...read };
}

async function openDump(
  paths: readonly string[],
  namespace: string | undefined,
): Promise<OpenedSaved> {
  refuseEmptyPaths(paths);
  const { saved, problems } = await readDump(paths, {
    now: () => new Date(),
    stdin: process.stdin,
  });
  const elsewhere = saved.find((one) => one.namespace !== '' && one.namespace !== namespace);
  if (namespace !== undefined && elsewhere) {
    throw usageError(
      `${inWords(elsewhere)} is not in the namespace "${namespace}" of -n: it would be created elsewhere than you say`,
      ['Leave out -n. It is for manifests that name no namespace.'],
    );
  }
  return { source: { kind: 'files', paths }, saved, problems, cluster: undefined };
}

interface Compared {
  readonly where: PlannedCluster;
  readonly types: ResourceTypes;
  /** For manifests without one. */
  readonly namespace: string;
  lookUp(places: readonly ObjectLocation[], lookup: OwnerLookup): Promise<LiveObjects>;
}

export async function comparedWithCluster({ client, types }: OpenedCluster): Promise<Compared> {
  return {
    where: await clusterIdentity(client),
    types,
    namespace: client.namespace,
    lookUp: (places, lookup) =>
      withProgress('Looking at what is there', (progress) =>
        new RestoreTarget(client).lookUp(places, lookup, {
          onProgress: (done) =>
            progress.update(`Looking at what is there: ${done} of ${places.length} objects`),
        }),
      ),
  };
}

/** `--against`: nothing is contacted. */
export async function comparedWithFiles(
  paths: readonly string[],
  flags: RestoreFlags,
): Promise<Compared> {
  const snapshot = await openFiles(flags, paths);
  const system = snapshot.records.find(
    ({ type, name }) => type.kind === 'Namespace' && name === 'kube-system',
  );
  return {
    where: { server: '', uid: system?.uid ?? '' },
    types: snapshot.types,
    namespace: await oneNamespaceInFiles(flags),
    lookUp: async (places) => liveInSnapshot(snapshot, places),
  };
}
