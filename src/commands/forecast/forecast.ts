import { kubeletControllers } from '../../controllers/controller.ts';
import { usageError } from '../../errors.ts';
import { firstOf, kindsInWords } from '../../kube/counts-by-kind.ts';
import type { ObjectRecord } from '../../kube/object-record.ts';
import type { NodeFacts } from '../../kubelet/node-facts.ts';
import {
  dueForCollector,
  type ForecastReport,
  forecastReport,
  isForecastComplete,
} from '../../questions/forecast/document.ts';
import { kubeletForecast, withKubelets } from '../../questions/forecast/kubelet-forecast.ts';
import { forecastSummary } from '../../questions/forecast/text.ts';
import { withHealth } from '../../questions/forecast/with-health.ts';
import { pagedListFormats } from '../../questions/render.ts';
import { applyFlags } from '../../shell/flags/apply-flags.ts';
import { listingFlags, outputFlag, watchFlag } from '../../shell/flags/flags.ts';
import {
  type ForecastFlags,
  forecastByDefault,
  forecastFlags,
  wantedControllers,
  withinOf,
} from '../../shell/flags/forecast-flags.ts';
import { fleetOf } from '../../shell/fleet.ts';
import { givenTime, nowOf, remarksOnClock } from '../../shell/input/clock.ts';
import { refuseMissingNamespace } from '../../shell/input/missing-namespace.ts';
import { readQuestion } from '../../shell/input/read-question.ts';
import { askedNamespace, scopeInWords, scopeOfFlags } from '../../shell/input/scope.ts';
import type { Session } from '../../shell/input/session.ts';
import { GcCommand } from '../../shell/oclif/gc-command.ts';
import { askCollector, nextOf } from '../../shell/questions/ask-collector.ts';
import { settingsFinder } from '../../shell/settings/find-settings.ts';
import { computing } from '../../shell/terminal/interruption.ts';
import { isolated } from '../../snapshot/isolated.ts';

