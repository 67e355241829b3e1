import { describe, expect, test } from 'vitest';
import type { AuditException } from '../../src/audit/audit-config.ts';
import type { AuditFinding } from '../../src/audit/rule.ts';
import { waiverOf } from '../../src/audit/waivers.ts';
import { configMap, deployment } from '../support/builders.ts';

const now = Date.parse('2026-06-30T23:59:59Z');
const finding = (annotations?: Record<string, string>, object = configMap('web-flags')) =>
  ({ rule: 'missing-owner', object: { ...object, annotations } }) as unknown as AuditFinding;
const excepting = (changes: Partial<AuditException>): AuditException => ({
  rule: undefined,
  kind: undefined,
  namespace: undefined,
  name: undefined,
  reason: 'known',
  expires: '2026-06-30',
  ...changes,
});
const byConfiguration = { by: 'configuration', reason: 'known', expires: '2026-06-30' };

describe('an annotation', () => {
  const ignore = 'kubectl-gc.io/ignore';
  test.each<[string, Record<string, string>, object]>([
    ['names the rule', { [ignore]: 'missing-owner' }, { reason: 'no reason given' }],
    ['names several', { [ignore]: 'self-owner , missing-owner' }, { reason: 'no reason given' }],
    [
      'names all, with reason and date',
      { [ignore]: 'all', [`${ignore}-reason`]: 'moved', [`${ignore}-until`]: '2026-06-30' },
      { reason: 'moved', expires: '2026-06-30' },
    ],
  ])('%s', (_, annotations, waiver) => {
    expect(waiverOf(finding(annotations), [], now)).toEqual({
      waiver: { by: 'annotation', ...waiver },
    });
  });

  test.each([
    ['2026-06-29', 'it ended on 2026-06-29'],
    ['soon', 'its last day "soon" is not a day, as in 2026-12-31'],
    ['2026-13-45', 'its last day "2026-13-45" is not a day, as in 2026-12-31'],
    ['2026-02-30', 'its last day "2026-02-30" is not a day, as in 2026-12-31'],
  ])('is lapsed with %s as last day', (until, because) => {
    const annotations = { [ignore]: 'all', [`${ignore}-until`]: until };
    expect(waiverOf(finding(annotations), [], now)).toEqual({
      lapsed: { by: 'annotation', reason: 'no reason given', expires: until, because },
    });
  });

  test('that names another rule says nothing', () => {
    expect(waiverOf(finding({ [ignore]: 'self-owner' }), [], now)).toEqual({});
  });
});

describe('an exception', () => {
  test.each<[string, Partial<AuditException>]>([
    ['by rule', { rule: 'missing-owner' }],
    ['by kind', { kind: 'ConfigMap' }],
    ['by resource', { kind: 'configmaps' }],
    ['by namespace', { namespace: 'shop' }],
    ['by name', { name: 'web-flags' }],
    ['by prefix', { name: 'web-*' }],
    ['by parts', { name: 'w*-*s' }],
  ])('%s', (_, changes) => {
    expect(waiverOf(finding(), [excepting(changes)], now)).toEqual({ waiver: byConfiguration });
  });

  test.each<[string, Partial<AuditException>]>([
    ['another rule', { rule: 'self-owner' }],
    ['another kind', { kind: 'Deployment' }],
    ['another namespace', { namespace: 'sho' }],
    ['a longer name', { name: 'web-flags-*-flags' }],
    ['an overlong pattern', { name: 'web-flags*s' }],
    ['the wrong namespace', { name: '*', namespace: 'payments' }],
  ])('about %s', (_, changes) => {
    expect(waiverOf(finding(), [excepting(changes)], now)).toEqual({});
  });

  test('of a group', () => {
    const object = deployment('web');
    const exception = excepting({ kind: 'deployments.apps' });
    expect(waiverOf(finding(undefined, object), [exception], now)).toEqual({
      waiver: byConfiguration,
    });
  });

  test('that has expired is reported, unless another one applies', () => {
    const over = excepting({ name: '*', expires: '2026-06-29' });
    const { because, ...waiver } = { ...byConfiguration, because: 'it ended on 2026-06-29' };
    expect(waiverOf(finding(), [over], now)).toEqual({
      lapsed: { ...waiver, expires: '2026-06-29', because },
    });
    expect(waiverOf(finding(), [over, excepting({ name: '*' })], now)).toEqual({
      waiver: byConfiguration,
    });
  });
});
