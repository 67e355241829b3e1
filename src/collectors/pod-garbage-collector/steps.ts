import { missingNodes, type PodGcInput, type PodGcStep } from './pass.ts';
import { excessOf } from './terminated-pods.ts';

export interface StepSummary {
  readonly step: PodGcStep;
  readonly pods: number;
  readonly because: string;
}

/** The four steps in upstream's order, with what each has to do (PG-2). */
export function stepsOf(
  input: PodGcInput,
  threshold: number,
  chosen: readonly { readonly step: PodGcStep }[],
  /** Number of pods of which only metadata was read. */
  unread = 0,
): StepSummary[] {
  const count = (step: PodGcStep) => chosen.filter((one) => one.step === step).length;
  const { terminated } = excessOf(input.pods, threshold);
  const missing = missingNodes(input).size;
  const becauseOf: Readonly<Record<PodGcStep, string>> = {
    terminated:
      threshold > 0
        ? `${terminated} ${pods(terminated)} ended, ${threshold} may stay`
        : `a threshold of ${threshold} switches this step off; ${terminated} ${pods(terminated)} ended`,
    'out-of-service': 'deleted pods on Nodes that are not ready and tainted out-of-service',
    orphaned: `${missing} ${missing === 1 ? 'Node that pods name does' : 'Nodes that pods name do'} not exist`,
    unscheduled: 'deleted pods that are bound to no Node',
  };
  const unknown =
    unread > 0
      ? `; not known of ${unread} ${unread === 1 ? 'pod' : 'pods'} whose spec was not read`
      : '';
  const order: readonly PodGcStep[] = ['terminated', 'out-of-service', 'orphaned', 'unscheduled'];
  return order.map((step) => ({ step, pods: count(step), because: becauseOf[step] + unknown }));
}

function pods(count: number): string {
  return count === 1 ? 'pod has' : 'pods have';
}
