import { join, resolve } from 'node:path';
import { errorMessage, GcError } from '../errors.ts';
import {
  fields,
  InvalidDocument,
  list,
  oneOf,
  readAs,
  type Schema,
  text,
} from '../syntax/document-part.ts';
import { kubeDirectory } from './home-directory.ts';
import { readWhole, reasonUnreadable } from './input-bytes.ts';
import { readDocuments } from './read-documents.ts';

/** What decides which file counts; `--kuberc` stands in place of $KUBERC. */
interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Relative paths start here. */
  readonly cwd: string;
}

/** What a user's kuberc says of credential plugins: all of it that counts for a plugin of kubectl. */
interface PluginPreference {
  readonly apiVersion: string;
  /** `undefined`: the version is unknown, so its policy for plugins is unknown. */
  readonly credentialPluginPolicy: string | undefined;
  readonly credentialPluginAllowlist: readonly string[];
}

/** The same, and the file that says so. */
export interface Kuberc extends PluginPreference {
  readonly path: string;
}

/**
 * The preferences of the kuberc that counts, as kubectl's LoadKuberc finds it: the first that are valid, as
 * decodePreference takes them, and those of unknown versions before them, which a newer kubectl takes. None where the
 * environment turns it off. What `--kuberc` or $KUBERC names must be there, and must be readable: throws when it cannot
 * be used; for another file it calls `warn`.
 */
export async function readKuberc(
  { env, cwd }: Surroundings,
  warn: (text: string) => void,
): Promise<readonly Kuberc[]> {
  if (env.KUBECTL_KUBERC?.toLowerCase() === 'false' || env.KUBERC === 'off') return [];
  const path = env.KUBERC ? resolve(cwd, env.KUBERC) : join(kubeDirectory(env), 'kuberc');
  try {
    const preferences = await preferencesIn(await readWhole(path));
    return preferences.map((preference) => ({ path, ...preference }));
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
    return [];
  }
}

async function preferencesIn(bytes: Buffer): Promise<readonly PluginPreference[]> {
  const unknown: PluginPreference[] = [];
  let fault: unknown;
  for (const { value, fault: unreadable, inArray } of await readDocuments(bytes)) {
    try {
      if (unreadable !== undefined) throw new Error(unreadable);
      const found = preference(inArray ? [value] : value);
      if (!knownVersions.includes(found.apiVersion)) unknown.push(found);
      // A newer version without a policy for plugins stands beside this one, which is for this kubectl.
      else return [...unknown.filter((one) => one.credentialPluginPolicy !== undefined), found];
    } catch (error) {
      fault ??= error instanceof InvalidDocument ? new Error(error.messageAt()) : error;
    }
  }
  if (unknown.length === 0 && fault !== undefined) throw fault;
  return unknown;
}

const kubercGroup = 'kubectl.config.k8s.io';
/** Without a policy for plugins. */
const alpha = `${kubercGroup}/v1alpha1`;
const beta = `${kubercGroup}/v1beta1`;
const knownVersions = [alpha, beta, `${kubercGroup}/v1`];
const head = fields({
  apiVersion: readAs(`a version of ${kubercGroup}`, (value) =>
    typeof value === 'string' && value.startsWith(`${kubercGroup}/`) ? value : undefined,
  ),
  kind: oneOf('Preference'),
});
const string = orUnsetOrNull('', text);
const command = fields({ command: string, name: string });
const plugins = fields({
  credentialPluginPolicy: string,
  credentialPluginAllowlist: orUnsetOrNull(
    [],
    list(orUnsetOrNull({ command: '', name: '' }, command)),
  ),
});

/** An unknown version is read as v1 as far as it is like that. */
function preference(document: unknown): PluginPreference {
  const { apiVersion } = head(document);
  const isKnown = knownVersions.includes(apiVersion);
  try {
    const { credentialPluginPolicy: policy, credentialPluginAllowlist } = plugins(
      apiVersion === alpha ? {} : document,
    );
    // v1 has no `name` any more.
    const commands = credentialPluginAllowlist.map((entry) =>
      apiVersion === beta ? entry.command || entry.name : entry.command,
    );
    const credentialPluginPolicy = isKnown || policy !== '' ? policy : undefined;
    return { apiVersion, credentialPluginPolicy, credentialPluginAllowlist: commands };
  } catch (error) {
    if (isKnown) throw error;
    return { apiVersion, credentialPluginPolicy: undefined, credentialPluginAllowlist: [] };
  }
}

function orUnsetOrNull<T>(fallback: T, part: Schema<T>): Schema<T> {
  return (value) => part(value ?? fallback);
}
