import { promises as fs } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import {
  fieldAt,
  type Json,
  jsonOf,
  listAt,
  textAt,
  textOrEmpty,
  textsOf,
} from '../kube/json-value.ts';
import { yamlReader } from './parsing/parse-yaml.ts';

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
 * values; kustomizations with their patches, generators and values. What does not parse as such a file stays among the others.
 */
export async function madeFrom(files: readonly string[]): Promise<ReadonlyMap<string, SetAside>> {
  const aside = new Map<string, SetAside>();
  const charts = new Map<string, string>();
  const named = new Set<string>();
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
    for (const file of filesNamedIn(kustomization)) named.add(resolve(folder, file));
  }
  for (const path of files) {
    const chart = chartOf(path, charts);
    const file = charts.get(chart ?? '');
    if (chart !== undefined && file !== undefined)
      aside.set(path, { path: chart, what: 'chart', file });
    else if (!aside.has(path) && isNamed(resolve(path), named)) {
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
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    if (basename(at) === 'templates' && charts.has(dirname(at))) return dirname(at);
  }
  return undefined;
}

/** A folder may be named, too. */
function isNamed(path: string, named: ReadonlySet<string>): boolean {
  for (let at = path; dirname(at) !== at; at = dirname(at)) if (named.has(at)) return true;
  return false;
}

async function readMapping(path: string): Promise<Json | undefined> {
  try {
    const read = await yamlReader();
    return jsonOf(read(await fs.readFile(path, 'utf8')));
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

/** Fields of a kustomization that name files of which none is an object that is applied (kustomize api/types). */
const names = [
  'patchesStrategicMerge',
  'configurations',
  'transformers',
  'generators',
  'validators',
  'openapi.path',
] as const;
const entries = {
  patches: ['path'],
  patchesJson6902: ['path'],
  replacements: ['path'],
  configMapGenerator: ['files', 'envs', 'env'],
  secretGenerator: ['files', 'envs', 'env'],
  helmCharts: ['valuesFile', 'additionalValuesFiles'],
} as const;

function filesNamedIn(kustomization: Json): string[] {
  return (
    [
      ...names.flatMap((field) => textsAt(kustomization, field)),
      ...Object.entries(entries).flatMap(([field, fields]) =>
        listAt(kustomization, field).flatMap((entry) =>
          fields.flatMap((name) => textsAt(entry, name)),
        ),
      ),
    ]
      .filter((text) => !text.includes('\n'))
      // A generator may give a file another name: `key=path`.
      .map((text) => text.slice(text.indexOf('=') + 1))
      .filter((text) => text !== '')
  );
}

/** One text, or a list of them. */
function textsAt(value: unknown, path: string): readonly string[] {
  return textsOf([fieldAt(value, path)].flat());
}
