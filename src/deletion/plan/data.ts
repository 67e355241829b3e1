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
