const kubeVersion = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const stages = ['alpha', 'beta', undefined];

/**
 * Greater is preferred: v2, v1, v1beta2, v1beta1, v1alpha1, then the rest by name.
 * Mirrors CompareKubeAwareVersionStrings, apimachinery pkg/version/helpers.go.
 */
export function compareVersions(a: string, b: string): number {
  const left = kubeVersion.exec(a);
  const right = kubeVersion.exec(b);
  if (!left || !right) {
    if (left || right) return left ? 1 : -1;
    return a === b ? 0 : a < b ? 1 : -1;
  }
  return (
    stages.indexOf(left[2]) - stages.indexOf(right[2]) ||
    Number(left[1]) - Number(right[1]) ||
    Number(left[3] ?? 0) - Number(right[3] ?? 0)
  );
}
