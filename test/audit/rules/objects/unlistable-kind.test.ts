import { expect, test } from 'vitest';
import { unlistableKind } from '../../../../src/audit/rules/garbage-collector.ts';
import type { CoverageProblem } from '../../../../src/snapshot/coverage.ts';
import { builderOf } from '../../../support/builders.ts';
import { violationsOf } from '../../../support/violations.ts';

const definition = builderOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
const service = builderOf('apiregistration.k8s.io/v1', 'APIService');
const resource = 'widgets.example.com';
const converted: CoverageProblem = {
  reason: 'unavailable',
  message: 'cannot list widgets: conversion webhook for example.com/v2, Kind=Widget failed',
  resource,
  apiVersion: 'example.com/v1',
};
const foundWith = (problem: CoverageProblem, records = [definition(resource)]) =>
  violationsOf(unlistableKind, records, { coverage: { problems: [problem, problem] } });

test('a conversion webhook that does not answer, told once', () => {
  const expected = [
    {
      at: `CustomResourceDefinition ${resource}`,
      message: `${resource}: ${converted.message}`,
      command: 'kubectl gc why --gc',
    },
  ];
  expect(foundWith(converted)).toEqual(expected);
  expect(foundWith(converted, [])).toEqual(expected);
});

test('objects in etcd that cannot be decoded', () => {
  const message =
    'cannot list widgets: failed to read one or more widgets.example.com from the storage: /registry/example.com/widgets/shop/a (object not decodable)';
  expect(foundWith({ ...converted, message })).toEqual([
    {
      at: `CustomResourceDefinition ${resource}`,
      message: `${resource}: ${message}`,
      command: 'kubectl gc why --gc',
    },
  ]);
});

test('another error, of a kind of an aggregated API', () => {
  const problem = { ...converted, message: 'cannot list widgets: it is broken' };
  expect(foundWith(problem, [service('v1.example.com')])).toEqual([
    {
      at: 'APIService v1.example.com',
      message: `${resource}: cannot list widgets: it is broken`,
      command: 'kubectl gc why --gc',
      confidence: 'likely',
    },
  ]);
});

test.each<[string, CoverageProblem]>([
  ['you may not read it', { ...converted, reason: 'forbidden' }],
  ['the answer took too long', { ...converted, reason: 'timed-out' }],
  ['discovery failed', { reason: 'discovery-failed', message: 'x', apiVersion: 'example.com/v1' }],
])('not when %s', (_, problem) => {
  expect(foundWith(problem)).toEqual([]);
});
