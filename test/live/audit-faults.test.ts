import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { findControlPlane } from '../../scripts/control-plane.mjs';
import type { KubeObject } from '../../src/kube/record-codec.ts';
import type { AuditReport } from '../../src/questions/audit/document.ts';
import { validDocument } from '../contract/valid-document.ts';
import { namespace } from '../support/blockade.ts';
import { eventually } from '../support/eventually.ts';
import { ownControlPlane } from '../support/own-control-plane.ts';
import { gcHere } from '../support/run-here.ts';
import { ownershipFaults } from './ownership-faults.ts';

/** A cluster with every fault at once: each rule fires where it should and nowhere else, and what it foretells happens. */
const { objects, breakCluster, mendCluster, expected, collected } = ownershipFaults;

const plane = await ownControlPlane({ controllers: 'none' });
// Without a home kubectl keeps its cache in the folder it runs in.
const KUBECACHEDIR = dirname(plane.kubeconfigPath);
const env = { KUBECONFIG: plane.kubeconfigPath, NO_COLOR: '1', KUBECACHEDIR };

const configMaps = async () => (await plane.list('ConfigMap ')).map(nameOf);
async function audit(line = ''): Promise<{ readonly code: number; readonly report: AuditReport }> {
  const { code, stdout, stderr } = await gcHere(`audit --no-config ${line} -o json`, env);
  expect(stdout, stderr).not.toBe('');
  const report: AuditReport = validDocument('audit', stdout);
  return { code, report };
}

const told = ({ items }: AuditReport) =>
  items
    .map(({ rule, object }) => `${rule}: ${object.kind} ${object.namespace}/${object.name}`)
    .sort();

test('a new cluster has no fault', async () => {
  const { code, report } = await audit();
  expect([code, report.verdict, told(report), report.notChecked]).toEqual([0, 'passed', [], []]);
});

test('every fault is reported, and nothing else', async () => {
  const made = new Set(objects.map(({ kind, metadata }) => kind === 'Namespace' && metadata.name));
  const spaces = new Set(objects.flatMap(({ metadata }) => (metadata.namespace as string) ?? []));
  const missing = [...spaces].filter((name) => name !== 'kube-system' && !made.has(name));
  await plane.putObjects([...missing.map((name) => namespace(name)), ...objects]);
  await breakCluster(plane);
  const { code, report } = await audit();
  expect(told(report)).toEqual(expected.toSorted());
  expect([code, report.verdict]).toEqual([1, 'failed']);
});

/** Rules whose fix is about the object itself. */
const mending = ['doomed-dependents', 'stuck-object', 'finalizer-without-controller'];

test('the commands of the fixes can be given as they are', async () => {
  await mendCluster(plane);
  const { report } = await audit(mending.map((rule) => `--rule ${rule}`).join(' '));
  const commands = report.items.flatMap(({ fix }) => fix.command ?? []);
  const refused: string[] = [];
  for (const command of new Set(commands)) {
    const { code, text } = await given(command);
    if (code !== 0) refused.push(`${command}: ${text}`);
  }
  expect(refused).toEqual([]);
  expect(new Set(report.items.map(({ rule }) => rule))).toEqual(new Set(mending));
  const again = await audit(mending.map((rule) => `--rule ${rule}`).join(' '));
  expect(told(report).filter((one) => !told(again.report).includes(one))).toEqual(
    told(report).filter((one) => one.startsWith('finalizer-without-controller:')),
  );
});

/** As a person would type it; those of the plugin run here, and rehearse where a person would be asked. */
async function given(command: string): Promise<{ readonly code: number; readonly text: string }> {
  const plugin = 'kubectl gc ';
  if (command.startsWith(plugin)) {
    const rehearsal = command.includes(' --fix') ? ' --dry-run' : '';
    const { code, stderr } = await gcHere(command.slice(plugin.length) + rehearsal, env);
    return { code, text: stderr };
  }
  const path = `${findControlPlane()}:${process.env.PATH}`;
  return new Promise((resolve) => {
    execFile('sh', ['-c', command], { env: { ...env, PATH: path } }, (error, _, stderr) =>
      resolve({ code: error ? 1 : 0, text: stderr }),
    );
  });
}

test('the real garbage collector deletes what is forecast, and nothing else', async () => {
  const before = await configMaps();
  await plane.startControllers(['garbage-collector-controller']);
  const left = await eventually('the deletions of the collector', async () => {
    const now = new Set(await configMaps());
    return collected.some((name) => now.has(name)) ? undefined : now;
  });
  const gone = before.filter((name) => !left.has(name));
  expect(gone.sort()).toEqual(collected.toSorted());
  const { report } = await audit(
    '--rule doomed-dependents --rule missing-owner --rule owner-uid-mismatch',
  );
  expect(told(report)).toEqual(['missing-owner: ConfigMap faults/frozen']);
});

const nameOf = ({ metadata }: KubeObject) => `${metadata.namespace}/${metadata.name}`;
