import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { customDefinition } from '../support/custom-resources.ts';
import { gc } from '../support/run-gc.ts';
import { breakConversion, restoreConversion, serveKind } from '../support/served-kinds.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { proxyOfFile } from './proxy.ts';

/** A real API server whose lists hang, are empty or cannot be made: no command waits without end, every gap is named. */
const plane = sharedControlPlane();
const namespace = 'odd-answers';
const proxy = await proxyOfFile(plane);

beforeAll(async () => {
  await plane.make(`Namespace ${namespace}`);
  await plane.make(`ConfigMap ${namespace}/kept`);
});

function ask(line: string) {
  return gc(`${line} -s ${proxy.address}`, { env: { KUBECONFIG: plane.kubeconfigPath } });
}

/** What could not be read. */
async function gapsOf(line: string) {
  const { code, stdout } = await ask(`${line} -o json`);
  const { coverage } = JSON.parse(stdout);
  return { code, complete: coverage.complete, problems: coverage.problems };
}
const gap = (reason: string, message: unknown, resource: string, apiVersion = 'v1') => ({
  code: 0,
  complete: false,
  problems: [expect.objectContaining({ reason, message, resource, apiVersion, verb: 'list' })],
});

test('a server that answers no list ends the command, one kind after the other', async () => {
  const isList = /^\/(api\/v1|apis\/[^/]+\/[^/]+)\/[a-z]+\?/;
  proxy.before = ({ path }) => (isList.test(path) ? new Promise(() => undefined) : undefined);
  const { code, problems } = await gapsOf('orphans -A --request-timeout 1s');
  const reasons = new Set(problems.map(({ reason }: { reason: string }) => reason));
  expect({ code, reasons: [...reasons], many: problems.length > 40 }).toEqual({
    code: 0,
    reasons: ['timed-out'],
    many: true,
  });
});

test('empty lists of the real server are lists: of metadata and of whole objects, in JSON and protobuf', async () => {
  const json = 'application/json';
  const metadata = `${json};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;
  const told = async (path: string, accept: string) => {
    const { kind, items } = await plane.get<{ kind: string; items: unknown }>(path, accept);
    return [kind, items];
  };
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const widgets = `/apis/example.com/v1/namespaces/${namespace}/widgets`;
  expect([
    await told(pods, json),
    await told(pods, metadata),
    await told(widgets, json),
    await told(widgets, metadata),
  ]).toEqual([
    ['PodList', []],
    ['PartialObjectMetadataList', null],
    ['WidgetList', []],
    ['PartialObjectMetadataList', null],
  ]);
  expect((await gapsOf(`orphans -n ${namespace}`)).problems).toEqual([]);
});

test('a kind behind a dead conversion webhook is not read, after 5 s at most', async () => {
  const scrolls = 'scrolls.unanswered.example.com';
  const scroll = customDefinition('Scroll', 'unanswered.example.com', { versions: ['v1', 'v2'] });
  const definition = await serveKind(plane, scroll);
  onTestFinished(async () => {
    await restoreConversion(plane, scroll);
    await plane.remove(definition);
  });
  await plane.make(`unanswered.example.com/v1 Scroll ${namespace}/old`);
  const refused = await breakConversion(plane, scroll);
  const asked: number[] = [];
  proxy.before = ({ path: list }) => {
    if (list.startsWith('/apis/unanswered.example.com/v2/scrolls')) asked.push(performance.now());
    return undefined;
  };
  const kind = 'unanswered.example.com/v1, Kind=Scroll';
  // A server whose cache of the kind is not filled says that before.
  const message = expect.stringContaining(`conversion webhook for ${kind} failed`);
  expect(await gapsOf('orphans -A')).toEqual(
    gap('unlistable', message, scrolls, 'unanswered.example.com/v2'),
  );
  expect(refused).toBe(429);
  // With the time that the server takes for its answers.
  expect((asked.at(-1) ?? Number.NaN) - (asked[0] ?? 0)).toBeLessThan(12_000);
});
