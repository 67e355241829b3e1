import { picked } from '../../kube/json-value.ts';
import { timestampOf } from '../../kube/time.ts';
import {
  type ContainerFate,
  type JudgedContainer,
  type JudgedSandbox,
  nodeContainerForecast,
} from '../../kubelet/containers/container-forecast.ts';
import { containerGcPeriod } from '../../kubelet/containers/container-gc.ts';
import type {
  ContainerGcPolicy,
  NodeContainer,
  NodeFacts,
  NodeSandbox,
} from '../../kubelet/node-facts.ts';
import type { DocumentHead } from '../../snapshot/snapshot.ts';
import {
  containerReasonInWords,
  type EvictionThresholdReport,
  evictionReport,
  nodeHead,
} from './node-document.ts';

/** `containers`: which dead containers and sandboxes the kubelets of nodes would remove. */
export interface ContainersReport extends DocumentHead<'Containers'> {
  readonly nodes: readonly NodeContainers[];
}

export interface NodeContainers {
  readonly node: string;
  /** RFC 3339. */
  readonly observedAt: string;
  readonly sources: {
    readonly containers: 'runtime' | 'kubelet' | 'api' | 'none';
    readonly settings: 'flagz' | 'defaults';
  };
  /** How often the kubelet makes a pass. */
  readonly everySeconds: number;
  readonly settings: ContainerSettings;
  readonly counts: ContainerCounts;
  readonly containers: readonly NodeContainerItem[];
  readonly sandboxes: readonly NodeSandboxItem[];
  readonly eviction: {
    readonly thresholds: readonly EvictionThresholdReport[];
    /** What is removed at a threshold that deletes all unused containers. */
    readonly counts: ContainerCounts;
  };
  readonly remarks: readonly string[];
}

export interface ContainerSettings {
  /** @minimum 0 */
  readonly minimumAgeSeconds: number;
  /**
   * Negative: no limit.
   * @asType integer
   */
  readonly maxPerPodContainer: number;
  /**
   * Negative: no limit.
   * @asType integer
   */
  readonly maxContainers: number;
}

export interface ContainerCounts {
  readonly containers: { readonly least: number; readonly most: number };
  readonly sandboxes: { readonly least: number; readonly most: number };
}

interface NodeContainerItem
  extends Pick<NodeContainer, 'id' | 'name' | 'pod' | 'podUid' | 'state'>,
    Omit<JudgedContainer<NodeContainer>, 'container'> {
  /** RFC 3339. */
  readonly createdAt: string;
  readonly because: string;
}

interface NodeSandboxItem
  extends Omit<NodeSandbox, 'createdAt'>,
    Omit<JudgedSandbox<NodeSandbox>, 'sandbox'> {
  /** RFC 3339. */
  readonly createdAt: string;
}

export function containersReport(facts: readonly NodeFacts[]): ContainersReport {
  return { ...nodeHead('Containers', facts), nodes: facts.map(nodeContainers) };
}

function nodeContainers(facts: NodeFacts): NodeContainers {
  const { containers: policy } = facts.settings;
  const forecast = forecastOf(facts);
  return {
    ...picked(facts, 'node', 'observedAt'),
    sources: {
      containers: facts.containersSource ?? 'none',
      settings: facts.containerSettingsSource,
    },
    everySeconds: containerGcPeriod / 1000,
    settings: containerSettings(policy),
    counts: containerCounts(forecast),
    containers: forecast.containers.map(({ container, fate, reason, rule }) => ({
      ...picked(container, 'id', 'name', 'pod', 'podUid', 'state'),
      createdAt: timestampOf(container.createdAt),
      fate,
      reason,
      because: containerReasonInWords(reason, policy),
      rule,
    })),
    sandboxes: forecast.sandboxes.map(({ sandbox, fate, reason }) => ({
      ...picked(sandbox, 'id', 'pod', 'podUid', 'ready'),
      createdAt: timestampOf(sandbox.createdAt),
      fate,
      reason,
    })),
    eviction: {
      thresholds: evictionReport(facts),
      counts: containerCounts(forecastOf(facts, true)),
    },
    remarks: containerRemarks(facts),
  };
}

/** `deleteAll`: eviction's variant, which also deletes the containers of terminated pods (CTR-13). */
function forecastOf(facts: NodeFacts, deleteAll = false) {
  const { containers: policy } = facts.settings;
  return nodeContainerForecast(facts, { policy, deleteAll, now: Date.parse(facts.observedAt) });
}

function containerCounts({
  containers,
  sandboxes,
}: ReturnType<typeof forecastOf>): ContainerCounts {
  const range = (fates: readonly { readonly fate: ContainerFate }[]) => ({
    least: fates.filter(({ fate }) => fate === 'removed').length,
    most: fates.filter(({ fate }) => fate !== 'kept').length,
  });
  return { containers: range(containers), sandboxes: range(sandboxes) };
}

function containerSettings({ minAge, ...limits }: ContainerGcPolicy): ContainerSettings {
  return { minimumAgeSeconds: minAge / 1000, ...limits };
}

function containerRemarks(facts: NodeFacts): string[] {
  const { containers, containersSource, sandboxes, pods } = facts;
  if (containers === undefined) return ['its containers could not be read'];
  return [
    containersSource !== 'runtime' &&
      'pods show one dead container of each name at most; others, and those of deleted pods, were not seen',
    !sandboxes && 'its sandboxes were not seen',
    !pods && 'pods could not be read: containers of deleted Pods are unknown',
    facts.containerSettingsSource === 'defaults' &&
      "the kubelet's flags could not be read: the defaults of Kubernetes are assumed",
  ].filter((remark) => remark !== false);
}
