import type { KubeObject } from '../kube/record-codec.ts';
import type { PlannedRestoration } from './planned-restoration.ts';

export interface RelinkedManifests {
  readonly manifests: readonly KubeObject[];
  /** References to owners that are among the manifests, and have no uid before they are created. */
  readonly withoutUid: number;
}

/** What would be created, with references to the owners that live now: for whoever applies it himself. */
export function relinkedManifests(planned: readonly PlannedRestoration[]): RelinkedManifests {
  let withoutUid = 0;
  const manifests = planned.flatMap(({ manifest, references }) => {
    if (!manifest) return [];
    const kept = references.filter(({ end, told }) => end !== 'gone' && told.to !== '');
    withoutUid += references.filter(({ told }) => told.change === 'to-come').length;
    if (kept.length === 0) return manifest;
    const ownerReferences = kept.map(({ reference }) => reference);
    return { ...manifest, metadata: { ...manifest.metadata, ownerReferences } };
  });
  return { manifests, withoutUid };
}
