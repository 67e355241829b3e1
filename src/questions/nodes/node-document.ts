import { firstOf } from '../../kube/counts-by-kind.ts';
import type {
  ContainerReason,
  JudgedSandbox,
} from '../../kubelet/containers/container-forecast.ts';
import type { RuntimeSandbox } from '../../kubelet/containers/container-gc.ts';
import {
  graceOf,
  isThresholdMet,
  parseThresholds,
  type Reclaim,
  reclaimsFor,
  thresholdValue,
  withContainerFs,
} from '../../kubelet/eviction/eviction-thresholds.ts';
import type { ImageReason } from '../../kubelet/images/image-forecast.ts';
import type { KnownImageUser } from '../../kubelet/images/image-users.ts';
import type {
  ContainerGcPolicy,
  ImageGcPolicy,
  NodeContainer,
  NodeFacts,
} from '../../kubelet/node-facts.ts';
import { type DocumentHead, documentHead } from '../../snapshot/snapshot.ts';
import { formatGoDuration } from '../../syntax/go-syntax.ts';

/** The head of a document about nodes: `objects` counts them. */
export function nodeHead<K extends string>(kind: K, facts: readonly NodeFacts[]): DocumentHead<K> {
  const problems = facts.flatMap((one) => one.problems);
  return documentHead(kind, 1, facts.length, problems);
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

export function evictionReport({
  settings,
  observations,
  layout,
}: NodeFacts): EvictionThresholdReport[] {
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
  const [rule, because] = imageReasons[reason];
  return { because: typeof because === 'string' ? because : because(policy, users), rule };
}

type ImageWords = (policy: ImageGcPolicy, users: readonly KnownImageUser[]) => string;

const imageReasons: Readonly<Record<ImageReason, readonly [rule: string, string | ImageWords]>> = {
  'in-use': ['IMG-5', (_, users) => usersInWords(users)],
  pinned: ['IMG-6', 'the runtime pins it'],
  'too-young': [
    'IMG-12',
    ({ minAge }) => `the kubelet found it less than ${formatGoDuration(minAge)} ago`,
  ],
  age: ['IMG-9', ({ maxAge }) => `unused for more than ${formatGoDuration(maxAge)}`],
  'maybe-age': [
    'IMG-9',
    ({ maxAge }) => `unused; it goes once that was so for more than ${formatGoDuration(maxAge)}`,
  ],
  space: ['IMG-12', 'unused, and the disk is above the high threshold'],
  'enough-freed': ['IMG-12', 'unused, but those before it free enough'],
  'not-triggered': ['IMG-10', 'unused; the disk is below the high threshold'],
  off: ['IMG-2', 'unused; image passes are turned off'],
  'no-capacity': ['IMG-10', 'unused; passes fail, as the disk has a capacity of 0'],
  'disk-unknown': ['IMG-10', 'unused; how full the disk is was not read'],
};

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

function stateInWords(state: NodeContainer['state']): string {
  return state === 'exited' ? 'dead' : state === 'created' ? 'created' : 'lost';
}

/** Why a container goes or stays. */
export function containerReasonInWords(reason: ContainerReason, policy: ContainerGcPolicy): string {
  const { minAge, maxPerPodContainer: each, maxContainers: all } = policy;
  const words: Readonly<Record<ContainerReason, string>> = {
    running: 'it runs',
    'too-young': `it was created less than ${formatGoDuration(minAge)} ago`,
    'deleted-pod': 'its Pod was deleted',
    'terminated-pod': 'all containers of its pod have ended',
    'maybe-deleted-pod': 'removed if its Pod was deleted, which was not read',
    'limit-per-container': `of its name in its pod ${newer(each)}`,
    'limit-in-total': `the node keeps ${all} dead ${all === 1 ? 'container' : 'containers'} in total`,
    'same-age': 'some of those that were created at the same moment go; which ones is not defined',
    'within-limits': each < 0 && all < 0 ? 'there is no limit' : 'within the limits',
  };
  return words[reason];
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
  'deleted-pod': 'its Pod was deleted',
  older: 'its pod has a newer one',
  newest: 'it is the newest of its pod',
  unsure: 'removed if its Pod was deleted, which was not read',
};
