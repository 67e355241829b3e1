import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { isUnderstood, printedCommands } from '../support/printed-commands.ts';
import { gcHere } from '../support/run-here.ts';
import { argumentsIn } from '../support/run-in-shell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What every command prints on a cluster for people to paste, run there as it stands. */
const plane = await ownControlPlane({ controllers: 'none' });
const folder = temporaryFolder('printed');
const env = {
  KUBECONFIG: plane.kubeconfigPath,
  KUBECTL_GC_BACKUP_DIR: join(folder, 'backups'),
  NO_COLOR: '1',
};

const missing = (kind: string) => ({ apiVersion: 'v1', kind, name: 'gone', uid: 'uid-of-nothing' });

beforeAll(async () => {
  await plane.make('Namespace shop');
  await plane.make('ConfigMap shop/garbage', {
    metadata: { ownerReferences: [missing('ConfigMap')] },
  });
  await plane.make('ConfigMap shop/frozen', {
    metadata: { ownerReferences: [{ ...missing('Gone'), apiVersion: 'gone.example.com/v1' }] },
  });
  await plane.make('ClusterRole kept', { metadata: { ownerReferences: [missing('Pod')] } });
  const held = { metadata: { finalizers: ['karpenter.sh/termination'] } };
  for (const name of ['held', 'other']) {
    await plane.make(`ConfigMap shop/${name}`, held);
    await plane.remove(`ConfigMap shop/${name}`);
  }
});

const lines = [
  'status',
  'why -A',
  'why configmap/held -n shop',
  'why configmap/garbage -n shop',
  'why configmap/frozen -n shop',
  'why configmap/none -n shop',
  'why --gc',
  'orphans -A',
  'orphans configmap/garbage -n shop',
  'orphans -A --unmanaged',
  'invalid-ownerrefs -A',
  'audit -A --no-config --fail-on never',
  'forecast -A',
  'podgc-preview',
  'tree configmap/held -n shop',
  'owners configmap/garbage -n shop',
  'delete configmap/garbage -n shop --preview',
  'delete configmap/held -n shop --preview',
  'delete namespace/shop --preview',
  'delete configmap/held -n shop --yes --timeout=1s --no-backup',
  'deleted -A',
  'simulate --delete configmap/garbage -n shop',
  'rbac audit',
];

/** Verbs of kubectl that change something: the server only rehearses them. */
const rehearsed = ['patch', 'replace', 'delete', 'annotate', 'taint', 'create'];
/** Those of ours that ask, send or save are shown, as far as they can be. */
const changing = /^(--fix|--yes|--apply|save|export|restore|--update-baseline)(=|$)/;

/** What is wrong with the answer to a printed command. */
async function faultOf(command: string): Promise<string | undefined> {
  const words = argumentsIn(command);
  if (!(await isUnderstood(words))) return `${command}: is no command`;
  const [program = '', ...rest] = words;
  if (program === 'gc') {
    if (rest.some((word) => changing.test(word))) return undefined;
    const isPreviewed = rest[0] !== 'delete' || rest.includes('--preview');
    const line = isPreviewed ? rest : [...rest, '--preview'];
    const { code, stdout, stderr } = await gcHere(line, env);
    const isDone = code !== 2 && code !== 3 && stdout + stderr !== '';
    return isDone ? undefined : `${command}: exit code ${code}, ${stderr}`;
  }
  const dryRun =
    rehearsed.includes(program) && !words.includes('--raw') ? ['--dry-run=server'] : [];
  return plane.kubectl([...words, ...dryRun]).then(
    () => undefined,
    (error: unknown) => `${command}: ${error}`,
  );
}

test('every command that is printed on a cluster answers there', async () => {
  const found = new Map<string, string>();
  for (const line of lines) {
    for (const wide of ['', ' -o wide']) {
      const { stdout, stderr } = await gcHere(`${line}${wide}`, env);
      for (const command of printedCommands(`${stdout}\n${stderr}`)) found.set(command, line);
    }
  }
  const commands = [...found.keys()].filter((command) => !/deployment\/web|PATH/.test(command));
  expect(commands.length).toBeGreaterThan(10);
  const faults: string[] = [];
  for (const command of commands) {
    const fault = await faultOf(command);
    if (fault !== undefined) faults.push(`${found.get(command)} printed ${fault}`);
  }
  expect(faults).toEqual([]);
});
