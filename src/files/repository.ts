import { promises as fs } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';
import { builtInTypes } from '../kube/built-in-types.ts';
import {
  fieldAt,
  type Json,
  jsonOf,
  listAt,
  textAt,
  textOrEmpty,
  textsOf,
} from '../kube/json-value.ts';
import { apiVersionOf } from '../kube/resource-type.ts';
import { objectsIn } from './parsing/documents.ts';
import { parseYaml } from './parsing/parse-yaml.ts';
import { readDocuments } from './read-documents.ts';

/** Something in a folder that is no object, and is no fault either: what makes objects, and what they are made from. */
export interface SetAside {
  /** Of a chart or a kustomization its folder, else the file. */
  readonly path: string;
  readonly what: 'chart' | 'kustomization' | 'other';
  /** Its Chart.yaml or kustomization.yaml; else the file itself. */
  readonly file: string;
}

/** What is made of a chart or a kustomization; why that failed; undefined where the program for it is not there. */
export type Rendered = { readonly text: string } | { readonly failure: string } | undefined;

const chartFile = /^Chart\.ya?ml$/;
const kustomizationFile = /^kustomization\.ya?ml$/;
const valuesFile = /^values[^/]*\.(?:ya?ml|json)$/;

/**
 * Of the files of a folder those that helm or kustomize reads, by what they belong to: charts with their templates and
 * values; kustomizations with their patches, generators and values. A file that does not parse as one of these stays among the
 * others. A file that a kustomization names and cannot read, or applies as well, stays there, too.
 */
export async function madeFrom(files: readonly string[]): Promise<ReadonlyMap<string, SetAside>> {
  const aside = new Map<string, SetAside>();
  const charts = new Map<string, string>();
  const resources = new Set<string>();
  const patches = new Set<string>();
  const data = new Set<string>();
  for (const path of files) {
    const name = basename(path);
    if (chartFile.test(name) && textAt(await readMapping(path), 'name')) {
      charts.set(dirname(path), path);
    }
    if (!kustomizationFile.test(name)) continue;
    const kustomization = await readMapping(path);
    if (!kustomization || !isKustomization(kustomization)) continue;
    const folder = dirname(path);
    aside.set(path, { path: folder, what: 'kustomization', file: path });
    const root = resolve(folder);
    for (const file of textsIn(kustomization, applied)) resources.add(resolve(root, file));
    const isBelow = (file: string): boolean => file.startsWith(`${root}${sep}`);
    for (const [fields, named] of [
      [patchFields, patches],
      [dataFields, data],
    ] as const) {
      const paths = textsIn(kustomization, fields).map((file) => resolve(root, file));
      for (const file of paths.filter(isBelow)) named.add(file);
    }
  }
  for (const path of files) {
    const chart = chartOf(path, charts);
    const file = charts.get(chart ?? '');
    const full = resolve(path);
    if (chart !== undefined && file !== undefined) {
      aside.set(path, { path: chart, what: 'chart', file });
    } else if (
      !aside.has(path) &&
      !resources.has(full) &&
      (patches.has(full) || (isBelowNamed(full, data) && !(await holdsBuiltInKind(path))))
    ) {
      aside.set(path, { path, what: 'other', file: path });
    }
  }
  return aside;
}

/** The folder of the chart of which a file is a part that only helm reads. */
function chartOf(path: string, charts: ReadonlyMap<string, string>): string | undefined {
  const folder = dirname(path);
  const name = basename(path);
  if (charts.has(folder) && (chartFile.test(name) || valuesFile.test(name))) return folder;
  const isDependency = basename(folder) === 'charts' && name.endsWith('.tgz');
  if (isDependency && charts.has(dirname(folder))) return dirname(folder);
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    if (basename(at) === 'templates' && charts.has(dirname(at))) return dirname(at);
  }
  return undefined;
}

/** A folder may be named, too. */
function isBelowNamed(path: string, named: ReadonlySet<string>): boolean {
  for (let at = path; dirname(at) !== at; at = dirname(at)) if (named.has(at)) return true;
  return false;
}

async function readMapping(path: string): Promise<Json | undefined> {
  try {
    return jsonOf(await parseYaml(await fs.readFile(path, 'utf8')));
  } catch {
    // What reads the file after this says what is wrong with it.
    return undefined;
  }
}

/** Both fields may be left out (kustomize api/types/kustomization.go, FixKustomizationPostUnmarshalling). */
function isKustomization({ kind, apiVersion }: Json): boolean {
  const isKind = kind === undefined || kind === 'Kustomization' || kind === 'Component';
  const version = textOrEmpty(apiVersion);
  return isKind && (version === '' || version.startsWith('kustomize.config.k8s.io/'));
}

/** Fields of a kustomization (kustomize api/types), and where each of their entries names files. */
type FileFields = Readonly<Record<string, readonly string[]>>;

/** They name what is applied. */
const applied: FileFields = { resources: [], bases: [], components: [], crds: [] };
const patchFields: FileFields = {
  patchesStrategicMerge: [],
  patches: ['path'],
  patchesJson6902: ['path'],
};
/** What is read here is not applied: no file of them is an object of a kind that Kubernetes has. */
const dataFields: FileFields = {
  transformers: [],
  generators: [],
  validators: [],
  replacements: ['path'],
  configMapGenerator: ['files', 'envs', 'env'],
  secretGenerator: ['files', 'envs', 'env'],
  helmCharts: ['valuesFile', 'additionalValuesFiles'],
};

function textsIn(kustomization: Json, fields: FileFields): string[] {
  return (
    Object.entries(fields)
      .flatMap(([field, names]) =>
        names.length === 0
          ? textsAt(kustomization, field)
          : listAt(kustomization, field).flatMap((entry) =>
              names.flatMap((name) => textsAt(entry, name)),
            ),
      )
      // A generator may give a file another name: `key=path`.
      .flatMap((text) => [text, text.slice(text.indexOf('=') + 1)])
      .filter((text) => text !== '' && !text.includes('\n'))
  );
}

/** More is read as objects are. */
const longestData = 1024 * 1024;

async function holdsBuiltInKind(path: string): Promise<boolean> {
  try {
    if ((await fs.stat(path)).size > longestData) return true;
    for (const { value } of await readDocuments(await fs.readFile(path))) {
      if (objectsIn(value).some(isBuiltIn)) return true;
    }
    return false;
  } catch {
    return false;
  }
}

function isBuiltIn({ apiVersion, kind }: Json): boolean {
  return builtInTypes.some((type) => type.kind === kind && apiVersionOf(type) === apiVersion);
}

/** One text, or a list of them. */
function textsAt(value: unknown, path: string): readonly string[] {
  return textsOf([fieldAt(value, path)].flat());
}
