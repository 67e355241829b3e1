import { expect, test } from 'vitest';
import { wantedVersion } from '../../scripts/control-plane.mjs';
import { connect } from '../../src/cluster/connection/connect.ts';
import { type RunOptions, runControllers } from '../../src/runner/run-controllers.ts';
import { generateCase } from '../differential/generate-case.ts';
import { type OtherControllers, recordCases } from '../differential/record-cases.ts';
import { mismatches, type RecordedCase, simulateCase } from '../simulator/recorded-case.ts';
import type { ControlPlane } from '../support/control-plane.ts';

// In 718213 and 718214 the garbage collector needs the time that the namespace controller leaves it.
const seed = Number(process.env.DIFFERENTIAL_SEED ?? 718_209);
const count = Number(process.env.DIFFERENTIAL_CASES ?? 12);
const collector = 'garbage-collector-controller';
const withNamespaces = [collector, 'namespace-controller'];
/** Where the simulation did not foresee that the ends differ, more plays show more of them. */
const morePlays = 4;

async function runOurs(plane: ControlPlane, options: RunOptions): Promise<OtherControllers> {
  const client = await connect({ kubeconfig: plane.kubeconfigPath, connections: Infinity });
  const running = await runControllers(client, options);
  return {
    settled: () => running.settled(),
    stop: () => {
      running.stop();
      client.close();
    },
  };
}

test.each([
  { start: 'running', controllers: [collector], quietSeconds: 8 },
  { start: 'after-requests', controllers: withNamespaces, quietSeconds: 20 },
] as const)(
  `leave what kube-controller-manager leaves: $start, $controllers, seed ${seed}`,
  { timeout: 400_000 },
  async ({ start, controllers, quietSeconds }) => {
    const namespaces = controllers.includes('namespace-controller' as never);
    const cases = Array.from({ length: count }, (_, n) => generateCase(seed + n, { namespaces }));
    const options = { start, controllers, quietSeconds };
    const ours = {
      ...options,
      runOthers: (plane: ControlPlane) => runOurs(plane, { controllers }),
    };
    const [real, own] = await Promise.all([recordCases(cases, options), recordCases(cases, ours)]);

    const ends = new Map<string, Record<'real' | 'own', Set<string>>>();
    const note = (by: 'real' | 'own', plays: readonly RecordedCase[]) => {
      for (const one of plays) {
        const seen = ends.get(one.id) ?? { real: new Set(), own: new Set() };
        seen[by].add(JSON.stringify(one.final));
        ends.set(one.id, seen);
      }
    };
    const isSame = (id: string) => {
      const seen = ends.get(id);
      return seen !== undefined && [...seen.own].some((end) => seen.real.has(end));
    };
    note('real', real);
    note('own', own);
    const other = cases.filter(({ id }) => !isSame(id));

    // The simulation says which ends depend on an order that nothing fixes.
    const head = { kubernetes: wantedVersion(), controllers: controllers.join(), start };
    const isForeseen = (one: RecordedCase) => mismatches(one, simulateCase(head, one)).length === 0;
    let wrong = other.filter(({ id }) => {
      const ofReal = real.find((one) => one.id === id);
      const ofOwn = own.find((one) => one.id === id);
      if (!ofReal || !ofOwn) return true;
      // Ours write no events.
      const { events, eventsAlways } = ofReal;
      return !isForeseen(ofReal) || !isForeseen({ ...ofOwn, events, eventsAlways });
    });
    for (let play = 0; play < morePlays && wrong.length > 0; play++) {
      note('real', await recordCases(wrong, options));
      note('own', await recordCases(wrong, ours));
      wrong = wrong.filter(({ id }) => !isSame(id));
    }
    console.log(
      `${start}, ${controllers.length} controllers: seed ${seed}, ${count} cases, ${wrong.length} wrong, ${other.length} ended otherwise at first`,
    );
    expect(
      wrong.map((one) => ({
        id: one.id,
        real: real.find(({ id }) => id === one.id)?.final,
        own: own.find(({ id }) => id === one.id)?.final,
      })),
    ).toEqual([]);
  },
);
