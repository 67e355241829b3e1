import type { KubeconfigUser } from './kubeconfig.ts';

/**
 * Yields the user with the credentials to send now: what plugins, token files and identity
 * providers supply is filled in as a token or a certificate.
 */
export interface CredentialSource {
  /** The same object until the credentials change. */
  current(): Promise<KubeconfigUser>;
  /** Gets new credentials after the server refused these; absent where there is no way to. */
  renew?(refused: KubeconfigUser): Promise<void>;
}
