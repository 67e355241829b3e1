import { firstOf } from '../../../kube/counts-by-kind.ts';
import { formatGoDuration } from '../../../kube/go-syntax.ts';
import type { KubeletGcSettings } from '../../../kubelet/configuration/kubelet-settings.ts';
import type {
  ContainerReason,
  JudgedSandbox,
} from '../../../kubelet/containers/container-forecast.ts';
import type {
  ContainerGcPolicy,
  ContainerState,
  RuntimeSandbox,
} from '../../../kubelet/containers/container-gc.ts';
import {
  type DiskLayout,
  graceOf,
  isThresholdMet,
  parseThresholds,
  type Reclaim,
  reclaimsFor,
  type SignalObservations,
  thresholdValue,
  withContainerFs,
} from '../../../kubelet/eviction/eviction-thresholds.ts';
import type { ImageReason } from '../../../kubelet/images/image-forecast.ts';
import type { ImageGcPolicy } from '../../../kubelet/images/image-policy.ts';
import type { KnownImageUser } from '../../../kubelet/images/image-users.ts';
import type { NodeFacts } from '../../../kubelet/node-facts.ts';
import type { DocumentHead } from '../../../snapshot/snapshot.ts';

/** The head of a document about nodes: `objects` counts them. */
export function nodeHead<K extends string>(kind: K, facts: readonly NodeFacts[]): DocumentHead<K> {
  const problems = facts.flatMap((one) => one.problems);
  return {
    apiVersion: 'kubectl-gc/v1',
    kind,
    coverage: { complete: problems.length === 0, kinds: 1, objects: facts.length, problems },
  };
}

/** One threshold of the eviction manager, and what it does there before it evicts a pod (EV-2). */
export interface EvictionThresholdReport {
  readonly signal: string;
  readonly kind: 'hard' | 'soft';
  /** As it was written: `15%`. */
  readonly threshold: string;
  /**
   * In bytes, inodes or processes; left out where the signal is not observed.
   * @minimum 0
   */
  readonly value?: number;
  /** @minimum 0 */
  readonly available?: number;
  readonly met?: boolean;
  /**
   * How long a soft threshold has to be met.
   * @minimum 0
   */
  readonly graceSeconds?: number;
  readonly reclaims: readonly Reclaim[];
}

export function evictionReport(
  settings: KubeletGcSettings,
  observations: SignalObservations,
  layout: DiskLayout | undefined,
): EvictionThresholdReport[] {
  const hard = parseThresholds(settings.evictionHard, 'hard').thresholds;
  const soft = parseThresholds(settings.evictionSoft, 'soft').thresholds;
  const thresholds = [...hard, ...soft];
  const all = layout === undefined ? thresholds : withContainerFs(thresholds, layout);
  return all.map((threshold) => {
    const { signal, kind, written } = threshold;
    const observed = observations[signal];
    const met = isThresholdMet(threshold, observations);
    const grace = kind === 'soft' ? graceOf(signal, settings) : undefined;
    return {
      signal,
      kind,
      threshold: written,
      ...(observed && {
        value: thresholdValue(threshold, observed.capacity),
        available: observed.available,
      }),
      ...(met !== undefined && { met }),
      ...(grace !== undefined && { graceSeconds: grace / 1000 }),
      reclaims: reclaimsFor(signal, layout ?? 'one-filesystem'),
    };
  });
}

const shownUsers = 2;

/** Why an image goes or stays, and the rule that says so. */
export function imageReasonInWords(
  reason: ImageReason,
  policy: ImageGcPolicy,
  users: readonly KnownImageUser[],
): { readonly because: string; readonly rule: string } {
  switch (reason) {
    case 'in-use':
      return { because: usersInWords(users), rule: 'IMG-5' };
    case 'pinned':
      return { because: 'the runtime pins it', rule: 'IMG-6' };
    case 'too-young':
      return {
        because: `the kubelet found it less than ${formatGoDuration(policy.minAge)} ago`,
        rule: 'IMG-12',
      };
    case 'age':
      return { because: `unused for more than ${formatGoDuration(policy.maxAge)}`, rule: 'IMG-9' };
    case 'maybe-age':
      return {
        because: `unused; it goes once that was so for more than ${formatGoDuration(policy.maxAge)}`,
        rule: 'IMG-9',
      };
    case 'space':
      return { because: 'unused, and the disk is above the high threshold', rule: 'IMG-12' };
    case 'enough-freed':
      return { because: 'unused, but those before it free enough', rule: 'IMG-12' };
    case 'not-triggered':
      return { because: 'unused; the disk is below the high threshold', rule: 'IMG-10' };
    case 'off':
      return { because: 'unused; image passes are turned off', rule: 'IMG-2' };
    case 'no-capacity':
      return { because: 'unused; passes fail, as the disk has a capacity of 0', rule: 'IMG-10' };
    case 'disk-unknown':
      return { because: 'unused; how full the disk is was not read', rule: 'IMG-10' };
  }
}

function usersInWords(users: readonly KnownImageUser[]): string {
  const alive = users.filter(({ state }) => ['running', 'mounted', 'in-spec'].includes(state));
  const inOrder = [...alive, ...users.filter((user) => !alive.includes(user))];
  return `in use by ${firstOf(inOrder.map(userInWords), shownUsers)}`;
}

function userInWords({ pod, container, state }: KnownImageUser): string {
  const where = pod === '' ? '' : ` of ${pod}`;
  if (state === 'mounted') return `a volume${where}`;
  if (state === 'in-spec') return `container ${container} in the spec${where}`;
  return `${state === 'running' ? '' : `the ${stateInWords(state)} `}container ${container}${where}`;
}

function stateInWords(state: ContainerState): string {
  return state === 'exited' ? 'dead' : state === 'created' ? 'created' : 'lost';
}

/** Why a container goes or stays. */
export function containerReasonInWords(reason: ContainerReason, policy: ContainerGcPolicy): string {
  const { minAge, maxPerPodContainer: each, maxContainers: all } = policy;
  switch (reason) {
    case 'running':
      return 'it runs';
    case 'too-young':
      return `it was created less than ${formatGoDuration(minAge)} ago`;
    case 'deleted-pod':
      return 'its pod is gone';
    case 'terminated-pod':
      return 'all containers of its pod have ended';
    case 'maybe-deleted-pod':
      return 'it goes if its pod is gone, which was not read';
    case 'limit-per-container':
      return `of its name in its pod ${newer(each)}`;
    case 'limit-in-total':
      return `the node keeps ${all} dead ${all === 1 ? 'container' : 'containers'} in total`;
    case 'same-age':
      return 'some of those that were created at the same moment go; which ones is not defined';
    case 'within-limits':
      return each < 0 && all < 0 ? 'there is no limit' : 'within the limits';
  }
}

function newer(each: number): string {
  if (each === 0) return 'no dead one is kept';
  return each === 1
    ? 'only the newest dead one is kept'
    : `only the newest ${each} dead ones are kept`;
}

/** Why a pod sandbox goes or stays. */
export const sandboxReasonsInWords: Readonly<
  Record<JudgedSandbox<RuntimeSandbox>['reason'], string>
> = {
  ready: 'it is ready',
  'has-containers': 'it has containers',
  'deleted-pod': 'its pod is gone',
  older: 'its pod has a newer one',
  newest: 'it is the newest of its pod',
  unsure: 'it goes if its pod is gone, which was not read',
};
