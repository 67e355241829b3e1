import { join, resolve } from 'node:path';
import { errorMessage, GcError } from '../errors.ts';
import { fields, list, Misfit, oneOf, type Part, text } from '../kube/document-part.ts';
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
      return preference(await parseYaml(content));
    } catch (error) {
      fault ??= error instanceof Misfit ? new Error(error.toldIn()) : error;
    }
  }
  if (fault !== undefined) throw fault;
  return undefined;
}

const group = 'kubectl.config.k8s.io';
const string = orUnsetOrNull('', text);
const command = fields({ command: string, name: string });
const plugins = fields({
  credentialPluginPolicy: string,
  credentialPluginAllowlist: orUnsetOrNull(
    [],
    list(orUnsetOrNull({ command: '', name: '' }, command)),
  ),
});

function preference(document: unknown): PluginPreference {
  const { apiVersion } = fields({
    apiVersion: oneOf(`${group}/v1beta1`, `${group}/v1alpha1`),
    kind: oneOf('Preference'),
  })(document);
  // v1alpha1 says nothing of plugins.
  const { credentialPluginPolicy, credentialPluginAllowlist } = plugins(
    apiVersion === `${group}/v1beta1` ? document : {},
  );
  const commands = credentialPluginAllowlist.map((entry) => entry.command || entry.name);
  return { credentialPluginPolicy, credentialPluginAllowlist: commands };
}

function orUnsetOrNull<T>(fallback: T, part: Part<T>): Part<T> {
  return (value) => part(value ?? fallback);
}
