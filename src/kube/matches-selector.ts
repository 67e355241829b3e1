import type { LabelRequirement, LabelSelector } from './label-selector.ts';

/**
 * Does a controller's spec.selector match these labels? One that asks for nothing matches nothing,
 * as no controller acts on it.
 */
export function matchesSelector(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  const wanted = Object.entries(matchLabels);
  if (wanted.length === 0 && matchExpressions.length === 0) return false;
  return (
    wanted.every(([key, value]) => labels[key] === value) &&
    matchExpressions.every((requirement) => meets(requirement, labels[requirement.key]))
  );
}

function meets({ operator, values = [] }: LabelRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    default:
      return operator === 'DoesNotExist' && value === undefined;
  }
}
