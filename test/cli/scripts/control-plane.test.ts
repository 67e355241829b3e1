import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import {
  cacheDirectory,
  defaultVersion,
  findControlPlane,
  missingControlPlane,
  wantedVersion,
} from '../../../scripts/control-plane.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const cache = temporaryFolder();
afterEach(() => vi.unstubAllEnvs());

test('KUBECTL_GC_CONTROL_PLANE_VERSION chooses the version of live tests, and errors name missing files', () => {
  vi.stubEnv('XDG_CACHE_HOME', cache);
  vi.stubEnv('KUBEBUILDER_ASSETS', '');
  vi.stubEnv('KUBECTL_GC_CONTROL_PLANE_VERSION', '');
  expect([wantedVersion(), missingControlPlane()]).toEqual([
    defaultVersion,
    `No Kubernetes ${defaultVersion} control plane here; \`npm run control-plane\` builds it once (about 9 minutes).`,
  ]);
  vi.stubEnv('KUBECTL_GC_CONTROL_PLANE_VERSION', 'v1.35.4');
  expect([wantedVersion(), findControlPlane(), missingControlPlane()]).toEqual([
    'v1.35.4',
    undefined,
    'No Kubernetes v1.35.4 control plane here; `npm run control-plane -- --version v1.35.4` builds it once (about 9 minutes).',
  ]);
  const built = join(cache, 'kubectl-gc/control-plane/v1.35.4/bin');
  mkdirSync(built, { recursive: true });
  for (const name of ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl']) {
    writeFileSync(join(built, name), '', { mode: 0o700 });
  }
  expect([findControlPlane(), cacheDirectory()]).toEqual([built, built]);
  expect(findControlPlane(defaultVersion)).toBeUndefined();
});
