import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { usageError } from '../errors.ts';
import {
  type ClientEnvironment,
  kubeconfigFilesFromEnvironment,
  kubeDirectory,
} from './client-environment.ts';
import { type Kubeconfig, mergeKubeconfigs } from './kubeconfig.ts';
import { invalidKubeconfig } from './kubeconfig-fields.ts';
import { parseKubeconfig } from './parse-kubeconfig.ts';

export interface LoadedKubeconfig {
  readonly config: Kubeconfig;
  /** The files looked for, absolute, whether they exist or not. */
  readonly files: readonly string[];
}

/**
 * Loads the kubeconfig by kubectl's rules: the file of `--kubeconfig` (must exist), else the files
 * of $KUBECONFIG merged (missing ones ignored), else ~/.kube/config (may be missing).
 */
export async function loadKubeconfig(
  explicitFile: string | undefined,
  environment: ClientEnvironment,
): Promise<LoadedKubeconfig> {
  const named = explicitFile
    ? [explicitFile]
    : (kubeconfigFilesFromEnvironment(environment) ?? [join(kubeDirectory(environment), 'config')]);
  const files = named.map((file) => resolve(environment.cwd, file));
  const configs: Kubeconfig[] = [];
  for (const file of files) {
    const text = readKubeconfig(file, explicitFile !== undefined && explicitFile !== '');
    if (text !== undefined) configs.push(parseKubeconfig(await decode(text, file), file));
  }
  return { config: mergeKubeconfigs(configs), files };
}

function readKubeconfig(file: string, mustExist: boolean): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    if (code !== 'ENOENT')
      throw invalidKubeconfig(file, reasons[code] ?? `reading failed: ${code}`);
    if (!mustExist) return undefined;
    throw usageError(
      'kubeconfig-missing',
      `kubeconfig ${file} does not exist`,
      'Name an existing file with --kubeconfig, or leave the flag out to use $KUBECONFIG or ~/.kube/config.',
    );
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'reading it is not permitted',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is not a directory',
};

async function decode(text: string, file: string): Promise<unknown> {
  const { parseAllDocuments } = await import('yaml');
  // kubectl takes the first document, and the last of repeated keys.
  const documents = parseAllDocuments(text, {
    uniqueKeys: false,
    merge: true,
    prettyErrors: false,
  });
  const document = 'empty' in documents ? undefined : documents[0];
  const problem = document?.errors[0];
  if (problem !== undefined) throw invalidKubeconfig(file, `it is not YAML (${problem.code})`);
  return document?.toJS({ maxAliasCount: 1000 });
}
