import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { customDefinition } from '../support/custom-resources.ts';
import { gc } from '../support/run-gc.ts';
import { breakConversion, restoreConversion, serveKind } from '../support/served-kinds.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { startProxy, type TestProxy } from './proxy.ts';

/** What a real API server does not answer, or not soon: no command waits for ever, and every gap is named. */
const plane = sharedControlPlane();
const namespace = 'unanswered';
const scrolls = 'scrolls.unanswered.example.com';
const scroll = customDefinition('Scroll', 'unanswered.example.com', { versions: ['v1', 'v2'] });
let definition: string;
let proxy: TestProxy;

beforeAll(async () => {
  proxy = await startProxy(plane);
  await plane.create('/api/v1/namespaces', { metadata: { name: namespace } });
});
afterEach(() => {
  proxy.before = () => undefined;
});
afterAll(async () => {
  await restoreConversion(plane, scroll);
  await plane.request(definition, { method: 'DELETE' });
  await proxy.close();
  plane.disconnect();
});

async function audited(line: string) {
  const env = { KUBECONFIG: plane.kubeconfigPath };
  const { code, stdout } = await gc(`${line} -o json -s ${proxy.address}`, { env });
  const { coverage } = JSON.parse(stdout);
  return { code, problems: coverage.problems };
}

test('a kind whose list hangs is given up after --request-timeout, and the others are read', async () => {
  proxy.before = ({ path }) =>
    path.startsWith('/api/v1/configmaps') ? new Promise(() => undefined) : undefined;
  const { code, problems } = await audited('orphans -A --request-timeout 2s');
  expect({ code, problems }).toEqual({
    code: 0,
    problems: [
      {
        reason: 'timed-out',
        message: `cannot list configmaps: the API server ${proxy.address} did not answer within 2 s`,
        resource: 'configmaps',
        apiVersion: 'v1',
      },
    ],
  });
});

test('a server of which every list hangs ends the command, one kind after the other', async () => {
  proxy.before = ({ path }) =>
    /^\/(api\/v1|apis\/[^/]+\/[^/]+)\/[a-z]+\?/.test(path)
      ? new Promise(() => undefined)
      : undefined;
  const { code, problems } = await audited('orphans -A --request-timeout 1s');
  const reasons = new Set(problems.map(({ reason }: { reason: string }) => reason));
  expect({ code, reasons: [...reasons], many: problems.length > 40 }).toEqual({
    code: 0,
    reasons: ['timed-out'],
    many: true,
  });
});

test('a kind behind a dead conversion webhook is not read, after 5 s at most', async () => {
  definition = await serveKind(plane, scroll);
  await plane.create(`/apis/unanswered.example.com/v1/namespaces/${namespace}/scrolls`, {
    apiVersion: 'unanswered.example.com/v1',
    kind: 'Scroll',
    metadata: { name: 'old' },
  });
  const refused = await breakConversion(plane, scroll);
  const asked: number[] = [];
  proxy.before = ({ path: list }) => {
    if (list.startsWith('/apis/unanswered.example.com/v2/scrolls')) asked.push(performance.now());
    return undefined;
  };
  const { code, problems } = await audited('orphans -A');
  expect({ refused, code, problems }).toEqual({
    refused: 429,
    code: 0,
    problems: [
      {
        reason: 'unavailable',
        message: `cannot list ${scrolls}: storage is (re)initializing: failed to list unanswered.example.com/v2, Kind=Scroll: conversion webhook for unanswered.example.com/v1, Kind=Scroll failed: Post "https://127.0.0.1:1/?timeout=30s": dial tcp 127.0.0.1:1: connect: connection refused`,
        resource: scrolls,
        apiVersion: 'unanswered.example.com/v2',
      },
    ],
  });
  // With the time that the server takes for its answers.
  expect((asked.at(-1) ?? Number.NaN) - (asked[0] ?? 0)).toBeLessThan(12_000);
});
