import { expect, test } from 'vitest';
import { defaultKubeletSettings } from '../../../src/kubelet/configuration/kubelet-settings.ts';
import type { NodeFacts } from '../../../src/kubelet/node-facts.ts';
import { imagesReport } from '../../../src/output/documents/nodes/images.ts';
import { diskPicture } from '../../../src/output/pictures/disk-picture.ts';

const facts: NodeFacts = {
  node: 'a<b>&"\u001b',
  observedAt: '2026-01-01T12:00:00.000Z',
  settings: defaultKubeletSettings,
  settingsSource: 'configz',
  containerSettingsSource: 'flagz',
  images: [{ id: 'i', names: ['i:1'], size: 30, pinned: false, lastUsed: 'never' }],
  imagesSource: 'runtime',
  imagesCappedAt: undefined,
  containers: [],
  containersSource: 'runtime',
  sandboxes: [],
  pods: [],
  imageFs: { capacityBytes: 100, availableBytes: 10 },
  reports: [],
  observations: {},
  layout: undefined,
  kubeletStarted: undefined,
  problems: [],
};

test('bars are as long as the disk is full, and names cannot break the picture', () => {
  const svg = diskPicture(imagesReport([facts]), 'svg');
  expect(svg).toContain(
    '>a&lt;b&gt;&amp;&quot;^[: 90% of 100 B used; the next pass frees 30 B</text>',
  );
  // 600 wide: 90% before, 60% after.
  expect(svg).toContain('y="20" width="540"');
  expect(svg).toContain('y="46" width="360"');
});

test('a disk that could not be read is named', () => {
  const svg = diskPicture(imagesReport([{ ...facts, node: 'n', imageFs: undefined }]), 'svg');
  expect(svg).toContain('n: how full the disk is could not be read');
});