export default class Forecast extends GcCommand {
  static override summary = 'Forecast what the controllers will delete, when and why';
  static override description = [
    'In the order of time, with what follows from each deletion: the whole cluster is',
    'simulated with all its controllers. Where only a controller knows, the time is a range.',
  ].join(' ');
  static override usage =
    '<%= command.id %> [--within DURATION] [--collector ID]... [-n NAMESPACE] [-w | --apply]';
  static override examples = [
    '<%= config.bin %> forecast --within 7d',
    '<%= config.bin %> forecast --watch',
    '<%= config.bin %> forecast --collector csr-cleaner --collector apiserver-lease',
    '<%= config.bin %> forecast --collector csr-cleaner --apply --max-deletes 5000',
    '<%= config.bin %> forecast --within 7d --from examples/clusters/shop.json.gz',
    '<%= config.bin %> forecast --collector csr-cleaner,ttl-after-finished --from examples/clusters/shop.json.gz',
    '<%= config.bin %> forecast -n shop -o json --from examples/clusters/shop.json.gz',
  ];
  static override flags = {
    ...forecastFlags,
    ...listingFlags,
    watch: watchFlag,
    output: outputFlag(pagedListFormats, 'table'),
    ...applyFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Forecast);
    const print = this.printer(flags, pagedListFormats);
    const scope = scopeOfFlags(flags);
    if (flags.apply) {
      const { applyForecast } = await import('./apply-forecast.ts');
      return this.endWith(await applyForecast(flags, scope, this.session(flags)));
    }
    const within = withinOf(flags);
    const shows = wantedControllers(flags.collector);
    const settingsOf = await settingsFinder(flags);
    let found: ReturnType<typeof settingsOf> | undefined;
    await this.answer({ flags, print, fleet: await fleetOf(flags) }, async (session) => {
      const nodes = await askKubelets(flags, session);
      const kubeletsAt = (all: readonly NodeFacts[], time: number | undefined) => {
        const looked = all.map((one) => Date.parse(one.observedAt));
        const now = time ?? givenTime(flags)?.getTime() ?? Math.max(...looked);
        return kubeletForecast(all, { now, within, shows, namespace: askedNamespace(flags) });
      };
      // Where nothing else is asked for, the cluster's objects need not be read.
      if (nodes && kubeletsNamed(flags).length === flags.collector?.length) {
        const report = kubeletsAt(nodes, undefined);
        const remarks = this.#remarksOn(report, flags);
        return { report, taken: { observedAt: report.at }, remarks };
      }
      // Settings are those of the first look.
      if (flags.watch) found ??= settingsOf(session);
      const [{ settings }, snapshot] = await Promise.all([
        found ?? settingsOf(session),
        readQuestion(flags, session, { facts: true }),
      ]);
      await refuseMissingNamespace({ flags, session, snapshot });
      const now = nowOf(flags, snapshot);
      const options = { now, within, settings, shows, scope, namespace: askedNamespace(flags) };
      const cluster = computing(() =>
        isolated(snapshot, (known) => forecastReport(known, options)),
      );
      const asked = flags.from ? undefined : await session.cluster();
      const due = asked ? dueForCollector(cluster) : new Set<string>();
      const observed = withHealth(
        cluster,
        await askCollector(asked, snapshot, now, due),
        snapshot.types,
      );
      const report = withKubelets(observed, nodes && kubeletsAt(nodes, now), shows);
      const on = this.#remarksOn(report, flags, snapshot.records);
      const remarks = [...remarksOnClock(flags, snapshot), ...on];
      const next = nextOf(report.garbageCollector, session);
      return { report, taken: snapshot, remarks, next };
    });
  }

  #remarksOn(
    report: ForecastReport,
    flags: ForecastFlags & { readonly output: string },
    records?: readonly ObjectRecord[],
  ): readonly string[] {
    const { collectors, items, coverage } = report;
    const unread = collectors.filter((one) => one.unread.length > 0);
    const isKubelet = ({ id }: { readonly id: string }) => kubeletControllers.includes(id);
    const blind = collectors.filter(({ withoutFacts }) => withoutFacts.length > 0);
    const kinds = new Set(blind.flatMap(({ withoutFacts }) => withoutFacts));
    const off = collectors.filter(({ leftOff }) => leftOff);
    const namesOf = (some: typeof collectors) => firstOf(some.map(({ id }) => id));
    const complete = isForecastComplete(report);
    return [
      unread.some(isKubelet) && 'kubelets not queried (use --collector image-gc,container-gc)',
      ...unreadRemarks(unread.filter((one) => !isKubelet(one))),
      blind.length > 0 &&
        `Of ${firstOf([...kinds])} only metadata was read, so it is unknown what these do: ${namesOf(blind)}.`,
      off.length > 0 && `--controllers leaves off: ${namesOf(off)}.`,
      ...(items.length === 0
        ? this.nothing('deletions', {
            coverage: { ...coverage, complete },
            namespace: askedNamespace(flags),
            records,
          })
        : this.summary(flags, forecastSummary(report, scopeInWords(askedNamespace(flags))))),
      flags.within === undefined && `Forecast of ${forecastByDefault}; --within 7d extends it.`,
    ].filter((line) => line !== false);
  }
}

/** Which kinds were not read, and which controllers decide by them: line by line where these are few. */
function unreadRemarks(unread: ForecastReport['collectors']): string[] {
  const byKinds = Map.groupBy(unread, (one) => one.unread.join(', '));
  const groups: [readonly string[], ForecastReport['collectors']][] =
    byKinds.size > mostGroups
      ? [[[...new Set(unread.flatMap((one) => one.unread))], unread]]
      : [...byKinds.values()].map((by) => [by[0]?.unread ?? [], by]);
  return groups.map(([kinds, by]) => {
    const decide = by.length === 1 ? 'decides' : 'decide';
    return `Not read: ${kindsInWords(kinds)}; ${firstOf(by.map(({ id }) => id))} ${decide} by that.`;
  });
}

const mostGroups = 3;

function kubeletsNamed({ collector = [] }: ForecastFlags): string[] {
  return collector.filter((id) => kubeletControllers.includes(id));
}

/**
 * Asks kubelets, or reads what was saved of nodes, where `--collector` names one of theirs. Undefined: they were not
 * asked, as that takes several requests for each node.
 */
async function askKubelets(flags: ForecastFlags, session: Session) {
  const named = kubeletsNamed(flags);
  if (named.length === 0) return undefined;
  if (flags.selector !== undefined || flags['field-selector'] !== undefined) {
    throw usageError(
      `-l and --field-selector choose objects, and ${named.join(' and ')} removes what has no labels`,
      ['Leave out the selector, or these controllers.'],
    );
  }
  const { openNodes } = await import('../../shell/input/open-nodes.ts');
  return openNodes({ ...flags, all: true }, [], session, { kubeletStart: true });
}
