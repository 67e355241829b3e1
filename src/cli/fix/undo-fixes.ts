import { isDeepStrictEqual } from 'node:util';
import type { ObjectPatch } from '../../audit/fixes.ts';
import { fetchManifests } from '../../cluster/list/fetch-manifests.ts';
import { fieldsOf, type Json } from '../../kube/json-value.ts';
import type { ObjectReference } from '../../kube/object-reference.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import { printedName } from '../../output/printable.ts';
import type { FieldChange } from '../../restore/backup/undo.ts';
import { parseArguments } from '../input/scope.ts';
import type { OpenedCluster } from '../input/session.ts';
import { writeErr } from '../terminal/streams.ts';
import { fixDiff } from './fix-diff.ts';
import { fixReferences, patchedBy } from './fix-references.ts';
import type { FixOptions } from './send-fixes.ts';

/**
 * Takes back what fixes changed in objects that live on, as fixes do: rehearsed, shown, asked about and
 * written down. An object that was changed since is left alone. `named`: `TYPE/NAME` and its like, none for
 * all. `previews`: it is only shown. Answers the uids of the objects that live on, or may.
 */
export async function undoFixes(
  cluster: OpenedCluster,
  changes: readonly FieldChange[],
  named: readonly string[],
  options: FixOptions & { readonly previews: boolean },
): Promise<ReadonlySet<string>> {
  const { signal } = options.interruption;
  const { live, living } = await liveManifests(cluster, changes, signal);
  const isMeant = meantBy(named, cluster);
  const patches: ObjectPatch[] = [];
  for (const [uid, own] of Map.groupBy(changes.filter(isMeant), ({ object }) => object.uid)) {
    const manifest = live.get(uid);
    // What is gone is created from its manifest, as with any backup.
    const patch = manifest && patchBack(own, manifest);
    const [first] = own;
    if (patch && first) patches.push({ object: first.object, patch });
  }
  if (!options.previews && patches.length > 0) {
    await fixReferences(cluster, patches, { ...options, takesBack: true });
    return living;
  }
  for (const { object, patch } of patches) {
    const after = (manifest: Json) => patchedBy(manifest, patch);
    const fix = { object, does: '', after };
    for (const line of await fixDiff(fix, live.get(object.uid) ?? {})) writeErr(line);
  }
  return living;
}

/** Which changes the arguments name; none named: all. */
function meantBy(named: readonly string[], { types }: OpenedCluster) {
  const { targets } = parseArguments(named, types);
  return ({ object }: FieldChange): boolean => {
    const type = types.find(object.apiVersion, object.kind);
    return (
      targets.length === 0 ||
      targets.some(
        (target) =>
          type !== undefined &&
          groupResourceOf(target.type) === groupResourceOf(type) &&
          (target.name === undefined || target.name === object.name),
      )
    );
  };
}

/** The objects as they are, and the uids of all that are not certainly gone. */
async function liveManifests(
  { client, types }: OpenedCluster,
  changes: readonly FieldChange[],
  signal: AbortSignal,
): Promise<{ readonly live: ReadonlyMap<string, Json>; readonly living: ReadonlySet<string> }> {
  const objects = new Map<string, ObjectReference>(
    changes.map(({ object }) => [object.uid, object]),
  );
  const wanted = [...objects.values()].flatMap((object) => {
    const type = types.find(object.apiVersion, object.kind);
    return type ? [{ object, type }] : [];
  });
  const live = new Map<string, Json>();
  const living = new Set(objects.keys());
  await fetchManifests(
    client,
    wanted,
    async (fetched) => {
      const { object } = fetched.wanted;
      if ('manifest' in fetched) {
        if (fetched.manifest.metadata.uid !== object.uid) living.delete(object.uid);
        else live.set(object.uid, { ...fetched.manifest });
      } else if (fetched.unread === 'gone') living.delete(object.uid);
      else writeErr(`Warning: ${printedName(object)} is left alone: ${fetched.message}`);
    },
    { signal },
  );
  return { live, living };
}

/** Undefined: nothing is to be taken back, or may be. */
function patchBack(
  changes: readonly FieldChange[],
  manifest: Json,
): ObjectPatch['patch'] | undefined {
  const metadata = fieldsOf(manifest.metadata);
  const stored = ({ field }: FieldChange): unknown => metadata[field] ?? [];
  const open = changes.filter((change) => !isDeepStrictEqual(stored(change), change.before));
  const [first] = open;
  if (!first) return undefined;
  const changed = open.find((change) => !isDeepStrictEqual(stored(change), change.after));
  if (changed) {
    const what = `its ${changed.field} were changed since the fix`;
    writeErr(`Warning: ${printedName(changed.object)} is left alone: ${what}`);
    return undefined;
  }
  return [
    { op: 'test', path: '/metadata/uid', value: first.object.uid },
    { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
    ...open.map(({ field, before }) => {
      return { op: 'add', path: `/metadata/${field}`, value: before } as const;
    }),
  ];
}
