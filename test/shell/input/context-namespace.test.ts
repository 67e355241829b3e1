import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { oneNamespaceInFiles } from '../../../src/shell/input/scope.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubectl-gc-context-'));
  mkdirSync(join(directory, '.kube'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const config = {
  contexts: [
    { name: 'team', context: { cluster: 'none such', namespace: 'team' } },
    { name: 'bare', context: { cluster: 'none such' } },
  ],
  'current-context': 'team',
};

function namespace(flags = {}, env: Record<string, string> = {}): Promise<string> {
  const serviceAccountDirectory = join(directory, 'pod');
  const environment = { cwd: directory, serviceAccountDirectory, stdinIsTerminal: false };
  return oneNamespaceInFiles(flags, { ...environment, env: { HOME: directory, ...env } });
}

function write(file: string, content: unknown): string {
  const path = join(directory, file);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

test('the namespace is that of the current context, whatever cluster it names', async () => {
  write('.kube/config', config);
  expect(await namespace()).toBe('team');
  expect(await namespace({ context: 'bare' })).toBe('default');
});

test('--kubeconfig, --context and KUBECONFIG choose the context as kubectl does', async () => {
  write('.kube/config', config);
  const other = write('other', { ...config, 'current-context': 'bare' });
  expect(await namespace({ kubeconfig: other })).toBe('default');
  expect(await namespace({ kubeconfig: other, context: 'team' })).toBe('team');
  expect(await namespace({}, { KUBECONFIG: other })).toBe('default');
});

test.each([
  ['no kubeconfig', undefined],
  ['invalid YAML', '{'],
  ['another kind', { kind: 'Pod' }],
  ['a missing context', { ...config, 'current-context': 'gone' }],
])('with %s, the namespace is default', async (_, content) => {
  if (content !== undefined) write('.kube/config', content);
  expect(await namespace()).toBe('default');
  expect(await namespace({ kubeconfig: 'none-such' })).toBe('default');
});

test('the namespace of the pod that this runs in does not count: the files are not of its cluster', async () => {
  mkdirSync(join(directory, 'pod'));
  for (const file of ['token', 'namespace']) write(join('pod', file), 'runners');
  const env = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };
  expect(await namespace({}, env)).toBe('default');
});

test('a kubeconfig that is no file is not waited for', async () => {
  expect(await namespace({ kubeconfig: '/dev/tty' })).toBe('default');
  expect(await namespace({ kubeconfig: directory })).toBe('default');
});
