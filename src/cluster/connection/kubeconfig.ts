/** A cluster entry; '' and false mean "not set", as in kubectl. */
export interface KubeconfigCluster {
  readonly server: string;
  readonly tlsServerName: string;
  readonly insecureSkipTlsVerify: boolean;
  /** Absolute path. */
  readonly certificateAuthority: string;
  /** Base64 of PEM. */
  readonly certificateAuthorityData: string;
  readonly proxyUrl: string;
  readonly disableCompression: boolean;
  /** The `client.authentication.k8s.io/exec` extension, handed to exec plugins as it is. */
  readonly execConfig: unknown;
}

export interface ExecPlugin {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly apiVersion: string;
  readonly installHint: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: string;
}

export interface AuthProvider {
  readonly name: string;
  /** Changed in place when a provider renews its token. */
  readonly config: Record<string, string>;
}

export interface Impersonation {
  readonly user: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** A user entry; '' means "not set", paths are absolute. */
export interface KubeconfigUser {
  readonly clientCertificate: string;
  readonly clientCertificateData: string;
  readonly clientKey: string;
  readonly clientKeyData: string;
  readonly token: string;
  readonly tokenFile: string;
  readonly username: string;
  readonly password: string;
  readonly impersonation: Impersonation;
  readonly authProvider?: AuthProvider | undefined;
  readonly exec?: ExecPlugin | undefined;
  /** The file that the entry came from. */
  readonly origin: string;
}

export interface KubeconfigContext {
  readonly cluster: string;
  readonly user: string;
  readonly namespace: string;
}

export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  readonly contexts: ReadonlyMap<string, KubeconfigContext>;
  readonly currentContext: string;
}

export const emptyCluster: KubeconfigCluster = {
  server: '',
  tlsServerName: '',
  insecureSkipTlsVerify: false,
  certificateAuthority: '',
  certificateAuthorityData: '',
  proxyUrl: '',
  disableCompression: false,
  execConfig: undefined,
};

export const emptyUser: KubeconfigUser = {
  clientCertificate: '',
  clientCertificateData: '',
  clientKey: '',
  clientKeyData: '',
  token: '',
  tokenFile: '',
  username: '',
  password: '',
  impersonation: { user: '', uid: '', groups: [], extra: {} },
  origin: '',
};

/** Merges as kubectl does: the first file to name an entry owns all of it. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const firstWins = <T>(maps: readonly ReadonlyMap<string, T>[]) =>
    new Map(maps.toReversed().flatMap((entries) => [...entries]));
  return {
    clusters: firstWins(configs.map(({ clusters }) => clusters)),
    users: firstWins(configs.map(({ users }) => users)),
    contexts: firstWins(configs.map(({ contexts }) => contexts)),
    currentContext: configs.find((config) => config.currentContext !== '')?.currentContext ?? '',
  };
}
