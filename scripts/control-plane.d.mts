export const defaultVersion: string;

/** The version to build and to test against: what KUBECTL_GC_CONTROL_PLANE_VERSION says, or the default. */
export function wantedVersion(): string;

export interface BuildOptions {
  readonly version?: string;
  /** Only these of etcd, kube-apiserver, kube-controller-manager and kubectl. */
  readonly binaries?: readonly string[];
  readonly say?: (line: string, last?: boolean) => void;
}

/** Where a build of `version` is kept, whether it is there or not. */
export function cacheDirectory(version?: string): string;

/** The directory with etcd, kube-apiserver, kube-controller-manager and kubectl, or undefined. */
export function findControlPlane(version?: string): string | undefined;

/** The kubectl of a control plane, or of the version that KUBECTL_GC_KUBECTL_VERSION names; throws where that is not built. */
export function kubectlBeside(binaries: string): string;

/** What to do where `findControlPlane` finds none. */
export function missingControlPlane(version?: string): string;

/** Builds what the cache lacks and resolves with its directory; rejects when Go is missing. */
export function buildControlPlane(options?: BuildOptions): Promise<string>;
