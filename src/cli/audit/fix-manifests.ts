import { type ExitCode, exitCodes, GcError, usageError } from '../../errors.ts';
import { type Json, jsonOf, textOf } from '../../kube/json-value.ts';
import { locationKey, type ObjectLocation } from '../../kube/object-reference.ts';
import { type KubeObject, recordOf } from '../../kube/record-codec.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import type { SavedObject } from '../../restore/backup/saved-object.ts';
import { LiveObjects } from '../../restore/plan/live-objects.ts';
import { OwnerLookup } from '../../restore/relink/owner-lookup.ts';
import { type RelinkedReference, relinkReference } from '../../restore/relink/relink.ts';
import {
  fixedText,
  type ManifestFile,
  type ManifestFix,
  objectsIn,
  type PlacedObject,
  readManifestFile,
} from '../../restore/rewrite/rewrite-manifests.ts';
import {
  withOwners,
  withoutServerFields,
  withRelinked,
} from '../../restore/rewrite/rewrite-object.ts';
import type { CommonFlags } from '../flags/flags.ts';
import type { Session } from '../input/session.ts';
import { writeErr, writeOut } from '../terminal/streams.ts';
import type { AuditFlags } from './audit-flags.ts';

/**
 * Manifests in, manifests out: with `--relink` their references lead to the owners that live now, with
 * `--strip-owners` those are gone that do not. Exits 1 when a reference is left that leads nowhere, 3
 * when it is unknown where one leads.
 */
export async function fixManifests(
  flags: CommonFlags & AuditFlags,
  session: Session,
): Promise<ExitCode> {
  const files = await readFiles(flags.from ?? []);
  const objects = files.map(objectsIn);
  const relinked = flags.relink ? await relinkObjects(objects.flat(), session) : undefined;
  const strips = flags['strip-owners'] ?? false;
  let first = 0;
  for (const [index, file] of files.entries()) {
    const count = objects[index]?.length ?? 0;
    const steps = stepsFor(relinked?.slice(first, first + count), strips);
    await writeOut(asPartOf(files, fixedText(file, steps)));
    first += count;
  }
  return relinked ? writeSummary(objects.flat(), relinked, flags) : exitCodes.ok;
}

async function readFiles(paths: readonly string[]): Promise<ManifestFile[]> {
  const { readTexts } = await import('../../files/read-texts.ts');
  const files = (await readTexts(paths, process.stdin)).map(({ path, text }) => {
    const file = readManifestFile(path, text);
    if (!('bad' in file)) return file;
    // Half of the manifests would be worse than none where the output is applied.
    throw new GcError(`${path}:${file.bad}: neither YAML nor JSON, so nothing was written`, {
      code: 'unreadable-input',
      suggestions: ['A template must be rendered first, for instance with "helm template".'],
    });
  });
  const saved = files
    .flatMap(objectsIn)
    .find(({ object }) => object.apiVersion === 'kubectl-gc/v1');
  if (!saved) return files;
  throw usageError(
    'not-manifests',
    `${saved.path} is a document of kubectl gc, not manifests: it holds metadata only`,
    'Name the manifests, as get -o yaml prints them or a backup has them.',
  );
}

function stepsFor(relinked: Relinked | undefined, strips: boolean): ManifestFix[] {
  const steps: ManifestFix[] = [withoutServerFields];
  if (relinked) steps.push((object, index) => withRelinked(object, relinked[index] ?? []));
  if (strips) {
    steps.push((object, index) => {
      const references = relinked?.[index];
      return withOwners(object, (at) => {
        const end = references?.[at] && endOf(references[at]);
        return end === 'linked' || end === 'unknown';
      });
    });
  }
  return steps;
}

/** Does a reference lead to an owner that lives? */
function endOf({ end, told }: RelinkedReference): 'linked' | 'unknown' | 'lost' {
  if (end === 'unknown') return 'unknown';
  return end === 'solid' && told.to !== '' ? 'linked' : 'lost';
}

/** Several files become one stream of documents. */
function asPartOf(files: readonly ManifestFile[], text: string): string {
  if (files.length < 2 || text.trim() === '') return text;
  const ended = text.endsWith('\n') ? text : `${text}\n`;
  return /^---(?:\s|$)/.test(text) ? ended : `---\n${ended}`;
}

