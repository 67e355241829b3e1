export const defaultVersion: string;

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

/** Builds what the cache lacks and resolves with its directory; rejects when Go is missing. */
export function buildControlPlane(options?: BuildOptions): Promise<string>;
