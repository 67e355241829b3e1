/**
 * Metadata in protobuf is 6 to 15 times cheaper than JSON for server and client together; JSON
 * is what aggregated APIs without protobuf answer with.
 */
export const metadataList = partial('PartialObjectMetadataList');
export const metadataObject = partial('PartialObjectMetadata');
export const metadataObjectJson = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
export const full = 'application/vnd.kubernetes.protobuf,application/json';
export const fullJson = 'application/json';

function partial(kind: string): string {
  const form = `as=${kind};g=meta.k8s.io;v=v1`;
  return `application/vnd.kubernetes.protobuf;${form},application/json;${form},application/json`;
}
