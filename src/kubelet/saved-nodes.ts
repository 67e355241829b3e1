import {
  fieldsOf,
  type Json,
  jsonOf,
  listOf,
  textOf,
  textsByKey,
  textsIn,
  textsOf,
} from '../kube/json-value.ts';
import { decodeProblems, invalidEvidence } from '../snapshot/saved-snapshot.ts';
import type { KubeletGcSettings } from './configuration/kubelet-settings.ts';
import type { ContainerState } from './containers/container-gc.ts';
import type { DiskLayout, SignalObservations } from './eviction/eviction-thresholds.ts';
import {
  containerStates,
  type FactSource,
  type NodeContainer,
  type NodeFacts,
  type NodeFilesystem,
  type NodeImage,
  type NodePod,
  type NodeReport,
  type NodeSandbox,
  type SpecContainer,
} from './node-facts.ts';

/** What is known of nodes in the form in which a snapshot keeps it; what is unset is left out. */
export function encodeNodes(nodes: readonly NodeFacts[]): readonly Json[] {
  return JSON.parse(JSON.stringify(nodes)) as Json[];
}

/** Throws GcError `invalid-snapshot` where saved nodes are none. */
export function decodeNodes(saved: readonly Json[]): NodeFacts[] {
  const nodes = listOf(saved, nodeOf);
  if (!nodes) throw invalidEvidence('nodes');
  return nodes;
}

function nodeOf(value: unknown): NodeFacts | undefined {
  const json = fieldsOf(value);
  const node = textOf(json.node);
  const observedAt = textOf(json.observedAt);
  const settings = settingsOf(fieldsOf(json.settings));
  const problems = decodeProblems(json.problems);
  const lists = {
    images: listOf(json.images, imageOf),
    containers: listOf(json.containers, containerOf),
    sandboxes: listOf(json.sandboxes, sandboxOf),
    pods: listOf(json.pods, podOf),
  };
  const reports = listOf(json.reports ?? [], reportOf);
  const isWhole = Object.entries(lists).every(([name, list]) => list || json[name] === undefined);
  if (
    node === undefined ||
    observedAt === undefined ||
    !settings ||
    !problems ||
    !reports ||
    !isWhole
  ) {
    return undefined;
  }
  return {
    node,
    observedAt,
    settings,
    settingsSource: oneOf(json.settingsSource, ['configz', 'file']) ?? 'defaults',
    containerSettingsSource: oneOf(json.containerSettingsSource, ['flagz']) ?? 'defaults',
    ...lists,
    imagesSource: oneOf(json.imagesSource, sources),
    imagesCappedAt: numberOf(json.imagesCappedAt),
    containersSource: oneOf(json.containersSource, sources),
    imageFs: filesystemOf(json.imageFs),
    reports,
    observations: fieldsOf(json.observations) as SignalObservations,
    layout: textOf(json.layout) as DiskLayout | undefined,
    kubeletStarted: numberOf(json.kubeletStarted),
    podLogs: json.podLogs === undefined ? undefined : textsOf(json.podLogs),
    deadLogLinks: json.deadLogLinks === undefined ? undefined : textsOf(json.deadLogLinks),
    problems,
  };
}

const sources: readonly FactSource[] = ['runtime', 'kubelet', 'api'];

function oneOf<T extends string>(value: unknown, known: readonly T[]): T | undefined {
  return known.find((one) => one === value);
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** These fields as numbers; undefined when one is none. */
function numbersIn<Field extends string>(
  json: Json,
  ...fields: readonly Field[]
): Readonly<Record<Field, number>> | undefined {
  const entries = fields.map((field) => [field, numberOf(json[field])]);
  return entries.every(([, one]) => one !== undefined) ? Object.fromEntries(entries) : undefined;
}

function settingsOf(json: Json): KubeletGcSettings | undefined {
  const images = numbersIn(
    fieldsOf(json.images),
    'highThresholdPercent',
    'lowThresholdPercent',
    'minAge',
    'maxAge',
  );
  const containers = numbersIn(
    fieldsOf(json.containers),
    'minAge',
    'maxPerPodContainer',
    'maxContainers',
  );
  const nodeStatusMaxImages = numberOf(json.nodeStatusMaxImages);
  if (!images || !containers || nodeStatusMaxImages === undefined) return undefined;
  return {
    images,
    containers,
    nodeStatusMaxImages,
    evictionHard: textsByKey(json.evictionHard) ?? {},
    evictionSoft: textsByKey(json.evictionSoft) ?? {},
    evictionSoftGracePeriod: textsByKey(json.evictionSoftGracePeriod) ?? {},
  };
}

function imageOf(value: unknown): NodeImage | undefined {
  const json = fieldsOf(value);
  const size = numberOf(json.size);
  if (size === undefined) return undefined;
  const { lastUsed, firstDetected, pinned } = json;
  return {
    id: textOf(json.id),
    names: textsOf(json.names),
    size,
    pinned: typeof pinned === 'boolean' ? pinned : undefined,
    ...(lastUsed !== undefined && {
      lastUsed: lastUsed === 'never' ? lastUsed : numberOf(lastUsed),
    }),
    ...(firstDetected !== undefined && { firstDetected: numberOf(firstDetected) }),
  };
}

const states: readonly ContainerState[] = Object.values(containerStates);

function containerOf(value: unknown): NodeContainer | undefined {
  const json = fieldsOf(value);
  const names = textsIn(json, 'id', 'name', 'podUid', 'sandboxId', 'pod');
  const createdAt = numberOf(json.createdAt);
  const state = oneOf(json.state, states);
  if (!names || createdAt === undefined || state === undefined) return undefined;
  return {
    ...names,
    state,
    createdAt,
    imageRefs: textsOf(json.imageRefs),
    ...(json.withoutId === true && { withoutId: true }),
  };
}

function sandboxOf(value: unknown): NodeSandbox | undefined {
  const json = fieldsOf(value);
  const names = textsIn(json, 'id', 'podUid', 'pod');
  const createdAt = numberOf(json.createdAt);
  if (!names || createdAt === undefined) return undefined;
  return { ...names, createdAt, ready: json.ready === true };
}

function podOf(value: unknown): NodePod | undefined {
  const json = fieldsOf(value);
  const names = textsIn(json, 'uid', 'namespace', 'name', 'phase', 'reason');
  const unreported = listOf(json.unreported ?? [], specContainerOf);
  if (!names || !unreported) return undefined;
  const mountedImages = textsOf(json.mountedImages);
  return { ...names, deleting: json.deleting === true, mountedImages, unreported };
}

function specContainerOf(value: unknown): SpecContainer | undefined {
  return textsIn(fieldsOf(value), 'name', 'image');
}

function reportOf(value: unknown): NodeReport | undefined {
  const json = fieldsOf(value);
  const kind = oneOf(json.kind, ['Condition', 'Event']);
  const texts = textsIn(json, 'name', 'time', 'message', 'reportedBy');
  return kind && texts && { kind, ...texts };
}

function filesystemOf(value: unknown): NodeFilesystem | undefined {
  const json = jsonOf(value);
  if (!json) return undefined;
  const { capacityBytes, availableBytes } = json;
  return { capacityBytes: numberOf(capacityBytes), availableBytes: numberOf(availableBytes) };
}