function writeSummary(
  objects: readonly PlacedObject[],
  relinked: Relinked,
  flags: AuditFlags,
): ExitCode {
  const counts = { linked: 0, unknown: 0, lost: 0 };
  for (const [index, { object, path, line }] of objects.entries()) {
    for (const reference of relinked[index] ?? []) {
      const end = endOf(reference);
      if (reference.told.change === 'relinked') counts.linked++;
      if (end === 'linked') continue;
      counts[end]++;
      const { kind, name, change, because } = reference.told;
      const metadata = object.metadata as { readonly name?: unknown } | undefined;
      const what = `${object.kind} ${textOf(metadata?.name) ?? ''}: the reference to ${kind} ${name}`;
      const done = end === 'lost' && flags['strip-owners'] ? 'was removed' : 'was not re-linked';
      const why =
        change === 'to-come'
          ? 'it is among the manifests and not there yet; apply it first, and re-link again'
          : because;
      writeErr(`Warning: ${path}:${line}: ${what} ${done}: ${why}`);
    }
  }
  const left = flags['strip-owners'] ? 'removed' : 'left as they were';
  writeErr(
    `References: ${counts.linked} re-linked, ${counts.lost} ${left}, ${counts.unknown} unknown.`,
  );
  if (counts.lost > 0 && !flags['strip-owners'] && flags['fail-on'] !== 'never')
    return exitCodes.findings;
  return counts.unknown > 0 && !flags['allow-incomplete'] ? exitCodes.failed : exitCodes.ok;
}

/** The references of each object, in the order of `objectsIn`. */
type Relinked = readonly (readonly RelinkedReference[])[];

/** Looks in the cluster for the owners that the references of manifests name. */
async function relinkObjects(
  objects: readonly PlacedObject[],
  session: Session,
): Promise<Relinked> {
  const { client, types } = await session.cluster();
  const saved = await savedObjects(objects, types, client.namespace);
  const lookup = new OwnerLookup(types, saved);
  const owners = new Map<string, ObjectLocation>();
  for (const object of saved) {
    for (const reference of object.ownerReferences) {
      const place = lookup.placeOf(object, reference);
      if ('at' in place) owners.set(locationKey(place.at), place.at);
    }
  }
  const { lookUpLive } = await import('../../restore/perform/look-up.ts');
  const live =
    owners.size === 0 ? new LiveObjects() : await lookUpLive(client, [...owners.values()], lookup);
  const toCome = new Map(
    saved
      .filter((object) => live.at(object).found === 'nothing')
      .map((object) => [locationKey(object), object]),
  );
  const context = { lookup, live, toCome, sameCluster: false };
  return saved.map((object) =>
    object.ownerReferences.map((reference) => relinkReference(object, reference, context)),
  );
}

async function savedObjects(
  objects: readonly PlacedObject[],
  types: ResourceTypes,
  namespace: string,
): Promise<SavedObject[]> {
  const { crdTypes, isCustomResourceDefinition } = await import('../../files/crd-types.ts');
  const { inferType } = await import('../../files/kind-table.ts');
  const defined = objects.flatMap(({ object }) =>
    isCustomResourceDefinition(object) ? crdTypes(object) : [],
  );
  const typeOf = (object: Json): ResourceType => {
    const [apiVersion, kind] = [textOf(object.apiVersion) ?? '', textOf(object.kind) ?? ''];
    const own = defined.find(
      (type) => `${type.group}/${type.version}` === apiVersion && type.kind === kind,
    );
    const named = jsonOf(object.metadata)?.namespace !== undefined;
    return types.find(apiVersion, kind) ?? own ?? inferType(apiVersion, kind, named);
  };
  return objects.map(({ object }) => {
    const type = typeOf(object);
    const { name, uid, ownerReferences, finalizers, namespace: own } = recordOf(object, type);
    return {
      type,
      name,
      uid,
      ownerReferences,
      finalizers,
      namespace: type.namespaced ? own || namespace : '',
      phase: undefined,
      manifest: object as KubeObject,
      fault: undefined,
      defines: isCustomResourceDefinition(object) ? crdTypes(object) : undefined,
    };
  });
}
