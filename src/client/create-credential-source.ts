import { GcError } from '../errors.ts';
import type { ClientEnvironment } from './client-environment.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import type { CredentialSource } from './credential-source.ts';
import type { KubeconfigUser } from './kubeconfig.ts';
import { tokenFileSource } from './token-file-source.ts';

/** Chooses the way to credentials in kubectl's order: what is set outright keeps plugins from running. */
export async function createCredentialSource(
  user: KubeconfigUser,
  settings: ConnectionSettings,
  environment: ClientEnvironment,
): Promise<CredentialSource> {
  const hasToken = user.token !== '' || user.tokenFile !== '';
  const hasCertificate = user.clientCertificate !== '' || user.clientCertificateData !== '';
  const { exec, authProvider } = user;
  if (exec !== undefined && !hasToken && !hasCertificate && user.username === '') {
    const { execSource } = await import('./exec-source.ts');
    return execSource(user, exec, settings, environment);
  }
  if (authProvider !== undefined && !hasToken) {
    if (authProvider.name !== 'oidc') return providerSource(user, authProvider.name);
    const { oidcSource } = await import('./oidc-source.ts');
    return oidcSource(user, authProvider, settings, environment);
  }
  const own = { ...user, exec: undefined, authProvider: undefined };
  return user.tokenFile === '' ? { current: async () => own } : tokenFileSource(own);
}

/** gcp and azure: client-node asks their command-line tools itself, whenever it is given a new object. */
function providerSource(user: KubeconfigUser, name: string): CredentialSource {
  if (name !== 'gcp' && name !== 'azure') {
    throw new GcError(`the kubeconfig's auth-provider "${name}" is not known`, {
      code: 'unknown-auth-provider',
      suggestions: ['Use an exec credential plugin, or one of the providers oidc, gcp and azure.'],
    });
  }
  let current = user;
  return {
    current: async () => current,
    renew: async () => {
      current = { ...current };
    },
  };
}
