import { join, resolve } from 'node:path';
import { errorMessage, GcError } from '../errors.ts';
import { type Json, jsonOf } from '../kube/json-value.ts';
import { readWhole, reasonUnreadable } from './file-bytes.ts';
import { kubeDirectory } from './home-directory.ts';
import { parseYaml, splitYaml } from './parsing/parse-yaml.ts';

/** What decides which file counts; `--kuberc` stands in place of $KUBERC. */
interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative paths start here. */
  readonly cwd: string;
}

export interface KubercFile {
  readonly path: string;
  /** Named by `--kuberc` or $KUBERC: it must be there, and must be readable. */
  readonly isNamed: boolean;
}

/** What a user's kuberc says of credential plugins: all of it that counts for a plugin of kubectl. */
export interface PluginPreference {
  readonly credentialPluginPolicy: string;
  readonly credentialPluginAllowlist: readonly string[];
}

/** The kuberc that counts, as kubectl's LoadKuberc finds it; undefined where the environment turns it off. */
export function kubercFile({ env, cwd }: Surroundings): KubercFile | undefined {
  if (env.KUBECTL_KUBERC?.toLowerCase() === 'false' || env.KUBERC === 'off') return undefined;
  return env.KUBERC
    ? { path: resolve(cwd, env.KUBERC), isNamed: true }
    : { path: join(kubeDirectory(env), 'kuberc'), isNamed: false };
}

/**
 * The first preferences in the file that are valid, as kubectl's decodePreference takes them; undefined
 * where there are none. Throws when the file cannot be used and was named; else `warn` is told.
 */
export async function readKuberc(
  { path, isNamed }: KubercFile,
  warn: (text: string) => void,
): Promise<PluginPreference | undefined> {
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

async function preferenceIn(text: string): Promise<PluginPreference | undefined> {
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

function decoded(document: unknown): PluginPreference {
  const { apiVersion, kind, credentialPluginPolicy, credentialPluginAllowlist } =
    jsonOf(document) ?? {};
  if (kind === 'Preference' && apiVersion === `${group}/v1beta1`) {
    return {
      credentialPluginPolicy: textOf(credentialPluginPolicy, 'credentialPluginPolicy'),
      credentialPluginAllowlist: commandsOf(credentialPluginAllowlist, 'credentialPluginAllowlist'),
    };
  }
  // It says nothing of plugins.
  if (kind === 'Preference' && apiVersion === `${group}/v1alpha1`) {
    return { credentialPluginPolicy: '', credentialPluginAllowlist: [] };
  }
  throw new Error(`it is not a Preference of ${group}/v1beta1 or v1alpha1`);
}

function commandsOf(value: unknown, place: string): readonly string[] {
  const entries = value ?? [];
  if (!Array.isArray(entries)) throw new Error(`${place} is not a list`);
  return entries.map((entry: unknown, index) => {
    const at = `${place}[${index}]`;
    const fields: Json | undefined = entry === null ? {} : jsonOf(entry);
    if (fields === undefined) throw new Error(`${at} is not a mapping`);
    return textOf(fields.command ?? fields.name, at);
  });
}

function textOf(value: unknown, place: string): string {
  const string = value ?? '';
  if (typeof string !== 'string') throw new Error(`${place} is not a string: put it in quotes`);
  return string;
}
