import type { KubeObject } from '../../../src/kube/record-codec.ts';
import type { ControlPlane } from '../../support/control-plane.ts';

/** Faults that are put into a cluster, and what an audit has to say about them. */
export interface SeededFaults {
  /** Put into etcd as they are, past the API server; namespaces are made. */
  readonly objects: readonly KubeObject[];
  /** Breaks what cannot be stored, once the API server runs. */
  breakCluster?(plane: ControlPlane): Promise<void>;
  /** Mends what a collector would wait for when it starts. */
  mendCluster?(plane: ControlPlane): Promise<void>;
  /** `rule: Kind namespace/name` of every finding. */
  readonly expected: readonly string[];
  /** ConfigMaps that the real collector deletes once it runs, `namespace/name`; no others go. */
  readonly collected: readonly string[];
}
