import type { Impersonation, KubeconfigCluster, KubeconfigUser } from './kubeconfig.ts';

/** A connection after kubeconfig, flags and environment have been weighed. */
export interface ConnectionSettings {
  /** Absolute http or https address, without credentials or trailing slash. */
  readonly server: string;
  readonly namespace: string;
  readonly cluster: KubeconfigCluster;
  /** undefined for http servers, which must never see a credential. */
  readonly user: KubeconfigUser | undefined;
  /** Authorization made of the user and password of the server's address; goes before all else. */
  readonly userinfo: string | undefined;
  readonly impersonation: Impersonation;
  readonly proxy: URL | undefined;
  /** Milliseconds, 0 for none. */
  readonly requestTimeout: number;
  readonly origin: ConnectionOrigin;
}

/** Where the settings come from, for messages. */
export interface ConnectionOrigin {
  /** '' when no context is in force. */
  readonly context: string;
  readonly userName: string;
  /** The files looked for when nothing named a server; undefined when something did. */
  readonly missingKubeconfig: readonly string[] | undefined;
}
