/**
 * Is feature gate OrderedNamespaceDeletion on by default in this Kubernetes version? It came with
 * v1.30, is on since v1.33 and cannot be turned off since v1.34 (GC-72). Unknown versions count as new.
 */
export function deletesPodsFirst(serverVersion: string | undefined): boolean {
  const minor = /^v1\.(\d+)/.exec(serverVersion ?? '')?.[1];
  return minor === undefined || Number(minor) >= 33;
}
