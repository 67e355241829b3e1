import { kubeletControllers } from '../../controllers/controller.ts';
import { usageError } from '../../errors.ts';
import type { NodeFacts } from '../../kubelet/node-facts.ts';
import type { ForecastReport } from '../../output/documents/forecast.ts';
import { kubeletForecast } from '../../output/documents/nodes/kubelet-forecast.ts';
import type { ForecastFlags } from '../../shell/flags/forecast-flags.ts';
import { timeOf } from '../../shell/input/clock.ts';
import { namespaceOf } from '../../shell/input/scope.ts';
import type { Session } from '../../shell/input/session.ts';

export interface KubeletsAsked {
  /** Undefined: kubelets were not asked, as that takes several requests for each node. */
  readonly facts: readonly NodeFacts[] | undefined;
  /** Epoch milliseconds: when the nodes were looked at. */
  readonly observedAt: number | undefined;
  /** Is nothing else asked for? Then the cluster's objects need not be read. */
  readonly alone: boolean;
}

/** Asks kubelets, or reads what was saved of nodes, where `--collector` names one of theirs. */
export async function askKubelets(flags: ForecastFlags, session: Session): Promise<KubeletsAsked> {
  const named = flags.collector?.filter((id) => kubeletControllers.includes(id)) ?? [];
  if (named.length === 0) return { facts: undefined, observedAt: undefined, alone: false };
  if (flags.selector !== undefined || flags['field-selector'] !== undefined) {
    throw usageError(
      `-l and --field-selector choose objects, and ${named.join(' and ')} removes what has no labels`,
    );
  }
  const { openNodes } = await import('../../shell/input/open-nodes.ts');
  const facts = await openNodes({ ...flags, all: true }, [], session, { kubeletStart: true });
  return {
    facts,
    observedAt: Math.max(...facts.map((one) => Date.parse(one.observedAt))),
    alone: named.length === flags.collector?.length,
  };
}

/** What the kubelets that were asked remove. `now`: epoch milliseconds; `within`: milliseconds. */
export function forecastNodes(
  flags: ForecastFlags,
  { facts, observedAt }: KubeletsAsked,
  options: { readonly now: number | undefined; readonly within: number },
  shows: (collector: string) => boolean,
): ForecastReport {
  const now = options.now ?? timeOf(flags)?.getTime() ?? observedAt ?? Date.now();
  return kubeletForecast(facts, {
    now,
    within: options.within,
    shows,
    namespace: namespaceOf(flags),
  });
}
