import { basename } from 'node:path';
import {
  type ControlPlanePod,
  controlPlanePodsIn,
  leaderOf,
  managerLease,
} from '../../controllers/settings/control-plane-pods.ts';
import { effectiveFaults } from '../../controllers/settings/effective-settings.ts';
import { type GivenSettings, givenSettings } from '../../controllers/settings/given-settings.ts';
import { assumedVersion as version } from '../../controllers/settings/setting-definition.ts';
import type { ProgramFacts, SettingsFacts } from '../../controllers/settings/settings-facts.ts';
import { usageError } from '../../errors.ts';
import { filesBelow } from '../../files/find-inputs.ts';
import { ParseFailure } from '../../files/parsing/parse-json.ts';
import { Misfit } from '../../kube/document-part.ts';
import { textOrEmpty } from '../../kube/json-value.ts';
import { validateKubeletConfiguration } from '../../kubelet/configuration/validate-configuration.ts';
import type { CoverageProblem } from '../../snapshot/coverage.ts';
import { readText } from '../input/read-document.ts';

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
  const read: SettingsInText[] = [];
  const problems: CoverageProblem[] = [];
  for (const path of [settings, kubelet]) {
    if (path === undefined) continue;
    const found = await settingsInText(await readText(path, 'settings'), path);
    if (!found) throw notSettings(path);
    refuse(path, found, path === kubelet);
    read.push(found);
  }
  for (const path of from) {
    const paths = await filesBelow(path);
    for (const { file } of paths) {
      const found = await settingsInText(await readText(file, 'settings'), file);
      if (found) read.push(found);
      else if (paths.length === 1) throw notSettings(path);
      else
        problems.push({ reason: 'unknown-kind', message: `${file} holds no settings`, path: file });
    }
  }
  const pods = read.flatMap((one) => one.pods);
  const lease = read
    .flatMap((one) => one.leases)
    .find(({ metadata }) => {
      const { namespace, name } = Object(metadata);
      return namespace === managerLease.namespace && name === managerLease.name;
    });
  const programs = withGiven(
    read.flatMap((one) => [...one.programs, ...one.pods.map((pod) => pod.program)]),
  );
  if (programs.length === 0) throw notSettings(from.join(', '));
  const components = new Set(programs.map(({ component }) => component));
  const facts: SettingsFacts = {
    observedAt: (files.now ?? new Date()).toISOString(),
    serverVersion: undefined,
    components: order.filter((component) => components.has(component)),
    programs,
    leader: leaderOf(pods, lease, files.now?.toISOString()),
    problems,
  };
  const kubelets = read.flatMap((one) => one.given).findLast((one) => one.kubelets !== undefined);
  return { facts, kubelets: kubelets?.kubelets };
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

function refuse(path: string, found: SettingsInText, isKubelet: boolean): void {
  const programs = [...found.programs, ...found.pods.map((pod) => pod.program)];
  if (isKubelet && !programs.some(({ configuration }) => configuration)) {
    throw usageError(`${path} is not a KubeletConfiguration`);
  }
  for (const program of programs) {
    const [first, ...others] = effectiveFaults(program);
    const name = program.component === 'kubelet' ? 'a kubelet' : program.component;
    if (first === undefined) continue;
    throw usageError(`${name} does not start with ${path}: ${first}`, others);
  }
}

function notSettings(path: string): Error {
  return usageError(`${path} holds no settings`, [
    'Name a file with the static pod of kube-controller-manager, a KubeletConfiguration, an answer of /configz, or a settings file.',
  ]);
}

type Fields = Readonly<Record<string, unknown>>;

/** What a file says about settings. */
interface SettingsInText {
  readonly programs: readonly ProgramFacts[];
  readonly pods: readonly ControlPlanePod[];
  readonly leases: readonly Fields[];
  readonly given: readonly GivenSettings[];
}

/** Separates what a file may hold: pods, KubeletConfigurations, settings. */
async function settingsInText(text: string, path: string): Promise<SettingsInText | undefined> {
  const documents = await documentsIn(text);
  if (documents === undefined) return undefined;
  const programs: ProgramFacts[] = [];
  const pods: ControlPlanePod[] = [];
  const leases: Fields[] = [];
  const given: GivenSettings[] = [];
  for (const document of documents) {
    const { kind, kubeletconfig } = document;
    if (kubeletconfig !== undefined) {
      programs.push(kubelet(kubeletconfig, 'configz', path));
    } else if (kind === 'KubeletConfiguration') {
      programs.push(kubelet(document, 'file', path));
    } else if (kind === 'Pod') pods.push(...controlPlanePodsIn(document, version));
    else if (kind === 'Lease') leases.push(document);
    else if (kind === undefined || kind === 'Settings' || kind === 'Scenario') {
      const settings = parseSettingsFile(document);
      given.push(settings);
      programs.push({
        component: 'kube-controller-manager',
        instance: path,
        readFrom: path,
        version,
        given: { readFrom: path, values: settings.values },
      });
    }
  }
  const isUseful = programs.length + pods.length + leases.length > 0;
  return isUseful ? { programs, pods, leases, given } : undefined;
}

function kubelet(document: unknown, source: 'file' | 'configz', path: string): ProgramFacts {
  const { problems } = validateKubeletConfiguration(document);
  const fields = Object(document) as Fields;
  const configuration = { source, fields, problems };
  const name = basename(path).replace(/(\.(json|txt|ya?ml|conf))+$/i, '');
  const instance = source === 'configz' ? name : path;
  return { component: 'kubelet', instance, readFrom: path, version, configuration };
}

/** Mappings of YAML or JSON, lists taken apart; undefined: it is neither. */
async function documentsIn(text: string): Promise<Fields[] | undefined> {
  const { parseYaml, splitYaml } = await import('../../files/parsing/parse-yaml.ts');
  const values: unknown[] = [];
  try {
    for (const document of splitYaml(text)) values.push(await parseYaml(document.text));
  } catch (error) {
    if (error instanceof ParseFailure) return undefined;
    throw error;
  }
  return values.flatMap((value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
    const { items, kind } = value as Fields;
    if (!Array.isArray(items) || kind === 'Settings') return [value as Fields];
    // The items of a PodList do not name their kind.
    const kindOfItems = textOrEmpty(kind).replace(/List$/, '');
    return items.map((item: Fields) => ({ ...(kindOfItems && { kind: kindOfItems }), ...item }));
  });
}

/** Checks a `--settings` file; a whole Settings or Scenario document holds them as `settings`. Usage errors name the field. */
function parseSettingsFile(document: unknown): GivenSettings {
  const { kind, settings } = Object(document) as Fields;
  const isWhole = kind === 'Settings' || kind === 'Scenario';
  try {
    return givenSettings(isWhole ? settings : document);
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    throw usageError(error.toldIn(isWhole ? 'settings' : ''), error.hints);
  }
}
