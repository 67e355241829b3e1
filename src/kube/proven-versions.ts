/** The releases of Kubernetes that docs/versions.md tells of; the tests play the first. */
export const provenVersions: readonly string[] = ['v1.36.3', 'v1.35.4', 'v1.34.4'];
