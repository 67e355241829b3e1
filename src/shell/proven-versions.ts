import { minorOf } from '../settings/setting-definition.ts';

/** The releases of Kubernetes in docs/versions.md; the tests of every change play the first. */
export const provenVersions: readonly string[] = [
  'v1.36.3',
  'v1.37.2',
  'v1.35.4',
  'v1.34.4',
  'v1.33.13',
];

/** Says of a cluster that it is newer than every version that was tried. */
export function remarkOnVersion(version = '', remark?: (line: string) => void): void {
  const latest = Math.max(...provenVersions.map((proven) => minorOf(proven) ?? 0));
  if ((minorOf(version) ?? 0) <= latest) return;
  remark?.(
    `Warning: the cluster is ${version}, newer than v1.${latest}, the latest version that was tried: its controllers may decide by other rules`,
  );
}
