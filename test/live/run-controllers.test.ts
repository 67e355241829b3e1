import { expect, test } from 'vitest';
import { connect } from '../../src/cluster/connection/connect.ts';
import { type RunOptions, runControllers } from '../../src/runner/run-controllers.ts';
import { generateCase } from '../differential/generate-case.ts';
import { type OtherControllers, recordCases } from '../differential/record-cases.ts';
import { mismatches, type RecordedCase, simulateCase } from '../simulator/recorded-case.ts';
import type { ControlPlane } from '../support/control-plane.ts';

const seed = Number(process.env.DIFFERENTIAL_SEED ?? Math.floor(Math.random() * 1_000_000));
const count = Number(process.env.DIFFERENTIAL_CASES ?? 30);
const collector = 'garbage-collector-controller';
const withNamespaces = [collector, 'namespace-controller'];
/** Where an end depends on an order that nothing fixes, more plays show more ends. */
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

const endOf = ({ final }: RecordedCase) => JSON.stringify(final);

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

    const head = { kubernetes: 'v1.36.3', controllers: controllers.join(), start };
    const other = cases.filter((_, n) => endOf(real[n] as never) !== endOf(own[n] as never));
    const ends = new Map(other.map(({ id }) => [id, { real: new Set(), own: new Set() }]));
    const note = (plays: readonly RecordedCase[], by: 'real' | 'own') => {
      for (const one of plays) ends.get(one.id)?.[by].add(endOf(one));
    };
    note(real, 'real');
    note(own, 'own');
    for (let play = 0; play < morePlays && other.length > 0; play++) {
      note(await recordCases(other, options), 'real');
      note(await recordCases(other, ours), 'own');
    }
    const wrong = other.filter(({ id }, n) => {
      const seen = ends.get(id);
      if (seen && [...seen.own].some((end) => seen.real.has(end))) return false;
      // The simulation tells which ends depend on an order.
      const recorded = own.find((one) => one.id === other[n]?.id);
      return !recorded || mismatches(recorded, simulateCase(head, recorded)).length > 0;
    });
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
