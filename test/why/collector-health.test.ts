import { describe, expect, test } from 'vitest';
import { collectorHealthOf } from '../../src/why/garbage-collector/collector-health.ts';
import { healthCheck } from '../../src/why/garbage-collector/health-check.ts';

const leader = healthCheck('leader', 'ok', '');
const overdue = (...overdueKinds: readonly string[]) =>
  healthCheck('garbage', 'unknown', '', { overdue: 3, overdueKinds });
const refused = (...except: readonly string[]) =>
  healthCheck('admission', 'degraded', '', { except });

describe('garbage that should be gone:', () => {
  test.each([
    ['all of it is of a kind that is refused', overdue('configmaps'), 'works-except'],
    ['all of it is of an API group that is refused', overdue('a.example.com'), 'works-except'],
    ['some of it is of another kind', overdue('configmaps', 'secrets'), 'unknown'],
    ['its kinds are not known', healthCheck('garbage', 'unknown', '', { overdue: 3 }), 'unknown'],
  ])('where %s', (_, garbage, health) => {
    const except = ['configmaps', 'example.com'];
    const found = collectorHealthOf([leader, refused(...except), garbage]);
    expect(found).toMatchObject({ health, overdue: 3, except });
  });

  test('where nothing is refused', () => {
    const found = collectorHealthOf([leader, overdue('configmaps')]);
    expect(found).toMatchObject({ health: 'unknown', overdue: 3 });
  });
});
