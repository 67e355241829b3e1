import { statSync } from 'node:fs';
import type { ClientEnvironment } from './client-environment.ts';
import type { ConnectionOptions } from './cluster-client.ts';
import { kubeconfigFiles, loadKubeconfig } from './kubeconfig.ts';

/**
 * The namespace of the kubeconfig's context, for a question about files: nothing else of the kubeconfig
 * counts there. Where it names none or cannot be used, that is `default`, and no error.
 */
export async function contextNamespace(
  { kubeconfig, context }: Pick<ConnectionOptions, 'kubeconfig' | 'context'>,
  environment: ClientEnvironment,
): Promise<string> {
  const isReadable = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? true;
  try {
    // A pipe would be waited for, and may be the input itself.
    if (!kubeconfigFiles(kubeconfig, environment).every(isReadable)) return fallback;
    const { config } = await loadKubeconfig(kubeconfig, environment);
    return config.contexts.get(context || config['current-context'])?.namespace || fallback;
  } catch {
    return fallback;
  }
}

const fallback = 'default';
