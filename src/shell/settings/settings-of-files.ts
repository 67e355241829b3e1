import { basename } from 'node:path';
import { usageError } from '../../errors.ts';
import { filesBelow } from '../../files/find-inputs.ts';
import { fieldsOf, type Json } from '../../kube/json-value.ts';
import { isManagerLease, managerLease } from '../../kube/leader-lease.ts';
import { validateKubeletConfiguration } from '../../kubelet/configuration/validate-configuration.ts';
import {
  type ControlPlanePod,
  controlPlanePodsIn,
  leaderOf,
} from '../../settings/control-plane-pods.ts';
import { effectiveFaults } from '../../settings/effective-settings.ts';
import { type GivenSettings, givenSettings } from '../../settings/given-settings.ts';
import { assumedVersion as version } from '../../settings/setting-definition.ts';
import type { ProgramFacts, SettingsFacts } from '../../settings/settings-facts.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { InvalidDocument } from '../../syntax/document-part.ts';
import { readBytes } from '../input/read-document.ts';

export interface SettingsFiles {
  /** What was saved of a cluster: what is wrong in it is reported, and the rest is shown. */
  readonly from?: readonly string[];
  /** What the user wants to use: what is wrong in it is a usage error. */
  readonly settings?: string | undefined;
  readonly kubelet?: string | undefined;
  readonly now?: Date | undefined;
}

export interface FactsOfFiles {
  readonly facts: SettingsFacts;
  readonly kubelets: boolean | undefined;
}

/** The settings that files hold; nothing is contacted. */
export async function settingsOfFiles(files: SettingsFiles): Promise<FactsOfFiles> {
  const { from = [], settings, kubelet } = files;
  const read: DocumentSettings[] = [];
  const problems: CoverageProblem[] = [];
  for (const path of [settings, kubelet]) {
    if (path === undefined) continue;
    const parts = await partsIn(path);
    if (parts.length === 0) throw notSettings(path);
    refuse(path, parts, path === kubelet);
    read.push(...parts);
  }
  for (const path of from) {
    const paths = await filesBelow(path);
    for (const { file } of paths) {
      const parts = await partsIn(file);
      if (parts.length > 0) read.push(...parts);
      else if (paths.length === 1) throw notSettings(path);
      else
        problems.push({
          reason: 'unknown-kind',
          message: `${file} contains no settings`,
          path: file,
        });
    }
  }
  const facts = factsOf(read, files.now, problems);
  if (facts.programs.length === 0) throw notSettings(from.join(', '));
  return { facts, kubelets: read.findLast((part) => part.kubelets !== undefined)?.kubelets };
}

/** How the control plane runs, by its pods and a Lease among the objects of a cluster. */
export function managerFactsIn(objects: readonly Json[], now: Date | undefined): SettingsFacts {
  // A must-gather contains a pod both alone and in a list.
  const parts = new Map<string, DocumentSettings>();
  for (const part of objects.flatMap((object) => partsOf(object, '')))
    parts.set(part.program?.readFrom ?? managerLease.name, part);
  const facts = factsOf([...parts.values()], now, []);
  return { ...facts, components: ['kube-controller-manager', 'kube-apiserver'] };
}

function factsOf(
  read: readonly DocumentSettings[],
  now: Date | undefined,
  problems: readonly CoverageProblem[],
): SettingsFacts {
  const pods = read.flatMap(({ pod }) => pod ?? []);
  const lease = read.find((part) => isManagerLease(Object(part.lease?.metadata)))?.lease;
  const programs = withGiven(read.flatMap(({ program }) => program ?? []));
  const components = new Set(programs.map(({ component }) => component));
  return {
    observedAt: (now ?? new Date()).toISOString(),
    serverVersion: undefined,
    components: order.filter((component) => components.has(component)),
    programs,
    leader: leaderOf(pods, lease, now?.toISOString()),
    problems,
  };
}

const order = ['kube-controller-manager', 'kube-apiserver', 'kubelet'] as const;

