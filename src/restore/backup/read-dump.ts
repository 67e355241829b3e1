import type { Readable } from 'node:stream';
import { fromFiles } from '../../files/from-files.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { KubeObject } from '../../kube/record-codec.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { definedBy, phaseOf, type SavedObject } from './saved-object.ts';

/** Reads objects in full from files, folders and `-`: `kubectl get -o yaml`, Velero's folders, manifests. */
export async function readDump(
  paths: readonly string[],
  options: { readonly now: () => Date; readonly stdin?: Readable },
): Promise<{
  readonly saved: readonly SavedObject[];
  readonly problems: readonly CoverageProblem[];
}> {
  const whole = new Map<ObjectRecord, KubeObject>();
  const snapshot = await fromFiles(paths, {
    ...options,
    onObject: (object, record) => whole.set(record, object as KubeObject),
  });
  // Here a manifest that was never applied counts like any other.
  const problems = snapshot.coverage.problems.filter(({ reason }) => reason !== 'no-uid');
  return {
    saved: snapshot.records.map((record) => savedOf(record, whole.get(record))),
    problems,
  };
}

function savedOf(record: ObjectRecord, manifest: KubeObject | undefined): SavedObject {
  const { type, namespace, name, uid, ownerReferences, finalizers, facts, place } = record;
  const isTerminating = record.deletionTimestamp !== undefined;
  return {
    type,
    namespace,
    name,
    uid,
    ownerReferences,
    finalizers,
    phase: manifest ? phaseOf(manifest) : facts?.phase,
    manifest,
    fault: manifest ? undefined : `${place?.path ?? 'the input'} contains only its metadata`,
    ...(isTerminating && { isTerminating }),
    ...definedBy(manifest),
  };
}
