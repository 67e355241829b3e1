import { basename } from 'node:path';
import {
  argumentsOf,
  parseCommandLine,
  type Word,
} from '../../controllers/settings/command-line.ts';
import {
  type ControlPlanePod,
  controlPlanePodsIn,
} from '../../controllers/settings/control-plane-pods.ts';
import {
  type GivenSettings,
  givenSettings,
} from '../../controllers/settings/controller-settings.ts';
import type { Component } from '../../controllers/settings/setting-definition.ts';
import type { ProgramFacts } from '../../controllers/settings/settings-facts.ts';
import { flagKindOf } from '../../controllers/settings/settings-table.ts';
import { usageError } from '../../errors.ts';
import { ParseFailure } from '../../files/parsing/parse-json.ts';
import { Misfit } from '../../kube/document-part.ts';
import { textOrEmpty } from '../../kube/json-value.ts';
import { validateKubeletConfiguration } from '../../kubelet/configuration/validate-configuration.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a file says about settings. */
export interface SettingsInText {
  readonly programs: readonly ProgramFacts[];
  readonly pods: readonly ControlPlanePod[];
  readonly leases: readonly Fields[];
  readonly given: readonly GivenSettings[];
}

/** Separates what a file may hold: command lines, pods, KubeletConfigurations, settings. */
export async function settingsInText(
  text: string,
  path: string,
  version: string,
): Promise<SettingsInText | undefined> {
  const program = commandLineIn(text, path, version);
  if (program) return { programs: [program], pods: [], leases: [], given: [] };
  const documents = await documentsIn(text);
  if (documents === undefined) return undefined;
  const programs: ProgramFacts[] = [];
  const pods: ControlPlanePod[] = [];
  const leases: Fields[] = [];
  const given: GivenSettings[] = [];
  for (const document of documents) {
    const { kind, kubeletconfig } = document;
    if (kubeletconfig !== undefined) {
      programs.push(kubelet(kubeletconfig, 'configz', path, version));
    } else if (kind === 'KubeletConfiguration') {
      programs.push(kubelet(document, 'file', path, version));
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

const components: readonly Component[] = ['kube-controller-manager', 'kube-apiserver'];

/** A command line as `ps`, a unit file or /proc/PID/cmdline show it, or flags alone. */
function commandLineIn(text: string, path: string, version: string): ProgramFacts | undefined {
  const plain = text.trim();
  const words = wordsIn(plain)?.map((one) => ({ text: one }));
  const isDocument = /^(?:\{|---|\[\s*["{[])|^[\w"-]+:(?:\s|$)/m.test(
    plain.replace(/^(#.*\n)+/, ''),
  );
  if (!words && isDocument) return undefined;
  const component = components.find((name) =>
    new RegExp(`(^|[\\s/'"=\\0])${name}([\\s\\0'"]|$)`).test(plain),
  );
  const named = component ?? (plain.startsWith('--') ? 'kube-controller-manager' : undefined);
  if (named === undefined) return undefined;
  const found = words
    ? words.slice(1)
    : argumentsOf(wordsOf(component ? plain : `${named} ${plain}`), named);
  if (!found) return undefined;
  const commandLine = parseCommandLine(found, flagKindOf(named));
  return { component: named, instance: path, readFrom: path, version, commandLine };
}

/**
 * The words of a command line as `ps` or a unit file shows it, without the quotes around a value. What a shell or
 * systemd would put in its place is unclear.
 */
function wordsOf(text: string): Word[] {
  const lines = text.replace(/^\s*#.*$/gm, '').replace(/\\$/gm, '');
  return lines.split(/\s+/).map((written) => {
    const word = written.replace(/^(--[^=]+=)?(["'])(.*)\2$/, '$1$3');
    if (!/[$`]/.test(word)) return { text: word };
    return {
      text: word,
      unclear: `${written} stands for something that is only known on the node`,
    };
  });
}

/** Arguments that are told apart already: /proc/PID/cmdline, or a list in JSON. */
function wordsIn(text: string): readonly string[] | undefined {
  if (text.includes('\0')) return text.split('\0');
  if (!text.startsWith('[')) return undefined;
  try {
    const words: unknown = JSON.parse(text);
    const isList = Array.isArray(words) && words.every((word) => typeof word === 'string');
    return isList ? words : undefined;
  } catch {
    return undefined;
  }
}

function kubelet(
  document: unknown,
  source: 'file' | 'configz',
  path: string,
  version: string,
): ProgramFacts {
  const { problems, remarks } = validateKubeletConfiguration(document);
  const fields = Object(document) as Fields;
  const configuration = { source, fields, problems, ...(source === 'file' && { remarks }) };
  const instance = source === 'configz' ? nameOf(path) : path;
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

function nameOf(path: string): string {
  return basename(path).replace(/(\.(json|txt|ya?ml|conf))+$/i, '');
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
