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

/** What a user's kuberc says of credential plugins: all of it that counts for a plugin of kubectl. */
interface PluginPreference {
  readonly credentialPluginPolicy: string;
  readonly credentialPluginAllowlist: readonly string[];
}

/** The same, and the file that says so. */
export interface Kuberc extends PluginPreference {
  readonly path: string;
}

/**
 * The first preferences that are valid in the kuberc that counts, as kubectl's LoadKuberc finds it and decodePreference
 * takes them; undefined where there are none, and where the environment turns it off. What `--kuberc` or $KUBERC names
 * must be there, and must be readable: throws when it cannot be used; of another file `warn` is told.
 */
export async function readKuberc(
  { env, cwd }: Surroundings,
  warn: (text: string) => void,
): Promise<Kuberc | undefined> {
  if (env.KUBECTL_KUBERC?.toLowerCase() === 'false' || env.KUBERC === 'off') return undefined;
  const path = env.KUBERC ? resolve(cwd, env.KUBERC) : join(kubeDirectory(env), 'kuberc');
  try {
    const preference = await preferenceIn((await readWhole(path)).toString());
    return preference && { path, ...preference };
  } catch (cause) {
    const why = reasonUnreadable(cause) ?? errorMessage(cause);
    if (env.KUBERC) {
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
