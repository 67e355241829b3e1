/** `version`: this program, what it runs on, and what it was proven against. */
export interface VersionDocument {
  readonly apiVersion: 'kubectl-gc/v1';
  readonly kind: 'Version';
  /** Of kubectl gc. */
  readonly version: string;
  /**
   * What was built; absent where it was not built from a checkout.
   * @pattern ^[0-9a-f]{40}(-dirty)?$
   */
  readonly commit?: string;
  /** The Node that runs it. */
  readonly node: string;
  /** Operating system and architecture. */
  readonly platform: string;
  /** The Kubernetes versions whose control plane its predictions were compared with: `v1.36.3`. */
  readonly provenAgainst: readonly string[];
}