/** A settings file is meant instead of what programs were started with. */
function withGiven(programs: readonly ProgramFacts[]): readonly ProgramFacts[] {
  const given = programs.findLast((program) => program.given)?.given;
  const others = programs.filter((program) => !program.given);
  const isManager = ({ component }: ProgramFacts) => component === 'kube-controller-manager';
  if (!given || !others.some(isManager)) return programs;
  return others.map((program) => (isManager(program) ? { ...program, given } : program));
}

function refuse(path: string, parts: readonly DocumentSettings[], isKubelet: boolean): void {
  const programs = parts.flatMap(({ program }) => program ?? []);
  if (isKubelet && !programs.some(({ configuration }) => configuration)) {
    throw usageError(`${path} is not a KubeletConfiguration, so it has no settings of a kubelet`, [
      'Give other settings with --settings.',
    ]);
  }
  for (const program of programs) {
    const [first, ...others] = effectiveFaults(program);
    const name = program.component === 'kubelet' ? 'a kubelet' : program.component;
    if (first === undefined) continue;
    throw usageError(`${name} does not start with ${path}: ${first}`, others);
  }
}

function notSettings(path: string): Error {
  return usageError(`${path} contains no settings: all would be defaults`, [
    'Name a file with the static pod of kube-controller-manager, a KubeletConfiguration, an answer of /configz, or a settings file.',
  ]);
}

/** What a document says about settings. */
interface DocumentSettings {
  readonly program?: ProgramFacts;
  /** The one that runs the program, where that is of the control plane. */
  readonly pod?: ControlPlanePod;
  readonly lease?: Json;
  readonly kubelets?: boolean | undefined;
}

/** What a file contains: pods, KubeletConfigurations, settings; empty where it is neither YAML nor JSON. */
async function partsIn(path: string): Promise<DocumentSettings[]> {
  const documents = await documentsIn(await readBytes(path, 'settings'));
  return documents.flatMap((document) => partsOf(document, path));
}

function partsOf(document: Json, path: string): DocumentSettings[] {
  const { kind, kubeletconfig } = document;
  if (kubeletconfig !== undefined) return [{ program: kubelet(kubeletconfig, 'configz', path) }];
  if (kind === 'KubeletConfiguration') return [{ program: kubelet(document, 'file', path) }];
  if (kind === 'Lease') return [{ lease: document }];
  if (kind === 'Pod') {
    return controlPlanePodsIn(document, version).map((pod) => ({ pod, program: pod.program }));
  }
  if (kind !== undefined && kind !== 'Settings' && kind !== 'Scenario') return [];
  const { values, kubelets } = parseSettingsFile(document);
  const component = 'kube-controller-manager';
  const given = { readFrom: path, values };
  return [{ program: { component, instance: path, readFrom: path, version, given }, kubelets }];
}

function kubelet(document: unknown, source: 'file' | 'configz', path: string): ProgramFacts {
  const { problems } = validateKubeletConfiguration(document);
  const fields = Object(document) as Json;
  const configuration = { source, fields, problems };
  const name = basename(path).replace(/(\.(json|txt|ya?ml|conf))+$/i, '');
  const instance = source === 'configz' ? name : path;
  return { component: 'kubelet', instance, readFrom: path, version, configuration };
}

/** Mappings of YAML or JSON, lists taken apart; none where it is neither. */
async function documentsIn(bytes: Buffer): Promise<Json[]> {
  const [{ readDocuments }, { objectsIn }] = await Promise.all([
    import('../../files/read-documents.ts'),
    import('../../files/parsing/documents.ts'),
  ]);
  const values: Json[] = [];
  for (const { value, fault } of await readDocuments(bytes)) {
    if (fault !== undefined) return [];
    const { kind } = fieldsOf(value);
    values.push(...(kind === 'Settings' ? [fieldsOf(value)] : objectsIn(value)));
  }
  return values;
}

/** Checks a `--settings` file; a whole Settings or Scenario document holds them as `settings`. Usage errors name the field. */
function parseSettingsFile(document: unknown): GivenSettings {
  const { kind, settings } = Object(document) as Json;
  const isWhole = kind === 'Settings' || kind === 'Scenario';
  try {
    return givenSettings(isWhole ? settings : document);
  } catch (error) {
    if (!(error instanceof InvalidDocument)) throw error;
    throw usageError(error.messageAt(isWhole ? 'settings' : ''), error.hints);
  }
}
