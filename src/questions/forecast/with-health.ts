import { allControllers } from '../../controllers/registry.ts';
import { groupResourceOf } from '../../kube/resource-type.ts';
import type { ResourceTypes } from '../../kube/resource-types.ts';
import {
  type CollectorHealth,
  hindranceOf,
  isOverdue,
} from '../../why/garbage-collector/collector-health.ts';
import { dueForCollector, type Forecast, type ForecastItem } from './document.ts';

const collector = 'garbage-collector';

/** Those that run in kube-controller-manager. */
const ofManager: ReadonlySet<string> = new Set([
  collector,
  'namespace',
  ...allControllers.flatMap(({ id, controllers }) => (controllers.length > 0 ? id : [])),
]);

/**
 * The same where it is known how the garbage collector works: what is not done now is not sure, nor what follows from it.
 */
export function withHealth<F extends Forecast<unknown>>(
  report: F,
  garbageCollector: CollectorHealth | undefined,
  types: ResourceTypes,
): F {
  if (!garbageCollector) return report;
  const due = dueForCollector(report);
  const isLate = isOverdue(garbageCollector);
  const hindrance = ({ collector: by, object }: ForecastItem) => {
    if (!ofManager.has(by)) return undefined;
    const type = types.find(object.apiVersion, object.kind);
    return hindranceOf(garbageCollector, type && groupResourceOf(type), by === collector);
  };
  const open = new Set<string>();
  const openNamespaces = new Set<string>();
  const items = report.items.map((item): ForecastItem => {
    const { object, follows, because } = item;
    const late = isLate && due.has(object.uid) ? { overdue: true as const } : {};
    const why = hindrance(item);
    const waits =
      (follows && open.has(follows.uid)) ||
      (object.kind === 'Namespace' && openNamespaces.has(object.name));
    if (why === undefined && !waits) return { ...item, ...late };
    open.add(object.uid);
    openNamespaces.add(object.namespace);
    const { gone: _, notAfter: __, ...rest } = item;
    const doubt = why ?? 'what it follows is not sure';
    return { ...rest, ...late, confidence: 'unknown', because: `${because}; but ${doubt}` };
  });
  return { ...report, items, garbageCollector };
}
