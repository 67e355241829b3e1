import type { Labels } from '../label-selector.ts';
import type { LabelRequirement, LabelSelector } from './selector.ts';

/** Does spec.selector select these labels? An empty selector selects everything, a missing one nothing. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (!selector) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels?.[key] === value) &&
    matchExpressions.every((requirement) => meets(requirement, labels))
  );
}

function meets({ key, operator, values = [] }: LabelRequirement, labels: Labels): boolean {
  const value = labels?.[key];
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}
