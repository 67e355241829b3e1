import { errorMessage, GcError } from '../../errors.ts';
import { type Json, jsonOf } from '../../kube/json-value.ts';
import { readWhole, reasonUnreadable } from '../file-bytes.ts';
import { parseYaml, splitYaml } from '../parsing/parse-yaml.ts';
import type { KubercFile } from './kuberc-file.ts';

/** What a user prefers; of the two versions that kubectl reads, the names are those of v1beta1. */
export interface Preference {
  readonly defaults: readonly CommandDefaults[];
  readonly aliases: readonly Alias[];
  readonly credentialPluginPolicy: string;
  readonly credentialPluginAllowlist: readonly string[];
}

interface CommandDefaults {
  /** As it is typed behind `kubectl`: `delete`, `gc audit`. */
  readonly command: string;
  readonly options: readonly OptionDefault[];
}

export interface OptionDefault {
  /** Without dashes. */
  readonly name: string;
  readonly default: string;
}

export interface Alias extends CommandDefaults {
  readonly name: string;
  readonly prependArgs: readonly string[];
  readonly appendArgs: readonly string[];
}

/**
 * The first preferences in the file that are valid, as kubectl's decodePreference takes them; undefined
 * where there are none. Throws when the file cannot be used and was named; else `warn` is told.
 */
export async function readKuberc(
  { path, isNamed }: KubercFile,
  warn: (text: string) => void,
): Promise<Preference | undefined> {
  try {
    return await preferenceIn((await readWhole(path)).toString());
  } catch (cause) {
    const why = reasonUnreadable(cause) ?? errorMessage(cause);
    if (isNamed) {
      throw new GcError(`the kuberc ${path} cannot be read: ${why}`, {
        code: 'kuberc-invalid',
        suggestions: ['Correct the file that --kuberc or $KUBERC names, or set KUBERC=off.'],
        cause,
      });
    }
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') {
      warn(`no preferences were read from ${path}: ${why}`);
    }
    return undefined;
  }
}

async function preferenceIn(text: string): Promise<Preference | undefined> {
  let fault: unknown;
  for (const { text: part } of splitYaml(text)) {
    const content = part.replace(/^---[^\n]*\n?/, '');
    if (content.trim() === '') continue;
    try {
      return decoded(await parseYaml(content));
    } catch (error) {
      fault ??= error;
    }
  }
  if (fault !== undefined) throw fault;
  return undefined;
}

const group = 'kubectl.config.k8s.io';

function decoded(document: unknown): Preference {
  const { apiVersion, kind, ...fields } = jsonOf(document) ?? {};
  if (kind === 'Preference' && apiVersion === `${group}/v1beta1`) {
    return preferenceOf(fields, { defaults: 'defaults', options: 'options' });
  }
  if (kind === 'Preference' && apiVersion === `${group}/v1alpha1`) {
    return preferenceOf(fields, { defaults: 'overrides', options: 'flags' });
  }
  throw new Error(`it is not a Preference of ${group}/v1beta1 or v1alpha1`);
}

/** Fields that v1alpha1 names otherwise. */
interface Names {
  readonly defaults: 'defaults' | 'overrides';
  readonly options: 'options' | 'flags';
}

function preferenceOf(fields: Json, names: Names): Preference {
  const isBeta = names.options === 'options';
  const command = (entry: Json, place: string): CommandDefaults => ({
    command: text(entry.command, `${place}.command`),
    options: list(entry[names.options], `${place}.${names.options}`, (option, at) => {
      const { name, default: value } = json(option, at);
      return { name: text(name, `${at}.name`), default: text(value, `${at}.default`) };
    }),
  });
  return {
    defaults: list(fields[names.defaults], names.defaults, (entry, at) =>
      command(json(entry, at), at),
    ),
    aliases: list(fields.aliases, 'aliases', (entry, at) => {
      const alias = json(entry, at);
      return {
        ...command(alias, at),
        name: text(alias.name, `${at}.name`),
        prependArgs: list(alias.prependArgs, `${at}.prependArgs`, text),
        appendArgs: list(alias.appendArgs, `${at}.appendArgs`, text),
      };
    }),
    credentialPluginPolicy: isBeta
      ? text(fields.credentialPluginPolicy, 'credentialPluginPolicy')
      : '',
    credentialPluginAllowlist: list(
      isBeta ? fields.credentialPluginAllowlist : undefined,
      'credentialPluginAllowlist',
      (entry, at) => {
        const { command: own, name } = json(entry, at);
        return text(own ?? name, at);
      },
    ),
  };
}

function json(value: unknown, place: string): Json {
  const fields = value === null ? {} : jsonOf(value);
  if (fields === undefined) throw new Error(`${place} is not a mapping`);
  return fields;
}

function text(value: unknown, place: string): string {
  const string = value ?? '';
  if (typeof string !== 'string') throw new Error(`${place} is not a string: put it in quotes`);
  return string;
}

function list<T>(
  value: unknown,
  place: string,
  read: (entry: unknown, place: string) => T,
): readonly T[] {
  const entries = value ?? [];
  if (!Array.isArray(entries)) throw new Error(`${place} is not a list`);
  return entries.map((entry, index) => read(entry, `${place}[${index}]`));
}
