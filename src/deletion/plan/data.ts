import { counted, countsByKind } from '../../kube/counts-by-kind.ts';
import type { Plan, PlanRemark } from './plan.ts';

/** Does a remark say that data goes which no controller makes again? */
export function isAboutData({ code, severity }: PlanRemark): boolean {
  return code === 'data' || (code === 'custom-resources' && severity === 'warning');
}

/**
 * `the data of 4 PersistentVolumes, 3 Secrets and all objects of 1 CustomResourceDefinition`; empty where no data
 * is known to go.
 */
export function dataThatGoes({ remarks }: Pick<Plan, 'remarks'>): string {
  const lost = remarks.flatMap(({ code, objects }) => (code === 'data' ? objects : []));
  const definitions = remarks.filter(
    (remark) => isAboutData(remark) && remark.code === 'custom-resources',
  ).length;
  return [
    ...(lost.length > 0 ? [`the data of ${countsByKind(lost)}`] : []),
    ...(definitions > 0
      ? [`all objects of ${counted(definitions, 'CustomResourceDefinition')}`]
      : []),
  ].join(' and ');
}
