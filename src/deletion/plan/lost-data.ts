import { counted, countsByKind } from '../../kube/counts-by-kind.ts';
import type { Plan, PlanRemark } from './plan.ts';

/** Is a remark about data that is lost, because no controller recreates it? */
export function isAboutData({ code, severity }: PlanRemark): boolean {
  return code === 'data' || (code === 'custom-resources' && severity === 'warning');
}

/**
 * `the data of 4 PersistentVolumes, 3 Secrets and all objects of 1 CustomResourceDefinition`; empty if no data is known to
 * be lost.
 */
export function lostDataOf({ remarks }: Pick<Plan, 'remarks'>): string {
  const { data = [], definitions = [] } = Object.groupBy(remarks.filter(isAboutData), ({ code }) =>
    code === 'data' ? 'data' : 'definitions',
  );
  const holders = countsByKind(data.flatMap(({ objects }) => objects));
  return [
    ...(holders === '' ? [] : [`the data of ${holders}`]),
    ...(definitions.length > 0
      ? [`all objects of ${counted(definitions.length, 'CustomResourceDefinition')}`]
      : []),
  ].join(' and ');
}
