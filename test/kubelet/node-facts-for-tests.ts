import { defaultKubeletSettings } from '../../src/kubelet/configuration/kubelet-settings.ts';
import type {
  KubeletGcSettings,
  NodeContainer,
  NodeFacts,
  NodeImage,
} from '../../src/kubelet/node-facts.ts';

export const now = Date.parse('2026-01-01T12:00:00Z');
export const minute = 60_000;

/** A node of which everything is known: 100 of 1000 bytes are free. */
export function nodeFacts(
  more: Partial<NodeFacts>,
  settings: Partial<KubeletGcSettings> = {},
): NodeFacts {
  return {
    node: 'worker',
    observedAt: new Date(now).toISOString(),
    settings: { ...defaultKubeletSettings, evictionHard: {}, ...settings },
    settingsSource: 'configz',
    containerSettingsSource: 'flagz',
    images: [],
    imagesSource: 'runtime',
    imagesCappedAt: undefined,
    containers: [],
    containersSource: 'runtime',
    sandboxes: [],
    pods: [],
    imageFs: { capacityBytes: 1000, availableBytes: 100 },
    reports: [],
    observations: { 'imagefs.available': { capacity: 1000, available: 100 } },
    layout: 'one-filesystem',
    kubeletStarted: now - 1e9,
    problems: [],
    ...more,
  };
}

export function image(id: string, size: number, more: Partial<NodeImage> = {}): NodeImage {
  const used = { lastUsed: now - 1e6, firstDetected: now - 1e7 } as const;
  return { id, names: [`${id}:1`], size, pinned: false, ...used, ...more };
}

/** A dead container of pod `uid`, which does not exist unless the node lists it. */
export function container(
  id: string,
  of: string,
  more: Partial<NodeContainer> = {},
): NodeContainer {
  return {
    id,
    name: 'app',
    podUid: 'uid',
    sandboxId: '',
    state: 'exited',
    createdAt: now - 1e6,
    pod: 'shop/web',
    imageRefs: [of],
    ...more,
  };
}
