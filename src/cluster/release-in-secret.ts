import { gunzipSync } from 'node:zlib';
import { exitCodes, GcError } from '../errors.ts';
import { documentsIn } from '../files/parsing/documents.ts';
import { yamlValue } from '../files/parsing/yaml-value.ts';
import { fieldAt, fieldsOf, type Json, listAt, textAt } from '../kube/json-value.ts';

/** What is kept of a Helm release: its values and manifests hold data of Secrets. */
export interface HelmRelease {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  /** `deployed`, `failed`, `uninstalling`, … */
  readonly status: string;
  readonly objects: readonly ReleasedObject[];
  /** `Job web-cleanup`: what Helm makes before it deletes anything. */
  readonly preDelete: readonly string[];
  /** `Job web-migrate`: hooks that stay where they succeed, unless Helm creates them again. */
  readonly leftHooks: readonly string[];
  /** Names of the CustomResourceDefinitions in the folder crds of the chart, which Helm never deletes. */
  readonly leftDefinitions: readonly string[];
  /** The Secrets of all revisions, which are deleted with the release. */
  readonly secrets: readonly string[];
}

export interface ReleasedObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty where the manifest names none: then it is in the namespace of the release. */
  readonly namespace: string;
  readonly name: string;
  /** helm.sh/resource-policy: keep. */
  readonly isKept: boolean;
}

const longestRelease = 64 * 1024 * 1024;

/** Reads a Secret's release: JSON, mostly gzipped, in base64, in the base64 of the API. */
export function releaseIn(
  secret: Json,
  name: string,
): Omit<HelmRelease, 'namespace' | 'name' | 'secrets'> {
  try {
    const stored = Buffer.from(textAt(secret, 'data.release'), 'base64').toString('latin1');
    const bytes = Buffer.from(stored, 'base64');
    const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const text = isZipped ? gunzipSync(bytes, { maxOutputLength: longestRelease }) : bytes;
    const release = fieldsOf(JSON.parse(text.toString('utf8')));
    return {
      revision: Number(release.version),
      status: textAt(release, 'info.status'),
      objects: manifestObjects(textAt(release, 'manifest')),
      preDelete: hooksIn(release, (hook) => listAt(hook, 'events').includes('pre-delete')),
      leftHooks: hooksIn(
        release,
        (hook) => !listAt(hook, 'delete_policies').includes('hook-succeeded'),
      ),
      leftDefinitions: listAt(release, 'chart.files')
        .filter((file) => textAt(file, 'name').startsWith('crds/'))
        .flatMap((file) => manifestObjects(Buffer.from(textAt(file, 'data'), 'base64').toString()))
        .map((definition) => definition.name),
    };
  } catch {
    // The error does not quote the content: it contains data of Secrets.
    throw new GcError(
      `what release "${name}" consists of cannot be read from its Secret, so what it deletes is unknown`,
      {
        code: 'unreadable-release',
        suggestions: [`To see whether Helm can read it: helm get manifest ${name}`],
        exitCode: exitCodes.failed,
      },
    );
  }
}

function hooksIn(release: Json, isChosen: (hook: Json) => boolean): string[] {
  return listAt(release, 'hooks')
    .map(fieldsOf)
    .filter(isChosen)
    .map((hook) => `${textAt(hook, 'kind')} ${textAt(hook, 'name')}`);
}

function manifestObjects(manifest: string): ReleasedObject[] {
  return documentsIn(manifest, yamlValue).flatMap(({ value: document, fault }) => {
    if (fault !== undefined) throw new Error(fault);
    // Helm looks at the policy of the document alone (filterManifestsToKeep), and deletes the items of a List.
    const annotations = fieldsOf(fieldAt(document, 'metadata.annotations'));
    const isKept = annotations['helm.sh/resource-policy'] === 'keep';
    const isList =
      textAt(document, 'kind').endsWith('List') && Array.isArray(fieldAt(document, 'items'));
    const objects = isList ? listAt(document, 'items') : [document];
    return objects.flatMap((object) => {
      const [kind, name] = [textAt(object, 'kind'), textAt(object, 'metadata.name')];
      if (kind === '' || name === '') return [];
      const [apiVersion, namespace] = [
        textAt(object, 'apiVersion'),
        textAt(object, 'metadata.namespace'),
      ];
      return [{ apiVersion, kind, namespace, name, isKept }];
    });
  });
}
