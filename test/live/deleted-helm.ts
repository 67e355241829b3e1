import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { helm } from '../support/deploy-tools.ts';
import type { Scene } from './deleted-scene.ts';
import type { Actor } from './deleted-stage.ts';

/** A release of one ConfigMap that the real helm installs, and deletes with the Secret of the release. */
export async function helmRelease(scene: Scene, actor: Actor, name: string) {
  const chart = join(scene.stage.folder, 'chart');
  mkdirSync(join(chart, 'templates'), { recursive: true });
  writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 1.0.0\n');
  const object = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n';
  writeFileSync(join(chart, 'templates', 'settings.yaml'), object);
  const env = { ...process.env, KUBECONFIG: scene.stage.kubeconfig(actor), HOME: chart };
  const run = (...args: readonly string[]) =>
    promisify(execFile)(helm(), [...args, '-n', scene.namespace], { env });
  await run('install', name, chart);
  return {
    settings: await scene.doomed(`ConfigMap ${name}`),
    release: await scene.doomed(`Secret sh.helm.release.v1.${name}.v1`),
    uninstall: () => run('uninstall', name, '--wait'),
  };
}
