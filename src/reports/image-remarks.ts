import { formatGoDuration } from '../kubelet/go-duration.ts';
import type { ImageGcPolicy } from '../kubelet/image-record.ts';
import type { NodeFacts } from '../kubelet/node-facts.ts';

/** What a reader has to know about how much was seen of a node's images. */
export function imageRemarks(facts: NodeFacts, policy: ImageGcPolicy): string[] {
  const { images, imagesSource, imagesCappedAt, containers, containersSource } = facts;
  const remarks: string[] = [];
  if (images === undefined) return ['its images could not be read'];
  if (imagesCappedAt !== undefined) {
    remarks.push(
      `the Node's status lists ${imagesCappedAt} images at most: smaller ones are not seen here`,
    );
  }
  if (imagesSource === 'api') {
    remarks.push("the Node's status does not tell which images the runtime pins");
  } else if (images.some(({ pinned }) => pinned === undefined)) {
    remarks.push('this crictl does not tell which images the runtime pins: a newer one does');
  }
  if (containers === undefined) remarks.push('what its containers use could not be read');
  else if (containersSource !== 'runtime') {
    remarks.push('dead containers of deleted pods keep their images too, and were not seen');
  } else if (facts.pods === undefined) {
    remarks.push('images that pods mount as volumes are in use too, and were not seen');
  }
  const unused = images.filter(({ lastUsed }) => lastUsed === undefined);
  if (unused.length > 0) {
    remarks.push(
      'only the kubelet remembers when an image was last used: where nothing else decides, any order of removal is possible',
    );
  }
  if (images.some(({ firstDetected }) => firstDetected === undefined)) {
    remarks.push(
      `an image that the kubelet found less than ${formatGoDuration(policy.minAge)} ago is not removed to free space`,
    );
  }
  if (facts.settingsSource === 'defaults') {
    remarks.push(
      "the kubelet's settings could not be read: the defaults of Kubernetes are assumed",
    );
  }
  return remarks;
}
