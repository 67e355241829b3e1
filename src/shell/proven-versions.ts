/** The releases of Kubernetes in docs/versions.md; the tests of every change play the first. */
export const provenVersions: readonly string[] = [
  'v1.36.3',
  'v1.37.2',
  'v1.35.4',
  'v1.34.4',
  'v1.33.13',
];
