import { join, resolve } from 'node:path';
import { GcError } from '../../errors.ts';
import { readWhole } from '../../files/file-bytes.ts';
import { fieldsListOf, fieldsOf, type Json, textOrEmpty } from '../../kube/json-value.ts';
import { type ClientEnvironment, kubeDirectory } from './client-environment.ts';

/**
 * The user's kuberc; undefined where it is switched off. As in kubectl, one that is missing or unreadable
 * counts only when --kuberc or $KUBERC names it.
 */
export async function readKuberc(
  environment: ClientEnvironment,
): Promise<{ readonly file: string; readonly preference: Json } | undefined> {
  const { env } = environment;
  if (env.KUBERC === 'off' || env.KUBECTL_KUBERC === 'false') return undefined;
  const file = env.KUBERC
    ? resolve(environment.cwd, env.KUBERC)
    : join(kubeDirectory(environment), 'kuberc');
  try {
    const text = (await readWhole(file)).toString();
    const { parseAllDocuments } = await import('yaml');
    const documents = parseAllDocuments(text, { prettyErrors: false });
    const preferences = documents.map((document) => fieldsOf(document.toJS())).filter(isPreference);
    return { file, preference: preferences[0] ?? {} };
  } catch (cause) {
    if (!env.KUBERC) return { file, preference: {} };
    throw new GcError(`the kuberc ${file} cannot be read`, {
      code: 'kuberc-invalid',
      suggestions: ['Correct the file that --kuberc or $KUBERC names, or set KUBERC=off.'],
      cause,
    });
  }
}

function isPreference({ kind, apiVersion }: Json): boolean {
  return kind === 'Preference' && apiVersion === 'kubectl.config.k8s.io/v1beta1';
}

/** The flags that a kuberc sets for a command of kubectl, in its order: `--interactive=true`. */
export function defaultsFor(command: string, { defaults }: Json): string[] {
  return fieldsListOf(defaults)
    .filter((entry) => textOrEmpty(entry.command).trim() === command)
    .flatMap((entry) => fieldsListOf(entry.options))
    .map((option) => `--${textOrEmpty(option.name)}=${textOrEmpty(option.default)}`);
}
