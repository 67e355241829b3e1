import { delimiter, dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { bareEnvironment, bin, gc } from '../support/run-gc.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

/** `kubectl gc …` through the real kubectl, where the folder `bin` of the checkout is first in PATH, as README.md says. */
const plane = sharedControlPlane();
const plugins = dirname(bin);
const namespace = 'plugin';
const path = [plugins, dirname(process.execPath), process.env.PATH].join(delimiter);

const kubectl = (line: string, input = '') =>
  plane.kubectl(line.split(' '), { input, env: { ...bareEnvironment, PATH: path } });

beforeAll(async () => {
  await plane.make(`Namespace ${namespace}`);
  const owner = await plane.make(`ConfigMap ${namespace}/owner`);
  const { uid } = owner.metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
  await plane.make(`ConfigMap ${namespace}/dependent`, { metadata: { ownerReferences } });
});

test('kubectl finds the plugin, and nothing shadows it', async () => {
  const { stdout } = await kubectl('plugin list');
  expect(stdout).toContain(join(plugins, 'kubectl-gc'));
});

test('kubectl gc answers as kubectl-gc does', async () => {
  const line = `tree configmap/owner -n ${namespace} -o name`;
  const direct = await gc(line, { env: { KUBECONFIG: plane.kubeconfigPath } });
  expect(direct.stdout).toBe('configmap/owner\nconfigmap/dependent\n');
  const { stdout, stderr, code } = await kubectl(`gc ${line}`);
  expect({ code, stdout, stderr }).toEqual(direct);
});

test('help and errors speak of kubectl gc, exit codes come through', async () => {
  expect((await kubectl('gc --help')).stdout).toContain(
    'More about a command: kubectl gc help COMMAND',
  );
  expect((await kubectl('gc tree --help')).stdout).toContain('$ kubectl gc tree TYPE/NAME...');
  expect(await kubectl('gc tre')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'error: unknown command "tre" for "kubectl gc"\n  Did you mean: kubectl gc tree\n',
  });
  expect(await kubectl(`gc owners configmap/nobody -n ${namespace}`)).toEqual({
    code: 3,
    stdout: '',
    stderr: `error: configmaps "nobody" not found in namespace ${namespace}\n`,
  });
});

describe('the Tab key, through kubectl', () => {
  /** What kubectl offers for the last of the words, without descriptions. */
  async function offered(...words: readonly string[]): Promise<string[]> {
    const options = { env: { ...bareEnvironment, PATH: path } };
    const { stdout } = await plane.kubectl(['__completeNoDesc', 'gc', ...words], options);
    return stdout.trimEnd().split('\n');
  }

  test('kubectl takes the commands with their summaries', async () => {
    expect((await kubectl('__complete gc ow')).stdout).toBe(
      'owners\tShow the owners of an object up to the roots\n:4\n',
    );
  });

  /** One word of each sort: flags, their values, files, kinds and names of the cluster. */
  test.each([
    ['tree --field', '--field-selector :4'],
    ['tree --output=me', 'mermaid :4'],
    ['tree --from ', ':0'],
    ['tree deploym', 'deployments.apps :4'],
    ['-n plug', 'plugin :4'],
    [`delete -n ${namespace} cm/owner cm/d`, 'cm/dependent :4'],
    ['tree nothings ', ':4'],
  ])('%s offers %s', async (words, expected) => {
    expect((await offered(...words.split(' '))).join(' ')).toBe(expected);
  });

  test('kubectl plugin list does not take the completer for a plugin', async () => {
    const { stdout } = await kubectl('plugin list');
    expect(stdout).not.toContain('kubectl_complete-gc');
  });
});
